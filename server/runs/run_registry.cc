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
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/contract.h"
#include "cases/base/dtype.h"
#include "cases/core/catalog.h"
#include "cases/core/library_checks.h"
#include "proto/enum_name.h"
#include "server/scheduler/shard.h"
#include "server/store/labels.h"
#include "server/store/run_state.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

// References come as float64 with a float32 sigma and, for float64, a low part.
constexpr int64_t kReferenceBytesPerElement = 8 + 4;

// Agents renew what they hold three times per lease (client/agent/session.cc). A run is stalled when nobody
// has called for kSilentLeases leases: all have long expired.
constexpr int kSignsALease = 6;
constexpr int kSilentLeases = 3;

int64_t SpecBytes(const v1::TensorSpec& spec, bool judged) {
  int64_t elements = 1;
  for (const int64_t size : spec.shape()) elements *= size;
  return elements * (judged ? kReferenceBytesPerElement : ElementSize(spec.dtype()));
}

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
  if (!info.options().abort_reason().empty()) change.abort_reason = "";
  if (!info.has_submission() || info.state() != v1::RUN_STATE_ABORTED) return change;
  change.submission = info.submission();
  change.submission->clear_note();
  change.submission->clear_exit_code();
  return change;
}

}  // namespace

int64_t StreamedBytes(const v1::Case& c) {
  int64_t bytes = 0;
  for (const v1::Argument& arg : c.args()) {
    const bool judged = arg.role() == v1::ROLE_OUTPUT || arg.role() == v1::ROLE_INOUT;
    const bool read = arg.role() == v1::ROLE_INPUT || arg.role() == v1::ROLE_INOUT;
    const auto add = [&](const v1::TensorSpec& spec) {
      bytes += (judged ? SpecBytes(spec, true) : 0) + (read ? SpecBytes(spec, false) : 0);
    };
    if (arg.has_tensor()) add(arg.tensor());
    for (const v1::TensorSpec& spec : arg.tensors().tensors()) add(spec);
  }
  return bytes;
}

absl::StatusOr<const cases::Catalog*> LazyCatalog::Get() {
  const std::lock_guard lock(mutex_);
  if (catalog_ == nullptr) {
    absl::StatusOr<std::unique_ptr<cases::Catalog>> loaded = load_();
    if (!loaded.ok()) return loaded.status();
    catalog_ = *std::move(loaded);
  }
  return catalog_.get();
}

absl::StatusOr<v1::Case> ActiveRun::CaseAt(size_t index) const {
  v1::Case c;
  if (index >= cases.size() || !c.ParseFromString(cases[index])) {
    return absl::InternalError(absl::StrCat("run ", run_id, " has no case number ", index));
  }
  return c;
}

absl::StatusOr<std::vector<PackedCase>> RunRegistry::SelectCases(const v1::RunOptions& options,
                                                                 std::string* whole_hash) {
  const absl::StatusOr<const cases::Catalog*> catalog = catalog_->Get();
  if (!catalog.ok()) return catalog.status();
  if (options.has_exploration()) {
    absl::Status status = CheckExploration(options, **catalog);
    if (!status.ok()) return status;
    return std::vector<PackedCase>();
  }
  std::vector<PackedCase> selected;
  cases::SuiteHasher hasher;
  absl::Status status = (*catalog)->VisitRun(options.selection(), [&](const v1::Case& c) {
    hasher.Add(c.id(), c.hash());
    const bool other_shard =
        options.shard_count() > 1 && ShardOf(c.id(), options.shard_count()) != options.shard_index();
    if (!other_shard) {
      selected.push_back({{c.id(), c.hash(), c.function(), c.operator_()},
                          StreamedBytes(c),
                          cases::IsLibraryCheck(c),
                          c.SerializeAsString()});
    }
  });
  if (!status.ok()) return status;
  *whole_hash = std::move(hasher).Finish();
  return selected;
}

absl::Status RunRegistry::CheckBaseline(const std::string& serialized, std::set<std::string>* without) {
  v1::Case c;
  if (!c.ParseFromString(serialized)) return absl::InternalError("a case cannot be read");
  if (cases::IsLibraryCheck(c) || without->contains(c.operator_())) return absl::OkStatus();
  const absl::StatusOr<std::shared_ptr<const OpenBaseline>> open = baselines_->Get(c.operator_());
  if (!open.ok() || !(*open)->Check(c).ok()) without->insert(c.operator_());
  return absl::OkStatus();
}

