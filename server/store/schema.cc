#include "server/store/schema.h"

#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/store/database.h"
#include "server/store/verdict_rows.h"

namespace diopi::server {
namespace {

constexpr int64_t kApplicationId = 0x44494f52;  // "DIOR": results of DIOPI

constexpr char kRunTables[] = R"sql(
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
)sql";

// A verdict's own fields are the columns between these.
constexpr char kResults[] = R"sql(
CREATE TABLE results (                -- never updated
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  reference INTEGER NOT NULL REFERENCES provenances (id),
  stored TEXT NOT NULL,               -- RFC 3339, UTC
)sql";
constexpr char kEndOfResults[] = R"sql(,
  UNIQUE (run, case_id),
  FOREIGN KEY (run, case_id) REFERENCES run_cases (run, case_id) ON DELETE CASCADE
);
CREATE TRIGGER results_are_final BEFORE UPDATE ON results
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
CREATE INDEX results_by_outcome ON results (run, outcome);
-- The failures alone (reports/model/outcome.h): the others cost nothing at an append.
CREATE INDEX results_failed ON results (run, case_id, outcome, case_hash) WHERE outcome IN (2, 3, 6, 7, 8, 9);
CREATE TABLE result_outputs (
  result INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
)sql";
constexpr char kEndOfOutputs[] = R"sql(,
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

// Brings version 0, an empty file, to version 1. Never edit what was released: add a step, whatever it
// changes.
std::string FirstStep() {
  return absl::StrCat(kRunTables, kResults, VerdictColumns().Definitions(), kEndOfResults,
                      OutputColumns().Definitions(), kEndOfOutputs);
}

// Step i brings version i to i+1.
constexpr std::array<std::string (*)(), kSchemaVersion> kMigrations = {FirstStep};

absl::StatusOr<int64_t> VersionOf(Connection* connection) {
  const absl::StatusOr<int64_t> version = connection->QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  const absl::StatusOr<int64_t> application = connection->QueryInt("PRAGMA application_id");
  if (!application.ok()) return application.status();
  const absl::StatusOr<int64_t> objects = connection->QueryInt("SELECT count(*) FROM sqlite_master");
  if (!objects.ok()) return objects.status();
  if (*application != kApplicationId && (*objects > 0 || *version != 0)) {
    return absl::DataLossError(
        absl::StrCat(connection->path(),
                     ": not a results database: it belongs to another program, or to a development version "
                     "from before the first release"));
  }
  if (*version > kSchemaVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat(connection->path(), ": written by a newer program: its schema is version ", *version,
                     ", this program knows up to version ", kSchemaVersion));
  }
  return *version;
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
    const absl::Status status = connection->Execute(kMigrations[static_cast<size_t>(step)]());
    if (!status.ok()) return status;
  }
  absl::Status status = connection->Execute(
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
