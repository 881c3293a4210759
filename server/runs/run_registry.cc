// A run in memory can be rebuilt from the database at any time: cases from the stored selection, the
// scheduler from the cases without a verdict. A restarted server therefore knows a run as soon as an agent
// asks about it. Resuming compares what identifies the run (chip, library, cases, contracts, profile) and
// names what differs, because verdicts of two configurations must not share a run.
#include "server/runs/run_registry.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <random>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/contract.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "cases/findings/describe.h"
#include "proto/enum_name.h"
#include "server/scheduler/shard.h"
#include "server/store/labels.h"
#include "server/store/run_state.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

// Agents renew what they hold three times per lease (client/agent/session.cc). A run is stalled when nobody
// has called for kSilentLeases leases: all have long expired.
constexpr int kSignsALease = 6;
constexpr int kSilentLeases = 3;

absl::Status CheckOptions(const v1::RunOptions& options) {
  if (options.repeat() < 0) {
    return absl::InvalidArgumentError(absl::StrCat("repeat is ", options.repeat(), "; expected 0 or more"));
  }
  if (!(options.timeout_s() >= 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the timeout is ", options.timeout_s(), " s; expected 0 or more"));
  }
  const bool sharded = options.shard_count() > 0 || options.shard_index() > 0;
  if (sharded && options.shard_index() >= options.shard_count()) {
    return absl::InvalidArgumentError(absl::StrCat("there is no shard ", options.shard_index(), " of ",
                                                   options.shard_count(), "; shards count from 0"));
  }
  return absl::OkStatus();
}

// An exploration has no cases, but an unknown function is refused like a run's.
absl::Status CheckExploration(const v1::RunOptions& options, const cases::Catalog& catalog) {
  const v1::ExplorationOptions& asked = options.exploration();
  const bool bounded = asked.calls() > 0 || asked.seconds() > 0;
  if (!bounded || asked.calls() < 0 || !(asked.seconds() >= 0) || !std::isfinite(asked.seconds())) {
    return absl::InvalidArgumentError(absl::StrCat("an exploration of ", asked.calls(), " calls and ",
                                                   asked.seconds(),
                                                   " s; expected a number of calls or a time above 0"));
  }
  const v1::Selection& selection = options.selection();
  if (!selection.cases().empty() || !selection.suite().empty() || options.shard_count() > 0) {
    return absl::InvalidArgumentError(
        "an exploration makes calls of its own: it takes functions and dtypes, but no cases, suite or shard");
  }
  // Unknown functions are found before the first visit.
  const absl::Status visited = catalog.VisitOperators(
      selection, [](const std::vector<v1::Case>&) { return absl::CancelledError("all are known"); });
  return absl::IsCancelled(visited) ? absl::OkStatus() : visited;
}

std::string ContractText(const v1::RunOptions& options) {
  const std::set<std::string> names(options.contracts().begin(), options.contracts().end());
  return names.empty() ? "none" : absl::StrJoin(names, ",");
}

absl::Status CheckSame(const std::string& run_id, const std::string& what, const std::string& was,
                       const std::string& is) {
  if (was == is) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("run ", run_id, " cannot be resumed with another ", what,
                                                    ": it was created with '", was, "', this is '", is, "'"));
}

// An exploration that is over is not continued: its result is final.
absl::Status CheckKind(const v1::RunInfo& info, const v1::RunOptions& options) {
  if (info.options().has_exploration() != options.has_exploration()) {
    const char* text = options.has_exploration()
                           ? " is no exploration"
                           : " is an exploration, which cannot be resumed; start another with --explore";
    return absl::FailedPreconditionError(absl::StrCat("run ", info.run_id(), text));
  }
  if (!options.has_exploration() || !IsOver(info.state())) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("exploration ", info.run_id(), " is ", EnumName(info.state()), ": start another"));
}

// The reason for its abort no longer holds.
RunChange Reopening(const v1::RunInfo& info) {
  RunChange change{.state = v1::RUN_STATE_RUNNING};
  if (AbortReason(info.options()).code() != v1::Finding::CODE_UNSPECIFIED) change.aborted = v1::Finding();
  if (!info.has_submission() || info.state() != v1::RUN_STATE_ABORTED) return change;
  change.submission = info.submission();
  change.submission->clear_note();
  change.submission->clear_exit_code();
  return change;
}

}  // namespace

