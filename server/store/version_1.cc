// Files of version 1 must stay readable, so its tables are kept here as released. Verdicts are carried over
// in the order in which they were stored, through the writer that stores new ones: the new tables then have
// no second way of being filled, and run and time of each append are kept.
#include "server/store/version_1.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/status_macros.h"
#include "diopi/v1/verdict.pb.h"
#include "server/store/database.h"
#include "server/store/message_columns.h"
#include "server/store/run_writer.h"
#include "server/store/suite_rows.h"
#include "server/store/verdict_rows.h"

namespace diopi::server {
namespace {

// As released: never edit it.
constexpr char kVersion1[] = R"sql(
CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  chip TEXT NOT NULL,
  vendor_name TEXT NOT NULL,
  impl_version TEXT NOT NULL,
  dialect TEXT NOT NULL,
  UNIQUE (chip, vendor_name, impl_version, dialect)
);
CREATE TABLE provenances (            -- the references that verdicts were judged by
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  device_reference TEXT NOT NULL,     -- whose outputs stood beside; '': nobody's
  UNIQUE (text, device_reference)
);
CREATE TABLE agents (                 -- standing agents
  agent_id TEXT PRIMARY KEY,
  facts BLOB NOT NULL,                -- diopi.v1.AgentFacts
  seen TEXT NOT NULL                  -- RFC 3339, UTC
) WITHOUT ROWID;
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  -- identity: what makes two runs comparable
  device INTEGER NOT NULL REFERENCES devices (id),
  impl_sha256 TEXT NOT NULL,
  suite_hash TEXT NOT NULL,
  contracts TEXT NOT NULL,            -- one a line, as the next two
  repeat INTEGER NOT NULL,
  shuffle_seed INTEGER NOT NULL,
  environment TEXT NOT NULL,          -- the profile's variables, NAME=VALUE
  adaptor TEXT NOT NULL,              -- rules in words
  -- descriptive
  impl_path TEXT NOT NULL,
  agent_version TEXT NOT NULL,
  host TEXT NOT NULL,
  timeout_s REAL NOT NULL,
  created TEXT NOT NULL,              -- RFC 3339, UTC
  finished TEXT NOT NULL DEFAULT '',
  alive_until TEXT NOT NULL DEFAULT '',  -- RFC 3339, UTC; a running run is stalled from then on; '': not known
  state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('queued', 'running', 'finished', 'aborted')),
  cases INTEGER NOT NULL,
  options BLOB NOT NULL,              -- diopi.v1.RunOptions, as it was asked for
  submission BLOB                     -- diopi.v1.Submission; NULL: none
);
CREATE INDEX runs_by_device ON runs (device, id);
CREATE TABLE run_functions (          -- ABI functions whose symbol the library exports
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  function TEXT NOT NULL,
  PRIMARY KEY (run, function)
) WITHOUT ROWID;
CREATE TABLE run_cases (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  case_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  case_hash TEXT NOT NULL,
  function TEXT NOT NULL,
  operator TEXT NOT NULL,
  PRIMARY KEY (run, case_id)
) WITHOUT ROWID;
CREATE TABLE results (                -- never updated
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  reference INTEGER NOT NULL REFERENCES provenances (id),
  stored TEXT NOT NULL,               -- RFC 3339, UTC
  case_id TEXT NOT NULL,
  case_hash TEXT NOT NULL,
  outcome INTEGER NOT NULL,
  reason TEXT NOT NULL,
  call_us REAL,
  signal TEXT NOT NULL,
  backtrace TEXT NOT NULL,
  error_code INTEGER NOT NULL,
  error_text TEXT NOT NULL,
  calls INTEGER NOT NULL,
  function TEXT NOT NULL,
  tensor_info TEXT NOT NULL,
  variant TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  operator TEXT NOT NULL,
  contracts TEXT NOT NULL,
  likely_cause TEXT NOT NULL,
  consistent_with TEXT NOT NULL,
  declarable TEXT NOT NULL,
  device_index INTEGER,
  elapsed_us REAL,
  readings TEXT NOT NULL,
  would_pass_under TEXT NOT NULL,
  cause_confidence REAL,
  threw INTEGER NOT NULL,
  waiver TEXT NOT NULL,
  adapted INTEGER NOT NULL,
  conversions TEXT NOT NULL,
  UNIQUE (run, case_id),
  FOREIGN KEY (run, case_id) REFERENCES run_cases (run, case_id) ON DELETE CASCADE
);
CREATE TRIGGER results_are_final BEFORE UPDATE ON results
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
CREATE INDEX results_by_outcome ON results (run, outcome);
-- The failures alone (cases/base/outcome.h): the others cost nothing at an append.
CREATE INDEX results_failed ON results (run, case_id, outcome, case_hash) WHERE outcome IN (2, 3, 6, 7, 8, 9);
CREATE TABLE result_outputs (
  result INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  key TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  ok INTEGER NOT NULL,
  gates TEXT NOT NULL,
  elements INTEGER NOT NULL,
  mismatches INTEGER NOT NULL,
  soft INTEGER NOT NULL,
  max_ulp REAL,
  max_z REAL,
  rms_z REAL,
  max_abs REAL,
  max_rel REAL,
  rmse REAL,
  rmse_ideal REAL,
  bias REAL,
  radial_bias REAL,
  nan_actual INTEGER NOT NULL,
  inf_actual INTEGER NOT NULL,
  flushed INTEGER NOT NULL,
  zero_fraction REAL,
  detail TEXT NOT NULL,
  public_pass INTEGER NOT NULL,
  public_mismatch_ratio REAL,
  groups INTEGER NOT NULL,
  argmax INTEGER NOT NULL,
  leaning INTEGER NOT NULL,
  rms_z_device REAL,
  rmse_device REAL,
  rmse_ratio REAL,
  grade TEXT NOT NULL,
  digest TEXT NOT NULL,
  extra BLOB NOT NULL,
  PRIMARY KEY (result, ordinal)
) WITHOUT ROWID;
-- The totals of a run that is over, so that lists of runs need not count verdicts (totals.h). A run has rows in
-- these tables when it has one in run_totals.
CREATE TABLE run_totals (
  run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  done INTEGER NOT NULL,
  called INTEGER NOT NULL, passed INTEGER NOT NULL,                     -- correctness, in cases
  implemented INTEGER NOT NULL, selected INTEGER NOT NULL,              -- coverage, in functions
  tested INTEGER NOT NULL, passing INTEGER NOT NULL,
  flushed INTEGER NOT NULL, widened INTEGER NOT NULL,
  judged INTEGER NOT NULL, ours_alone INTEGER NOT NULL, theirs_alone INTEGER NOT NULL
);
CREATE TABLE run_outcomes (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  outcome INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  PRIMARY KEY (run, outcome)
) WITHOUT ROWID;
CREATE TABLE run_references (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  reference INTEGER NOT NULL REFERENCES provenances (id),
  PRIMARY KEY (run, reference)
) WITHOUT ROWID;
CREATE TABLE run_tallies (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  operator TEXT NOT NULL,
  function TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  PRIMARY KEY (run, operator, function, dtype, outcome)
) WITHOUT ROWID;
)sql";