absl::StatusOr<v1::CreateRunResponse> RunRegistry::Describe(const v1::RunInfo& info, const ActiveRun& run) {
  v1::CreateRunResponse response;
  response.set_run_id(info.run_id());
  response.set_cases(info.cases());
  response.set_done(info.done());
  response.set_suite_hash(info.suite_hash());
  std::set<std::string> without;
  for (const std::string& serialized : run.cases) {
    absl::Status status = CheckBaseline(serialized, &without);
    if (!status.ok()) return status;
  }
  for (const std::string& name : without) response.add_without_baseline(name);
  return response;
}

std::shared_ptr<ActiveRun> RunRegistry::Activate(const v1::RunInfo& info, std::vector<PackedCase> cases,
                                                 const std::vector<std::string>& done) {
  std::vector<ScheduledCase> scheduled;
  scheduled.reserve(cases.size());
  const std::map<std::string, double> seconds = CaseSeconds(info.options().chip());
  for (const PackedCase& c : cases) {
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
  auto run = std::make_shared<ActiveRun>(info, std::move(scheduled), done, options, clock_);
  run->cases.reserve(cases.size());
  run->hashes.reserve(cases.size());
  for (PackedCase& c : cases) {
    run->cases.push_back(std::move(c.serialized));
    run->hashes.push_back(std::move(c.row.case_hash));
  }
  return run;
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
  const auto declared = baselines::ParseContracts({options.contracts().begin(), options.contracts().end()});
  if (!declared.ok()) return declared.status();
  const std::vector<std::string> names = declared->Operators();
  if (names.empty()) return absl::OkStatus();
  const absl::StatusOr<const cases::Catalog*> catalog = catalog_->Get();
  if (!catalog.ok()) return catalog.status();
  std::vector<std::string> known;
  for (const v1::OperatorFile& file : (*catalog)->operators()) known.push_back(file.operator_());
  for (const std::string& name : names) {
    if (std::any_of(known.begin(), known.end(), [&](const auto& op) { return cases::GlobMatch(name, op); }))
      continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "a contract names the operator '", name,
        "', which does not exist; nearest: ", absl::StrJoin(cases::Nearest(name, known, 3), ", ")));
  }
  return absl::OkStatus();
}

absl::StatusOr<RunRegistry::Made> RunRegistry::Make(const v1::RunOptions& asked, const NewRun& more,
                                                    const CheckCases& check) {
  absl::Status status = CheckOptions(asked);
  if (status.ok()) status = CheckLabels(Labels(asked.labels().begin(), asked.labels().end()));
  if (status.ok()) status = CheckContracts(asked);
  if (!status.ok()) return status;
  v1::RunOptions options = asked;
  options.clear_abort_reason();
  options.mutable_command()->set_cases_folder(options_.cases_folder);
  absl::StatusOr<std::vector<PackedCase>> cases = SelectCases(asked, options.mutable_whole_suite_hash());
  if (!cases.ok()) return cases.status();
  status = check(*cases);
  if (!status.ok()) return status;
  std::vector<RunCase> rows;
  rows.reserve(cases->size());
  cases::SuiteHasher hasher;
  for (const PackedCase& c : *cases) {
    rows.push_back(c.row);
    hasher.Add(c.row.case_id, c.row.case_hash);
  }
  absl::StatusOr<v1::RunInfo> info = database_->CreateRun(options, std::move(hasher).Finish(), rows, more);
  if (!info.ok()) return info.status();
  Made made{*std::move(info), nullptr};
  made.run = Activate(made.info, *std::move(cases), {});
  const std::lock_guard lock(mutex_);
  active_[made.info.run_id()] = made.run;
  return made;
}

absl::StatusOr<v1::CreateRunResponse> RunRegistry::Create(const v1::RunOptions& options, const Quota& quota) {
  const absl::StatusOr<Made> made =
      Make(options, {.alive_for = kSilentLeases * options_.lease, .quota = quota},
           [](const std::vector<PackedCase>&) { return absl::OkStatus(); });
  if (!made.ok()) return made.status();
  return Describe(made->info, *made->run);
}

