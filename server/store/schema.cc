// A new file goes through the same steps as an old one, so both end with the same tables. A released step is
// never edited, because files that took it would then differ from new ones: every change is a further step.
// The file's application id is checked before anything is written, so that another program's database is
// never migrated.
#include "server/store/schema.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/status_macros.h"
#include "diopi/v1/run.pb.h"
#include "server/store/database.h"
#include "server/store/run_bytes.h"
#include "server/store/version_1.h"

namespace diopi::server {
namespace {

using OnProgress = std::function<void(const std::string&)>;

constexpr int64_t kApplicationId = 0x44494f52;  // "DIOR": results of DIOPI

// The tables that replace run_cases, results and result_outputs in version 2: what runs repeat is stored
// once.
constexpr char kVersion2[] = R"sql(
CREATE TABLE cases (                  -- in one version each, whatever runs cover them
  id INTEGER PRIMARY KEY,
  case_id TEXT NOT NULL,
  case_hash TEXT NOT NULL,
  function TEXT NOT NULL,
  operator TEXT NOT NULL
);
CREATE INDEX cases_by_id ON cases (case_id);
CREATE TABLE suites (                 -- the cases that runs cover, in their order
  id INTEGER PRIMARY KEY,
  content TEXT NOT NULL UNIQUE,       -- a hash of all that is stored of the cases
  cases INTEGER NOT NULL
);
CREATE TABLE suite_cases (
  suite INTEGER NOT NULL REFERENCES suites (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  case_row INTEGER NOT NULL REFERENCES cases (id),
  PRIMARY KEY (suite, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX suite_cases_by_case ON suite_cases (suite, case_row);
ALTER TABLE runs ADD COLUMN suite INTEGER REFERENCES suites (id);
ALTER TABLE runs ADD COLUMN alike INTEGER;
CREATE TABLE run_tags (               -- runs that people named; they are kept
  tag TEXT PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE contents (               -- what verdicts say (verdict_rows.h); never updated
  id INTEGER PRIMARY KEY,
  base INTEGER REFERENCES contents (id),
  body BLOB NOT NULL
);
CREATE TABLE verdicts (               -- never updated
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  case_row INTEGER NOT NULL REFERENCES cases (id),
  outcome INTEGER NOT NULL,
  content INTEGER NOT NULL REFERENCES contents (id),
  reference INTEGER NOT NULL REFERENCES provenances (id),
  call_time,                          -- INTEGER: nanoseconds; REAL: microseconds; NULL: not measured
  elapsed_time,                       -- the same
  device_index INTEGER,
  PRIMARY KEY (run, case_row)
) WITHOUT ROWID;
-- Nearly all verdicts are passes, which cost nothing here.
CREATE INDEX verdicts_not_passed ON verdicts (run, outcome, case_row) WHERE outcome <> 1;
CREATE TRIGGER verdicts_are_final BEFORE UPDATE ON verdicts
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
CREATE TRIGGER contents_are_final BEFORE UPDATE ON contents
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
CREATE TABLE appends (                -- which verdicts came when
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  last INTEGER NOT NULL,              -- so many verdicts the run had then
  stored TEXT NOT NULL,               -- RFC 3339, UTC
  case_rows BLOB NOT NULL,            -- of these, in their order: zigzag varints, differences
  PRIMARY KEY (run, last)
) WITHOUT ROWID;
)sql";

constexpr char kVersion3[] = R"sql(
CREATE TABLE measurements (           -- how fast a run's calls were; never updated
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  case_id TEXT NOT NULL,              -- of the call at its true size, which need not be a case of the run
  body BLOB NOT NULL,                 -- diopi.v1.Measurement
  PRIMARY KEY (run, case_id)
) WITHOUT ROWID;
CREATE TABLE run_machines (           -- the machine as such a run measured it
  run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  body BLOB NOT NULL                  -- diopi.v1.MachineFacts
);
)sql";

constexpr char kVersion4[] = R"sql(
CREATE TABLE run_labels (             -- what a run is about: commit, branch, ticket, ... (labels.h)
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, key)
) WITHOUT ROWID;
)sql";

constexpr char kVersion5[] = R"sql(
ALTER TABLE runs ADD COLUMN exploration BLOB;  -- diopi.v1.Exploration; NULL: a run of cases
ALTER TABLE runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';  -- the token's name, as RunOptions.owner
ALTER TABLE runs ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;  -- that its rows take, approximately
CREATE INDEX runs_by_owner ON runs (owner);
)sql";

absl::Status MakeVersion5(Connection* connection, const OnProgress&) {
  absl::Status status = connection->Execute(kVersion5);
  if (!status.ok()) return status;
  std::vector<std::pair<int64_t, std::string>> owners;
  {
    ASSIGN_OR_RETURN(Statement select, connection->Prepare("SELECT id, options FROM runs ORDER BY id"));
    status = ForEachRow(&select, [&](const Statement& row) {
      v1::RunOptions options;  // CheckDatabase reports a damaged one
      owners.emplace_back(row.Int(0), options.ParseFromString(row.Text(1)) ? options.owner() : "");
    });
    if (!status.ok()) return status;
  }
  std::vector<bool> counted;
  for (const auto& [run, owner] : owners) {
    ASSIGN_OR_RETURN(const StoredBytes count, CountBytes(connection, run, &counted));
    ASSIGN_OR_RETURN(Statement update,
                     connection->Prepare("UPDATE runs SET owner = ?, bytes = ? WHERE id = ?"));
    update.Bind(owner, count.bytes, run);
    RETURN_IF_ERROR(update.Run().status());
  }
  return absl::OkStatus();
}

absl::Status MakeVersion4(Connection* connection, const OnProgress&) {
  return connection->Execute(kVersion4);
}

absl::Status MakeVersion3(Connection* connection, const OnProgress&) {
  return connection->Execute(kVersion3);
}

absl::Status MakeVersion2(Connection* connection, const OnProgress& on_progress) {
  absl::Status status = connection->Execute(kVersion2);
  return status.ok() ? CarryOverVersion1(connection, on_progress) : status;
}

absl::Status MakeTables(Connection* connection, const OnProgress&) {
  return MakeVersion1(connection);
}

// Step i brings version i to i+1; version 0 is an empty file.
constexpr std::array<absl::Status (*)(Connection*, const OnProgress&), kSchemaVersion> kMigrations = {
    MakeTables, MakeVersion2, MakeVersion3, MakeVersion4, MakeVersion5};

absl::StatusOr<int64_t> VersionOf(Connection* connection) {
  ASSIGN_OR_RETURN(const int64_t version, connection->QueryInt("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const int64_t application, connection->QueryInt("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t objects, connection->QueryInt("SELECT count(*) FROM sqlite_master"));
  if (application != kApplicationId && (objects > 0 || version != 0)) {
    return absl::DataLossError(
        absl::StrCat(connection->path(),
                     ": not a results database: it belongs to another program, or to a development version "
                     "from before the first release"));
  }
  if (version > kSchemaVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat(connection->path(), ": written by a newer program: its schema is version ", version,
                     ", this program knows up to version ", kSchemaVersion));
  }
  return version;
}

// "12.3 of its 40.5 MB".
std::string UsedText(Connection* connection) {
  const int64_t page = connection->QueryInt("PRAGMA page_size").value_or(0);
  const int64_t pages = connection->QueryInt("PRAGMA page_count").value_or(0);
  const int64_t free = connection->QueryInt("PRAGMA freelist_count").value_or(0);
  return absl::StrFormat("%.1f of its %.1f MB", static_cast<double>((pages - free) * page) * 1e-6,
                         static_cast<double>(pages * page) * 1e-6);
}

}  // namespace