constexpr char kSelectRuns[] = "SELECT id FROM runs ORDER BY id";
constexpr char kSelectRunCases[] =
    "SELECT case_id, case_hash, function, operator FROM run_cases WHERE run = ? ORDER BY position";
constexpr char kBeforeVerdicts[] = "r.id, r.run, r.stored, p.text, p.device_reference";
constexpr int kBeforeVerdictsCount = 5;
constexpr char kResultColumns[] = "SELECT name FROM pragma_table_info('results') WHERE cid >= 4 ORDER BY cid";
constexpr char kOutputColumns[] =
    "SELECT name FROM pragma_table_info('result_outputs') WHERE cid >= 2 ORDER BY cid";

using OnProgress = std::function<void(const std::string&)>;

// Tells at once, and then every ten seconds, how much of the work is done.
class Progress {
 public:
  Progress(const Connection& connection, OnProgress on_progress)
      : path_(connection.path()), on_progress_(std::move(on_progress)) {}

  void Reached(int64_t done, int64_t all, const char* what) {
    const absl::Time now = absl::Now();
    if (!on_progress_ || now - reported_ < absl::Seconds(10)) return;
    reported_ = now;
    on_progress_(absl::StrFormat("%s: migrating: %d of %d %s, after %.0f s", path_, done, all, what,
                                 absl::ToDoubleSeconds(now - start_)));
  }

 private:
  const std::string path_;
  const OnProgress on_progress_;
  const absl::Time start_ = absl::Now();
  absl::Time reported_ = absl::InfinitePast();
};

// Most verdicts per writer, which remembers them: about as many as an append had.
constexpr int kMostAtOnce = 256;

absl::StatusOr<std::vector<std::string>> ColumnsOf(Connection* connection, const char* sql) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(sql));
  std::vector<std::string> names;
  absl::Status status = ForEachRow(&select, [&](const Statement& row) { names.push_back(row.Text(0)); });
  if (!status.ok()) return status;
  return names;
}