absl::StatusOr<v1::Case> ActiveRun::CaseAt(size_t index) const {
  v1::Case c;
  if (index >= cases.size() || !c.ParseFromString(cases.at(index).serialized)) {
    return absl::InternalError(absl::StrCat("run ", run_id, " has no case number ", index));
  }
  return c;
}

absl::StatusOr<RunCases> RunRegistry::SelectCases(const v1::RunOptions& options, const StillWanted& wanted,
                                                  std::string* whole_hash) {
  if (options.has_exploration()) {
    ASSIGN_OR_RETURN(const cases::Catalog* catalog, catalog_->Get());
    RETURN_IF_ERROR(CheckExploration(options, *catalog));
    return RunCases{std::make_shared<SuiteList>(), {}};
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const SuiteList> list, suites_.Get(options.selection(), wanted));
  RunCases selected{std::move(list), {}};
  for (size_t i = 0; i < selected.list->cases.size(); ++i) {
    const std::string& id = selected.list->cases[i].row.case_id;
    const bool other_shard =
        options.shard_count() > 1 && ShardOf(id, options.shard_count()) != options.shard_index();
    if (!other_shard) selected.positions.push_back(static_cast<uint32_t>(i));
  }
  *whole_hash = selected.list->hash;
  return selected;
}

std::set<std::string> RunRegistry::WithoutBaseline(const RunCases& cases) {
  std::set<std::string> without;
  std::string of;  // the cases of an operator stand together
  absl::StatusOr<std::shared_ptr<const OpenBaseline>> open = absl::NotFoundError("not opened yet");
  for (size_t i = 0; i < cases.size(); ++i) {
    const PackedCase& c = cases.at(i);
    if (c.library_check || without.contains(c.row.op)) continue;
    if (c.row.op != of) open = baselines_->Get(of = c.row.op);
    if (!open.ok() || (*open)->reader->HashOf(c.row.case_id) != c.row.case_hash) without.insert(of);
  }
  return without;
}

v1::CreateRunResponse RunRegistry::Describe(const v1::RunInfo& info, const ActiveRun& run) {
  v1::CreateRunResponse response;
  response.set_run_id(info.run_id());
  response.set_cases(info.cases());
  response.set_done(info.done());
  response.set_suite_hash(info.suite_hash());
  for (const std::string& name : WithoutBaseline(run.cases)) response.add_without_baseline(name);
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  for (size_t i = 0; i < run.cases.size(); ++i) {
    const RunCase& row = run.cases.at(i).row;
    ++counts[{row.op, row.function}];
  }
  for (const auto& [function, number] : counts) {
    v1::CreateRunResponse::Function& entry = *response.add_functions();
    entry.set_operator_(function.first);
    entry.set_function(function.second);
    entry.set_cases(number);
  }
  return response;
}

std::shared_ptr<ActiveRun> RunRegistry::Activate(const v1::RunInfo& info, RunCases cases,
                                                 const std::vector<std::string>& done) {
  std::vector<ScheduledCase> scheduled;
  scheduled.reserve(cases.size());
  const std::map<std::string, double> seconds = CaseSeconds(info.options().chip());
  for (size_t i = 0; i < cases.size(); ++i) {
    const PackedCase& c = cases.at(i);
    const auto known = seconds.find(c.row.case_id);
    scheduled.push_back({c.row.case_id, c.streamed_bytes, known == seconds.end() ? 0 : known->second,
                         c.row.function, c.library_check});
  }
  SchedulerOptions options;
  options.lease = options_.lease;
  options.batch = options_.batch;
  options.shuffle_seed = info.options().shuffle_seed();
  options.first_lease = uint64_t{std::random_device{}()} << 20 | 1;
  options.on_expired = [metrics = options_.metrics, run_id = info.run_id()](const ExpiredLease& lease) {
    if (metrics != nullptr) metrics->Expired(lease.cases);
    Log(LogLevel::kWarn, "lease_expired",
        {{"run_id", run_id}, {"agent", lease.agent}, {"lease", lease.lease_id}, {"cases", lease.cases}});
  };
  return std::make_shared<ActiveRun>(info, std::move(cases), std::move(scheduled), done, options, clock_);
}

