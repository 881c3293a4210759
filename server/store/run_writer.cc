// A run's row is inserted under a random id until one is free. Its cases are a row of `suites`, which all
// runs of the same cases share. `alike` names the earlier run whose verdicts most likely say the same:
// verdict_rows.cc stores new verdicts as differences from that run's.
#include "server/store/run_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/status_macros.h"
#include "server/store/quota.h"
#include "server/store/run_rows.h"
#include "server/store/suite_rows.h"

namespace diopi::server {
namespace {

constexpr char kInsertDevice[] =
    "INSERT OR IGNORE INTO devices (chip, vendor_name, impl_version, dialect) VALUES (?, ?, ?, ?)";
constexpr char kSelectDevice[] =
    "SELECT id FROM devices WHERE chip = ? AND vendor_name = ? AND impl_version = ? AND dialect = ?";
constexpr char kInsertRun[] = R"sql(
INSERT OR IGNORE INTO runs
  (run_id, device, impl_sha256, suite_hash, contracts, repeat, shuffle_seed, impl_path, agent_version, host,
   timeout_s, created, cases, options, environment, adaptor, alive_until, owner, exploration)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql";
constexpr int kExplorationValue = 19;  // the last
constexpr char kSelectOfOwner[] =
    "SELECT count(*) FILTER (WHERE state IN ('queued', 'running')), ifnull(sum(bytes), 0) FROM runs "
    "WHERE owner = ?";
constexpr char kUpdateOptions[] = "UPDATE runs SET options = ? WHERE id = ?";
constexpr char kInsertFunction[] = "INSERT OR IGNORE INTO run_functions (run, function) VALUES (?, ?)";
constexpr char kGiveSuite[] = "UPDATE runs SET suite = ?, alike = ? WHERE id = ?";
// Prefers a run of the same cases, then of the same chip, then a finished one, then the newest. Explorations
// have no cases. Migration uses this on files that have no column `exploration` yet.
constexpr char kSelectAlike[] = R"sql(
SELECT r.id FROM runs r JOIN devices d ON d.id = r.device
     CROSS JOIN (SELECT d.chip FROM runs n JOIN devices d ON d.id = n.device WHERE n.id = ?1) mine
WHERE r.id < ?1 AND r.suite IS NOT NULL AND r.cases > 0
ORDER BY r.suite = ?2 DESC, d.chip = mine.chip DESC, r.state = 'finished' DESC, r.id DESC LIMIT 1)sql";
constexpr char kAdopt[] = R"sql(
UPDATE runs SET state = 'running', device = ?, impl_sha256 = ?, impl_path = ?, agent_version = ?, host = ?,
  contracts = ?, options = ?, environment = ?, adaptor = ?
WHERE id = ? AND state = 'queued')sql";

// Ids of one second differ in 16 random bits; more runs than this in one second are not expected.
constexpr int kIdAttempts = 64;

std::string NewRunId(const absl::Time now, std::random_device* entropy) {
  return absl::StrCat(absl::FormatTime("%Y%m%d-%H%M%S", now, absl::UTCTimeZone()), "-",
                      absl::Hex((*entropy)() & 0xffffU, absl::kZeroPad4));
}

absl::StatusOr<int64_t> DeviceId(Connection* connection, const v1::RunOptions& options) {
  ASSIGN_OR_RETURN(Statement insert, connection->Prepare(kInsertDevice));
  insert.Bind(options.chip(), options.vendor_name(), options.impl_version(), options.dialect());
  RETURN_IF_ERROR(insert.Run().status());
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectDevice));
  select.Bind(options.chip(), options.vendor_name(), options.impl_version(), options.dialect());
  RETURN_IF_ERROR(select.Step().status());
  return select.Int(0);
}

absl::StatusOr<int64_t> InsertRunRow(Connection* connection, const v1::RunOptions& options,
                                     const std::string& suite_hash, int64_t cases, const std::string& created,
                                     std::random_device* entropy, const std::string& alive_until) {
  ASSIGN_OR_RETURN(const int64_t device, DeviceId(connection, options));
  const std::string contracts = ContractsColumn(options);
  const std::string blob = OptionsColumn(options);
  const std::string environment = EnvironmentColumn(options);
  const std::string adaptor = AdaptorColumn(options);
  for (int attempt = 0; attempt < kIdAttempts; ++attempt) {
    const std::string id = NewRunId(absl::Now(), entropy);
    ASSIGN_OR_RETURN(Statement insert, connection->Prepare(kInsertRun));
    insert.Bind(id, device, options.impl_sha256(), suite_hash, contracts, options.repeat(),
                options.shuffle_seed(), options.impl_path(), options.agent_version(), options.host(),
                options.timeout_s(), created, cases, blob, environment, adaptor, alive_until,
                options.owner());
    if (options.has_exploration()) {
      insert.BindBytes(kExplorationValue, "");
    } else {
      insert.BindNull(kExplorationValue);
    }
    ASSIGN_OR_RETURN(const int inserted, insert.Run());
    if (inserted > 0) return connection->LastInsertRowid();
  }
  return absl::InternalError(absl::StrCat(connection->path(), ": no free run id was found"));
}

absl::Status InsertFunctions(Connection* connection, int64_t run, const v1::RunOptions& options) {
  ASSIGN_OR_RETURN(Statement insert, connection->Prepare(kInsertFunction));
  for (const std::string& function : options.implemented()) {
    insert.Bind(run, function);
    RETURN_IF_ERROR(insert.Run().status());
  }
  return absl::OkStatus();
}