absl::Status CarryRuns(Connection* connection, Progress* progress) {
  std::vector<int64_t> runs;
  {
    ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectRuns));
    absl::Status status = ForEachRow(&select, [&](const Statement& row) { runs.push_back(row.Int(0)); });
    if (!status.ok()) return status;
  }
  int64_t done = 0;
  for (const int64_t run : runs) {
    std::vector<RunCase> cases;
    {
      ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectRunCases));
      select.Bind(run);
      absl::Status status = ForEachRow(&select, [&](const Statement& row) {
        cases.push_back({row.Text(0), row.Text(1), row.Text(2), row.Text(3)});
      });
      if (!status.ok()) return status;
    }
    RETURN_IF_ERROR(GiveSuite(connection, run, cases));
    progress->Reached(++done, std::ssize(runs), "lists of cases");
  }
  return absl::OkStatus();
}

// Goes through the verdicts in the order in which they came.
class Carrier {
 public:
  Carrier(Connection* connection, const std::vector<std::string>& results,
          const std::vector<std::string>& outputs, Progress* progress)
      : connection_(connection),
        progress_(progress),
        results_(*v1::Verdict::descriptor(), results),
        outputs_(*v1::OutputStats::descriptor(), outputs),
        select_results_(
            absl::StrCat("SELECT ", kBeforeVerdicts, ", ", results_.Names("r."),
                         " FROM results r JOIN provenances p ON p.id = r.reference ORDER BY r.id")),
        select_outputs_(absl::StrCat("SELECT ", outputs_.Names(""),
                                     " FROM result_outputs WHERE result = ? ORDER BY ordinal")) {}

  absl::Status Carry() {
    ASSIGN_OR_RETURN(const int64_t all, connection_->QueryInt("SELECT count(*) FROM results"));
    all_ = all;
    // Not kept prepared: their texts do not live as long as the connection.
    ASSIGN_OR_RETURN(OwnStatement results, connection_->PrepareOnce(select_results_));
    ASSIGN_OR_RETURN(OwnStatement outputs, connection_->PrepareOnce(select_outputs_));
    for (;;) {
      ASSIGN_OR_RETURN(const bool more, results.get().Step());
      if (!more) break;
      RETURN_IF_ERROR(CarryOne(results.get(), &outputs.get()));
    }
    return writer_.has_value() ? writer_->Finish() : absl::OkStatus();
  }

 private:
  absl::Status CarryOne(const Statement& row, Statement* outputs) {
    v1::Verdict verdict;
    absl::Status status = results_.Read(row, kBeforeVerdictsCount, &verdict);
    if (!status.ok()) return status;
    verdict.set_reference(row.Text(3));
    verdict.set_device_reference(row.Text(4));
    outputs->Reset();
    outputs->Bind(row.Int(0));
    status = ForEachRow(outputs, [&](const Statement& output) {
      const absl::Status read = outputs_.Read(output, 0, verdict.add_outputs());
      if (!read.ok()) damaged_ = read;
    });
    if (status.ok()) status = damaged_;
    if (status.ok()) status = Turn(row.Int(1), row.Text(2));
    if (!status.ok()) return status;
    const absl::StatusOr<bool> stored = writer_->Insert(verdict);
    ++count_;
    progress_->Reached(++carried_, all_, "verdicts");
    return stored.status();
  }

  // A writer serves one run and one second.
  absl::Status Turn(int64_t run, const std::string& stored) {
    if (writer_.has_value() && run == run_ && stored == stored_ && count_ < kMostAtOnce) {
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(writer_.has_value() ? writer_->Finish() : absl::OkStatus());
    ASSIGN_OR_RETURN(VerdictWriter writer, VerdictWriter::Make(connection_, run, stored));
    writer_.emplace(std::move(writer));
    run_ = run;
    stored_ = stored;
    count_ = 0;
    return absl::OkStatus();
  }

  Connection* connection_;
  Progress* const progress_;
  int64_t all_ = 0;
  int64_t carried_ = 0;
  const MessageColumns results_;
  const MessageColumns outputs_;
  const std::string select_results_;
  const std::string select_outputs_;
  std::optional<VerdictWriter> writer_;
  int64_t run_ = 0;
  std::string stored_;
  int count_ = 0;
  absl::Status damaged_ = absl::OkStatus();
};

}  // namespace

absl::Status MakeVersion1(Connection* connection) {
  return connection->Execute(kVersion1);
}

absl::Status CarryOverVersion1(Connection* connection, const OnProgress& on_progress) {
  ASSIGN_OR_RETURN(const std::vector<std::string> results, ColumnsOf(connection, kResultColumns));
  ASSIGN_OR_RETURN(const std::vector<std::string> outputs, ColumnsOf(connection, kOutputColumns));
  Progress progress(*connection, on_progress);
  absl::Status status = CarryRuns(connection, &progress);
  if (status.ok()) status = Carrier(connection, results, outputs, &progress).Carry();
  if (!status.ok()) return status;
  // In this order: SQLite deletes every row of a table that others refer to before it drops it.
  return connection->Execute("DROP TABLE result_outputs; DROP TABLE results; DROP TABLE run_cases");
}

}  // namespace diopi::server