std::map<std::string, double> RunRegistry::CaseSeconds(const std::string& chip) {
  if (options_.batch <= absl::ZeroDuration()) return {};
  absl::StatusOr<std::map<std::string, double>> seconds = database_->CaseSeconds(chip);
  if (seconds.ok()) return *std::move(seconds);
  // Only a hint: the run goes on without it.
  Log(LogLevel::kWarn, "no_case_times",
      {{"chip", chip}, {"status", std::string(seconds.status().message())}});
  return {};
}

// A contract for an operator that does not exist would silently change nothing.
absl::Status RunRegistry::CheckContracts(const v1::RunOptions& options) {
  ASSIGN_OR_RETURN(const auto declared,
                   baselines::ParseContracts({options.contracts().begin(), options.contracts().end()}));
  const std::vector<std::string> names = declared.Operators();
  if (names.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const cases::Catalog* catalog, catalog_->Get());
  std::vector<std::string> known;
  for (const v1::OperatorFile& file : catalog->operators()) known.push_back(file.operator_());
  for (const std::string& name : names) {
    if (std::any_of(known.begin(), known.end(), [&](const auto& op) { return GlobMatch(name, op); }))
      continue;
    return absl::InvalidArgumentError(absl::StrCat("a contract names the operator '", name,
                                                   "', which does not exist", NearestText(name, known)));
  }
  return absl::OkStatus();
}

absl::StatusOr<RunRegistry::Made> RunRegistry::Make(const v1::RunOptions& asked, const NewRun& more,
                                                    const StillWanted& wanted, const CheckCases& check) {
  absl::Status status = CheckOptions(asked);
  if (status.ok()) status = CheckLabels(Labels(asked.labels().begin(), asked.labels().end()));
  if (status.ok()) status = CheckContracts(asked);
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(const Admission::Pass pass, admission_.Enter(wanted));
  v1::RunOptions options = asked;
  options.clear_abort_reason();
  options.clear_aborted();
  options.mutable_command()->set_cases_folder(options_.cases_folder);
  absl::StatusOr<RunCases> cases = SelectCases(asked, wanted, options.mutable_whole_suite_hash());
  if (!cases.ok()) return cases.status();
  status = check(*cases);
  if (status.ok()) status = wanted();
  if (!status.ok()) return status;
  std::vector<RunCase> rows;
  rows.reserve(cases->size());
  cases::SuiteHasher hasher;
  for (size_t i = 0; i < cases->size(); ++i) {
    rows.push_back(cases->at(i).row);
    hasher.Add(rows.back().case_id, rows.back().case_hash);
  }
  NewRun stored = more;
  stored.still_wanted = wanted;
  ASSIGN_OR_RETURN(v1::RunInfo info, database_->CreateRun(options, std::move(hasher).Finish(), rows, stored));
  Made made{std::move(info), nullptr};
  made.run = Activate(made.info, *std::move(cases), {});
  const std::lock_guard lock(mutex_);
  active_[made.info.run_id()] = made.run;
  return made;
}

absl::StatusOr<v1::CreateRunResponse> RunRegistry::Create(const v1::RunOptions& options, const Quota& quota,
                                                          const StillWanted& wanted) {
  const absl::StatusOr<Made> made =
      Make(options, {.alive_for = kSilentLeases * options_.lease, .quota = quota}, wanted,
           [](const RunCases&) { return absl::OkStatus(); });
  if (!made.ok()) return made.status();
  return Describe(made->info, *made->run);
}

absl::StatusOr<v1::RunInfo> RunRegistry::Submit(const v1::RunOptions& options, const NewRun& more,
                                                const StillWanted& wanted) {
  absl::StatusOr<Made> made = Make(options, more, wanted, [&](const RunCases& cases) {
    const std::set<std::string> without = WithoutBaseline(cases);
    if (without.empty()) return absl::OkStatus();
    v1::Selection selection = options.selection();
    selection.mutable_functions()->Assign(without.begin(), without.end());
    return absl::FailedPreconditionError(
        absl::StrCat("the server has no baselines of ", absl::StrJoin(without, " "),
                     ". On its machine run: diopi-cli gen --data ITS-FOLDER ",
                     absl::StrJoin(cases::SelectionOptions(selection), " ")));
  });
  if (!made.ok()) return made.status();
  return std::move(made->info);
}