absl::Status Migrate(Connection* connection, const std::function<void(const std::string&)>& on_progress,
                     const std::function<void(int64_t)>& before_step) {
  absl::StatusOr<int64_t> version = VersionOf(connection);
  if (!version.ok()) return version.status();
  if (*version == kSchemaVersion) return absl::OkStatus();
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection));
  // Again, now that nobody else can be migrating.
  version = VersionOf(connection);
  if (!version.ok()) return version.status();
  const int64_t from = *version;
  const bool reporting = on_progress && from > 0 && from < kSchemaVersion;
  if (reporting) {
    on_progress(absl::StrCat(connection->path(), ": migrating its schema from version ", from, " to ",
                             kSchemaVersion, "; ", UsedText(connection),
                             " are in use; the file does not change until the migration is complete"));
  }
  for (int64_t step = from; step < kSchemaVersion; ++step) {
    if (before_step) before_step(step);
    RETURN_IF_ERROR(
        kMigrations[static_cast<size_t>(step)](connection, reporting ? on_progress : OnProgress()));
  }
  absl::Status status = connection->Execute(
      absl::StrCat("PRAGMA application_id = ", kApplicationId, "; PRAGMA user_version = ", kSchemaVersion));
  if (!status.ok()) return status;
  if (before_step) before_step(kSchemaVersion);
  status = transaction.Commit();
  if (status.ok() && reporting) {
    on_progress(absl::StrFormat(
        "%s: migrated to version %d in %.1f s; %s are in use; diopi-cli vacuum returns unused space",
        connection->path(), kSchemaVersion, absl::ToDoubleSeconds(absl::Now() - start),
        UsedText(connection)));
  }
  return status;
}

absl::Status CheckSchema(Connection* connection) {
  ASSIGN_OR_RETURN(const int64_t version, VersionOf(connection));
  if (version < kSchemaVersion) {
    return absl::FailedPreconditionError(absl::StrCat(connection->path(), ": its schema is version ", version,
                                                      ", this program reads version ", kSchemaVersion,
                                                      "; start a server on it once to migrate it"));
  }
  return absl::OkStatus();
}

}  // namespace diopi::server
