#include "server/store/schema.h"

#include <array>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "diopi/v1/service.pb.h"
#include "server/store/database.h"
#include "server/store/run_rows.h"

namespace diopi::server {
namespace {

constexpr int64_t kApplicationId = 0x44494f50;  // "DIOP"

// Step i brings version i to i+1. Never edit a step that was released: add one.
constexpr std::array<const char*, kSchemaVersion> kMigrations = {
    R"sql(
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
  text TEXT NOT NULL UNIQUE
);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  -- identity: what makes two runs comparable
  device INTEGER NOT NULL REFERENCES devices (id),
  impl_sha256 TEXT NOT NULL,
  suite_hash TEXT NOT NULL,
  contracts TEXT NOT NULL,            -- comma-separated
  repeat INTEGER NOT NULL,
  shuffle_seed INTEGER NOT NULL,
  -- descriptive
  impl_path TEXT NOT NULL,
  agent_version TEXT NOT NULL,
  host TEXT NOT NULL,
  timeout_s REAL NOT NULL,
  created TEXT NOT NULL,              -- RFC 3339, UTC
  finished TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'finished', 'aborted')),
  cases INTEGER NOT NULL,
  options BLOB NOT NULL               -- diopi.v1.RunOptions, as it was asked for
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
  case_id TEXT NOT NULL,
  case_hash TEXT NOT NULL,
  function TEXT NOT NULL,
  operator TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  reason TEXT NOT NULL,
  reference INTEGER NOT NULL REFERENCES provenances (id),
  call_us REAL,
  calls INTEGER NOT NULL,
  signal TEXT NOT NULL,
  backtrace TEXT NOT NULL,
  error_code INTEGER NOT NULL,
  error_text TEXT NOT NULL,
  tensor_info TEXT NOT NULL,
  tags TEXT NOT NULL,
  stored TEXT NOT NULL,               -- RFC 3339, UTC
  UNIQUE (run, case_id),
  FOREIGN KEY (run, case_id) REFERENCES run_cases (run, case_id) ON DELETE CASCADE
);
CREATE TRIGGER results_are_final BEFORE UPDATE ON results
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
CREATE INDEX results_by_outcome ON results (run, outcome);
CREATE TABLE result_outputs (
  result INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  key TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  shape TEXT NOT NULL,                -- "2,3"
  ok INTEGER NOT NULL,
  gates TEXT NOT NULL,
  elements INTEGER NOT NULL,
  mismatches INTEGER NOT NULL,
  soft INTEGER NOT NULL,
  max_ulp REAL, max_z REAL, rms_z REAL, max_abs REAL, max_rel REAL,  -- NULL: NaN
  rmse REAL, rmse_ideal REAL, bias REAL, radial_bias REAL,
  nan_actual INTEGER NOT NULL,
  inf_actual INTEGER NOT NULL,
  flushed INTEGER NOT NULL,
  zero_fraction REAL,
  detail TEXT NOT NULL,
  peer_ok INTEGER NOT NULL,
  peer_mismatch_ratio REAL,
  extra BLOB NOT NULL,                -- diopi.v1.OutputStats with ulp_histogram and first alone
  PRIMARY KEY (result, ordinal)
) WITHOUT ROWID;
)sql",
    // Contracts, the likely cause, and the statistics of the gates R and B and of the device reference.
    R"sql(
ALTER TABLE results ADD COLUMN contracts TEXT NOT NULL DEFAULT '';      -- comma-separated
ALTER TABLE results ADD COLUMN likely_cause TEXT NOT NULL DEFAULT '';
ALTER TABLE result_outputs ADD COLUMN noise_groups INTEGER NOT NULL DEFAULT 0;
ALTER TABLE result_outputs ADD COLUMN argmax INTEGER NOT NULL DEFAULT -1;
ALTER TABLE result_outputs ADD COLUMN leaning INTEGER NOT NULL DEFAULT 0;
ALTER TABLE result_outputs ADD COLUMN rms_z_device REAL DEFAULT 0;      -- NULL: NaN
ALTER TABLE result_outputs ADD COLUMN rmse_device REAL DEFAULT 0;
ALTER TABLE result_outputs ADD COLUMN rmse_ratio REAL DEFAULT 0;
ALTER TABLE result_outputs ADD COLUMN grade TEXT NOT NULL DEFAULT '';
ALTER TABLE result_outputs ADD COLUMN digest TEXT NOT NULL DEFAULT '';
)sql",
    // Submitted runs and the agents that do them. SQLite has no statement that changes a CHECK; editing its
    // text is the documented way (lang_altertable.html, section 7), as the rows it admits only become more.
    R"sql(
ALTER TABLE runs ADD COLUMN submission BLOB;                            -- diopi.v1.Submission; NULL: none
CREATE TABLE agents (
  agent_id TEXT PRIMARY KEY,
  facts BLOB NOT NULL,                                                  -- diopi.v1.AgentFacts
  seen TEXT NOT NULL                                                    -- RFC 3339, UTC
) WITHOUT ROWID;
PRAGMA writable_schema = ON;
UPDATE sqlite_master
SET sql = replace(sql, 'IN (''running'', ''finished'', ''aborted'')',
                  'IN (''queued'', ''running'', ''finished'', ''aborted'')')