absl::StatusOr<std::shared_ptr<ActiveRun>> RunRegistry::Load(const v1::RunInfo& info,
                                                             const StillWanted& wanted) {
  ASSIGN_OR_RETURN(const Admission::Pass pass, admission_.Enter(wanted));
  ASSIGN_OR_RETURN(const std::vector<RunCase> rows, database_->CasesOf(info.run_id()));
  std::string whole_hash;  // of today; the cases themselves are compared below
  ASSIGN_OR_RETURN(RunCases selected, SelectCases(info.options(), wanted, &whole_hash));
  std::unordered_map<std::string_view, uint32_t> by_id;
  for (const uint32_t position : selected.positions) {
    by_id.emplace(selected.list->cases[position].row.case_id, position);
  }
  RunCases cases{selected.list, {}};
  cases.positions.reserve(rows.size());
  for (const RunCase& row : rows) {
    const auto found = by_id.find(row.case_id);
    if (found == by_id.end() || cases.list->cases[found->second].row.case_hash != row.case_hash) {
      return absl::FailedPreconditionError(
          absl::StrCat("run ", info.run_id(), " cannot continue: since it was created, case ", row.case_id,
                       " has ", found == by_id.end() ? "been removed" : "changed", "; start a new run"));
    }
    cases.positions.push_back(found->second);
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> done, database_->DoneCases(info.run_id()));
  return Activate(info, std::move(cases), done);
}

absl::StatusOr<std::shared_ptr<ActiveRun>> RunRegistry::InMemory(const std::string& run_id,
                                                                 const RunCaller& caller) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto found = active_.find(run_id);
    if (found != active_.end()) {
      RETURN_IF_ERROR(caller.access(found->first, found->second->owner));
      return found->second;
    }
    if (!loading_.contains(run_id)) return std::shared_ptr<ActiveRun>();
    loaded_.wait_for(lock, kLookAgain);
    RETURN_IF_ERROR(caller.wanted());
  }
}

absl::StatusOr<std::shared_ptr<ActiveRun>> RunRegistry::Find(const std::string& run_id,
                                                             const RunCaller& caller) {
  absl::StatusOr<std::shared_ptr<ActiveRun>> run = InMemory(run_id, caller);
  if (!run.ok() || *run != nullptr) return run;
  const absl::StatusOr<v1::RunInfo> info = database_->GetRun(run_id);  // resolves "latest"
  if (!info.ok()) return info.status();
  // Before the costly load.
  RETURN_IF_ERROR(caller.access(info->run_id(), info->options().owner()));
  for (;;) {
    run = InMemory(info->run_id(), caller);
    if (!run.ok() || *run != nullptr) return run;
    const std::lock_guard lock(mutex_);
    if (!active_.contains(info->run_id()) && loading_.insert(info->run_id()).second) break;
  }
  // Without the lock: a load takes seconds, and other runs go on meanwhile.
  run = Load(*info, caller.wanted);
  const std::lock_guard lock(mutex_);
  loading_.erase(info->run_id());
  loaded_.notify_all();
  if (!run.ok()) return run;
  active_[info->run_id()] = *run;
  Log(LogLevel::kInfo, "run_loaded",
      {{"run_id", info->run_id()}, {"cases", info->cases()}, {"done", info->done()}});
  return run;
}

absl::Status RunRegistry::Begin(v1::RunInfo* info, const v1::RunOptions& options) {
  const v1::Submission& submission = info->submission();
  if (submission.cancelled()) {
    return absl::FailedPreconditionError(absl::StrCat("run ", info->run_id(), " was cancelled"));
  }
  if (info->state() != v1::RUN_STATE_QUEUED) return absl::OkStatus();
  const bool upload = !submission.upload_name().empty();
  const std::string& wanted = upload ? submission.upload_sha256() : submission.require_sha256();
  if (!wanted.empty()) {
    RETURN_IF_ERROR(CheckSame(info->run_id(), "library (SHA-256)", wanted, options.impl_sha256()));
  }
  v1::RunOptions library = options;
  // The agent's path is of no use later.
  if (upload) library.set_impl_path(submission.upload_name());
  absl::Status adopted = database_->AdoptLibrary(info->run_id(), library);
  // Another agent may have come first.
  if (!adopted.ok() && !absl::IsFailedPrecondition(adopted)) return adopted;
  ASSIGN_OR_RETURN(v1::RunInfo begun, database_->GetRun(info->run_id()));
  *info = std::move(begun);
  return absl::OkStatus();
}