absl::StatusOr<v1::RunInfo> RunRegistry::Submit(const v1::RunOptions& options, const NewRun& more) {
  absl::StatusOr<Made> made = Make(options, more, [&](const std::vector<PackedCase>& cases) {
    std::set<std::string> without;
    absl::Status status = absl::OkStatus();
    for (const PackedCase& c : cases) status.Update(CheckBaseline(c.serialized, &without));
    if (!status.ok() || without.empty()) return status;
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

absl::StatusOr<std::shared_ptr<ActiveRun>> RunRegistry::Load(const v1::RunInfo& info) {
  const absl::StatusOr<std::vector<RunCase>> rows = database_->CasesOf(info.run_id());
  if (!rows.ok()) return rows.status();
  std::string whole_hash;  // of today; the cases themselves are compared below
  absl::StatusOr<std::vector<PackedCase>> selected = SelectCases(info.options(), &whole_hash);
  if (!selected.ok()) return selected.status();
  std::map<std::string, PackedCase> by_id;
  for (PackedCase& c : *selected) by_id.emplace(c.row.case_id, std::move(c));
  std::vector<PackedCase> cases;
  cases.reserve(rows->size());
  for (const RunCase& row : *rows) {
    const auto found = by_id.find(row.case_id);
    if (found == by_id.end() || found->second.row.case_hash != row.case_hash) {
      return absl::FailedPreconditionError(
          absl::StrCat("run ", info.run_id(), " cannot continue: since it was created, case ", row.case_id,
                       " has ", found == by_id.end() ? "been removed" : "changed", "; start a new run"));
    }
    cases.push_back(std::move(found->second));
  }
  const absl::StatusOr<std::vector<std::string>> done = database_->DoneCases(info.run_id());
  if (!done.ok()) return done.status();
  return Activate(info, std::move(cases), *done);
}

absl::StatusOr<std::shared_ptr<ActiveRun>> RunRegistry::Find(const std::string& run_id,
                                                             const RunAccess& access) {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(run_id);
  if (found != active_.end()) {
    absl::Status allowed = access(found->first, found->second->owner);
    if (!allowed.ok()) return allowed;
    return found->second;
  }
  const absl::StatusOr<v1::RunInfo> info = database_->GetRun(run_id);
  if (!info.ok()) return info.status();
  // Before the costly load.
  absl::Status allowed = access(info->run_id(), info->options().owner());
  if (!allowed.ok()) return allowed;
  if (const auto latest = active_.find(info->run_id()); latest != active_.end()) return latest->second;
  absl::StatusOr<std::shared_ptr<ActiveRun>> run = Load(*info);
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
    absl::Status same = CheckSame(info->run_id(), "library (SHA-256)", wanted, options.impl_sha256());
    if (!same.ok()) return same;
  }
  v1::RunOptions library = options;
  // The agent's path is of no use later.
  if (upload) library.set_impl_path(submission.upload_name());
  absl::Status adopted = database_->AdoptLibrary(info->run_id(), library);
  // Another agent may have come first.
  if (!adopted.ok() && !absl::IsFailedPrecondition(adopted)) return adopted;
  absl::StatusOr<v1::RunInfo> begun = database_->GetRun(info->run_id());
  if (!begun.ok()) return begun.status();
  *info = *std::move(begun);
  return absl::OkStatus();
}

absl::StatusOr<v1::CreateRunResponse> RunRegistry::Resume(const std::string& run_id,
                                                          const v1::RunOptions& options, bool join,
                                                          const RunAccess& access) {
  absl::StatusOr<v1::RunInfo> info = database_->GetRun(run_id);
  if (!info.ok()) return info.status();
  absl::Status status = access(info->run_id(), info->options().owner());
  if (!status.ok()) return status;
  if (join && info->state() != v1::RUN_STATE_RUNNING && info->state() != v1::RUN_STATE_STALLED) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", info->run_id(), " is ", EnumName(info->state()), ": there is nothing to join",
                     info->done() < info->cases() ? "; --resume completes it" : ""));
  }
  status = CheckKind(*info, options);
  if (status.ok()) status = CheckSame(info->run_id(), "chip", info->options().chip(), options.chip());
  if (status.ok()) status = Begin(&*info, options);
  if (status.ok() && info->options().impl_sha256().empty() && info->state() == v1::RUN_STATE_ABORTED) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", info->run_id(),
                     " was aborted before an agent began it: there is nothing to resume; submit it again"));
  }
  if (status.ok()) {
    status =
        CheckSame(info->run_id(), "library (SHA-256)", info->options().impl_sha256(), options.impl_sha256());
  }
  if (status.ok()) {
    status =
        CheckSame(info->run_id(), "set of contracts", ContractText(info->options()), ContractText(options));
  }
  if (!status.ok()) return status;
  const absl::StatusOr<std::shared_ptr<ActiveRun>> run = Find(info->run_id(), access);
  if (!run.ok()) return run.status();
  changes_->Withdraw(info->run_id());
  if (info->done() < info->cases() && info->state() != v1::RUN_STATE_RUNNING) {
    status = database_->ChangeRun(info->run_id(), Reopening(*info));
    if (!status.ok()) return status;
  }
  KeepAlive(run->get());
  return Describe(*info, **run);
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