// A submitted run's options with the library of the agent that took it.
v1::RunOptions Merged(v1::RunOptions options, const v1::RunOptions& library) {
  options.set_impl_path(library.impl_path());
  options.set_impl_sha256(library.impl_sha256());
  options.set_vendor_name(library.vendor_name());
  options.set_impl_version(library.impl_version());
  options.set_dialect(library.dialect());
  options.set_agent_version(library.agent_version());
  options.set_host(library.host());
  *options.mutable_machine() = library.machine();
  options.set_sandbox(library.sandbox());
  *options.mutable_sandboxed() = library.sandboxed();
  *options.mutable_implemented() = library.implemented();
  if (library.has_profile()) *options.mutable_profile() = library.profile();
  // The agent's profile adds its contracts to those that were asked for.
  for (const std::string& contract : library.contracts()) {
    const auto& known = options.contracts();
    if (std::find(known.begin(), known.end(), contract) == known.end()) options.add_contracts(contract);
  }
  const std::string cases_folder = options.command().cases_folder();
  *options.mutable_command() = library.command();
  options.mutable_command()->set_cases_folder(cases_folder);
  return options;
}

}  // namespace

absl::Status GiveSuite(Connection* connection, int64_t run, absl::Span<const RunCase> cases,
                       const StillWanted& still_wanted) {
  ASSIGN_OR_RETURN(const int64_t suite, SuiteOf(connection, cases, still_wanted));
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectAlike));
  select.Bind(run, suite);
  ASSIGN_OR_RETURN(const bool row, select.Step());
  const int64_t alike = row ? select.Int(0) : 0;
  ASSIGN_OR_RETURN(Statement update, connection->Prepare(kGiveSuite));
  update.Bind(suite, alike, run);
  return update.Run().status();
}

absl::StatusOr<int64_t> InsertRun(Connection* connection, const v1::RunOptions& options,
                                  const std::string& suite_hash, absl::Span<const RunCase> cases,
                                  const std::string& created, std::random_device* entropy,
                                  const std::string& alive_until, const StillWanted& still_wanted) {
  ASSIGN_OR_RETURN(int64_t run,
                   InsertRunRow(connection, options, suite_hash, static_cast<int64_t>(cases.size()), created,
                                entropy, alive_until));
  absl::Status status = GiveSuite(connection, run, cases, still_wanted);
  if (status.ok()) status = InsertFunctions(connection, run, options);
  if (status.ok())
    status = WriteLabels(connection, run, Labels(options.labels().begin(), options.labels().end()));
  if (!status.ok()) return status;
  return run;
}

absl::Status Adopt(Connection* connection, int64_t run, const v1::RunOptions& library) {
  ASSIGN_OR_RETURN(const v1::RunInfo info, ReadRunInfo(connection, run));
  const v1::RunOptions options = Merged(info.options(), library);
  ASSIGN_OR_RETURN(const int64_t device, DeviceId(connection, options));
  ASSIGN_OR_RETURN(Statement update, connection->Prepare(kAdopt));
  const std::string blob = OptionsColumn(options);
  const std::string contracts = ContractsColumn(options);
  const std::string environment = EnvironmentColumn(options);
  const std::string adaptor = AdaptorColumn(options);
  update.Bind(device, options.impl_sha256(), options.impl_path(), options.agent_version(), options.host(),
              contracts, blob, environment, adaptor, run);
  ASSIGN_OR_RETURN(const int updated, update.Run());
  if (updated == 0)
    return absl::FailedPreconditionError(absl::StrCat("run ", info.run_id(), " is not queued"));
  return InsertFunctions(connection, run, options);
}

absl::Status CheckQuota(Connection* connection, const std::string& owner, const Quota& quota) {
  if (quota.open_runs <= 0 && quota.bytes <= 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectOfOwner));
  select.Bind(owner);
  RETURN_IF_ERROR(select.Step().status());
  const int64_t open = select.Int(0);
  const int64_t bytes = select.Int(1);
  if (quota.open_runs > 0 && open >= quota.open_runs) {
    return QuotaError(absl::StrCat("'", owner, "' has ", open, " runs that are queued or running; ",
                                   quota.open_runs,
                                   " are allowed (--max-open-runs): finish or cancel some first"));
  }
  if (quota.bytes > 0 && bytes >= quota.bytes) {
    return QuotaError(absl::StrFormat(
        "the results of '%s' take %.1f MiB; %.1f MiB are allowed (--max-owner-results-mib): have the "
        "server's administrator remove some runs (diopi-cli prune)",
        owner, static_cast<double>(bytes) / (1 << 20), static_cast<double>(quota.bytes) / (1 << 20)));
  }
  return absl::OkStatus();
}

absl::Status WriteAborted(Connection* connection, int64_t run, const v1::Finding& why) {
  ASSIGN_OR_RETURN(v1::RunInfo info, ReadRunRow(connection, run));
  info.mutable_options()->clear_abort_reason();
  info.mutable_options()->clear_aborted();
  if (why.code() != v1::Finding::CODE_UNSPECIFIED) *info.mutable_options()->mutable_aborted() = why;
  ASSIGN_OR_RETURN(Statement update, connection->Prepare(kUpdateOptions));
  const std::string blob = OptionsColumn(info.options());
  update.Bind(blob, run);
  return update.Run().status();
}

}  // namespace diopi::server