absl::StatusOr<v1::CreateRunResponse> RunRegistry::Resume(const std::string& run_id,
                                                          const v1::RunOptions& options, bool join,
                                                          const RunCaller& caller) {
  ASSIGN_OR_RETURN(v1::RunInfo info, database_->GetRun(run_id));
  absl::Status status = caller.access(info.run_id(), info.options().owner());
  if (!status.ok()) return status;
  if (join && info.state() != v1::RUN_STATE_RUNNING && info.state() != v1::RUN_STATE_STALLED) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", info.run_id(), " is ", EnumName(info.state()), ": there is nothing to join",
                     info.done() < info.cases() ? "; --resume completes it" : ""));
  }
  status = CheckKind(info, options);
  if (status.ok()) status = CheckSame(info.run_id(), "chip", info.options().chip(), options.chip());
  if (status.ok()) status = Begin(&info, options);
  if (status.ok() && info.options().impl_sha256().empty() && info.state() == v1::RUN_STATE_ABORTED) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", info.run_id(),
                     " was aborted before an agent began it: there is nothing to resume; submit it again"));
  }
  if (status.ok()) {
    status =
        CheckSame(info.run_id(), "library (SHA-256)", info.options().impl_sha256(), options.impl_sha256());
  }
  if (status.ok()) {
    status =
        CheckSame(info.run_id(), "set of contracts", ContractText(info.options()), ContractText(options));
  }
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(const std::shared_ptr<ActiveRun> run, Find(info.run_id(), caller));
  changes_->Withdraw(info.run_id());
  if (info.done() < info.cases() && info.state() != v1::RUN_STATE_RUNNING) {
    RETURN_IF_ERROR(database_->ChangeRun(info.run_id(), Reopening(info)));
  }
  KeepAlive(run.get());
  return Describe(info, *run);
}

void RunRegistry::KeepAlive(ActiveRun* run) {
  const int64_t now = absl::ToInt64Milliseconds(clock_->Now());
  int64_t due = run->next_sign_of_life_ms;
  const int64_t next = now + absl::ToInt64Milliseconds(options_.lease / kSignsALease);
  if (now < due || !run->next_sign_of_life_ms.compare_exchange_strong(due, next)) return;
  const absl::Status kept = database_->KeepAlive(run->run_id, kSilentLeases * options_.lease);
  if (kept.ok()) return;
  Log(LogLevel::kWarn, "not_kept_alive", {{"run_id", run->run_id}, {"status", std::string(kept.message())}});
}

absl::StatusOr<std::vector<v1::RunInfo>> RunRegistry::Abandoned(absl::Duration stalled_for) {
  absl::StatusOr<std::vector<v1::RunInfo>> runs = database_->AbandonedRuns(stalled_for);
  if (!runs.ok()) return runs;
  // The database uses the time of day, which may have jumped.
  const int64_t since = absl::ToInt64Milliseconds(clock_->Now() - stalled_for);
  const std::lock_guard lock(mutex_);
  std::erase_if(*runs, [&](const v1::RunInfo& run) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto found = active_.find(run.run_id());
    if (found == active_.end()) return false;
    const int64_t next = found->second->next_sign_of_life_ms;
    return next != 0 && next > since;
  });
  return runs;
}

SchedulerCounts RunRegistry::Counts() {
  const std::lock_guard lock(mutex_);
  SchedulerCounts sum;
  for (const auto& [unused, run] : active_) {
    const SchedulerCounts counts = run->scheduler.Counts();
    sum.total += counts.total;
    sum.done += counts.done;
    sum.leased += counts.leased;
    sum.waiting += counts.waiting;
    sum.leases += counts.leases;
  }
  return sum;
}

void RunRegistry::Forget(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  active_.erase(run_id);
}

}  // namespace diopi::server