WHERE type = 'table' AND name = 'runs';
PRAGMA writable_schema = RESET;
)sql",
    // Which card a case ran on, and how long it took: the next run's batches are sized by that.
    R"sql(
ALTER TABLE results ADD COLUMN device_index INTEGER NOT NULL DEFAULT -1;  -- -1: none was named
ALTER TABLE results ADD COLUMN elapsed_us REAL NOT NULL DEFAULT 0;
)sql",
    // What the verdicts of a run that is over come to, so that lists of runs need not count them (totals.h,
    // which also fills these for runs that were over before). A run has these rows when it has one in
    // run_totals.
    R"sql(
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
-- The failures alone (reports/model/outcome.h): the others cost nothing at an append.
CREATE INDEX results_failed ON results (run, case_id, outcome, case_hash) WHERE outcome IN (2, 3, 6, 7, 8, 9);
)sql",
    // What else makes two runs comparable: the profile's variables, which runs from before did not record,
    // and what converts tensors before the library (KeepAdaptors).
    R"sql(
ALTER TABLE runs ADD COLUMN environment TEXT NOT NULL DEFAULT '';       -- NAME=VALUE a line, escaped as in C
ALTER TABLE runs ADD COLUMN adaptor TEXT NOT NULL DEFAULT '';           -- a rule a line, in words
)sql",
};

absl::StatusOr<int64_t> VersionOf(Connection* connection) {
  const absl::StatusOr<int64_t> version = connection->QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  const absl::StatusOr<int64_t> application = connection->QueryInt("PRAGMA application_id");
  if (!application.ok()) return application.status();
  const absl::StatusOr<int64_t> objects = connection->QueryInt("SELECT count(*) FROM sqlite_master");
  if (!objects.ok()) return objects.status();
  if (*application != kApplicationId && (*objects > 0 || *version != 0)) {
    return absl::DataLossError(
        absl::StrCat(connection->path(), ": not a results database: it belongs to another program"));
  }
  if (*version > kSchemaVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat(connection->path(), ": written by a newer program: its schema is version ", *version,
                     ", this program knows up to version ", kSchemaVersion));
  }
  return *version;
}

// Runs of before schema 6 have their adaptor's rules in `options` alone.
absl::Status KeepAdaptors(Connection* connection) {
  absl::StatusOr<Statement> select = connection->Prepare("SELECT id, options FROM runs WHERE adaptor = ''");
  if (!select.ok()) return select.status();
  std::map<int64_t, std::string> adaptors;
  absl::Status status = ForEachRow(&*select, [&adaptors](const Statement& row) {
    v1::RunOptions options;  // CheckDatabase tells of a damaged one
    if (!options.ParseFromString(row.Text(1)) || options.profile().adaptor().empty()) return;
    adaptors[row.Int(0)] = AdaptorColumn(options);
  });
  for (const auto& [run, adaptor] : adaptors) {
    absl::StatusOr<Statement> update = connection->Prepare("UPDATE runs SET adaptor = ? WHERE id = ?");
    if (!update.ok()) return update.status();
    update->Bind(adaptor, run);
    status.Update(update->Run().status());
  }
  return status;
}

}  // namespace

absl::Status Migrate(Connection* connection, const std::function<void(int64_t)>& before_step) {
  absl::StatusOr<int64_t> version = VersionOf(connection);
  if (!version.ok()) return version.status();
  if (*version == kSchemaVersion) return absl::OkStatus();
  absl::StatusOr<Transaction> transaction = Transaction::Begin(connection);
  if (!transaction.ok()) return transaction.status();
  // Again, now that nobody else can be migrating.
  version = VersionOf(connection);
  if (!version.ok()) return version.status();
  for (int64_t step = *version; step < kSchemaVersion; ++step) {
    if (before_step) before_step(step);
    absl::Status status = connection->Execute(kMigrations[step]);
    if (!status.ok()) return status;
  }
  absl::Status status = KeepAdaptors(connection);
  if (!status.ok()) return status;
  status = connection->Execute(
      absl::StrCat("PRAGMA application_id = ", kApplicationId, "; PRAGMA user_version = ", kSchemaVersion));
  if (!status.ok()) return status;
  if (before_step) before_step(kSchemaVersion);
  return transaction->Commit();
}

absl::Status CheckSchema(Connection* connection) {
  const absl::StatusOr<int64_t> version = VersionOf(connection);
  if (!version.ok()) return version.status();
  if (*version < kSchemaVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        connection->path(), ": its schema is version ", *version, ", this program reads version ",
        kSchemaVersion, "; start a server on it once to migrate it"));
  }
  return absl::OkStatus();
}

}  // namespace diopi::server
