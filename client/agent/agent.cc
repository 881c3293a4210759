// The stages of a run, each of which can end it with an exit status: check options and the report folder,
// inspect the library without loading it, start or reach a server, create, resume or join the run, make
// missing baselines, start the first worker (which loads the library and names it) and then the others, run
// the session, finish the run and write the reports. With --watch, the server, the baselines and the catalog
// survive from one run to the next.
#include "client/agent/agent.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/compare.h"
#include "baselines/compare/contract.h"
#include "cases/base/excerpt.h"
#include "cases/base/host_name.h"
#include "cases/base/match.h"
#include "cases/base/outcome.h"
#include "cases/base/process.h"
#include "cases/base/stage.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "cases/base/write_file.h"
#include "cases/core/catalog.h"
#include "cases/findings/describe.h"
#include "cases/user/user_cases.h"
#include "client/agent/connection.h"
#include "client/agent/devices.h"
#include "client/agent/performance.h"
#include "client/agent/progress.h"
#include "client/agent/session.h"
#include "client/agent/tested_library.h"
#include "client/command_line/terminal.h"
#include "client/rpc/client.h"
#include "client/setup/exit_code.h"
#include "client/setup/library_facts.h"
#include "client/setup/paths.h"
#include "client/setup/server_process.h"
#include "impl_loader/worker/sandbox.h"
#include "reports/model/report.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"
#include "server/store/database.h"

namespace diopi::agent {
namespace {

constexpr std::chrono::seconds kSignOfLifeEvery{5};

class Agent {
 public:
  Agent(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
        std::ostream* err, WatchState* warm)
      : options_(options), stop_(stop), terminal_(terminal), out_(out), err_(err), warm_(warm) {}

  ExitCode Run() {
    const absl::Status prepared = Prepare();
    if (absl::IsCancelled(prepared) && stop_signal_ != 0) {
      *err_ << "diopi-agent: stopped while baselines were being generated; the next run generates the rest\n";
      return static_cast<ExitCode>(ExitCodeForSignal(stop_signal_));
    }
    if (!prepared.ok()) return PrintError(prepared);
    const absl::Status ran = RunCases();
    if (!ran.ok() && !absl::IsCancelled(ran)) return PrintHowToResume(ran);
    return Conclude(absl::IsCancelled(ran));
  }

 private:
  absl::Status Prepare();
  absl::Status ReadContracts();
  absl::Status CheckReportFolder() const;
  absl::Status InspectImpl();
  absl::Status SelectCases();
  absl::Status ConnectToServer();
  absl::Status AdoptRunOptions();
  absl::Status StartFirstWorker();
  absl::StatusOr<std::vector<SessionWorker>> StartOtherWorkers();
  absl::Status CreateRun();
  absl::Status HaveBaselines(const std::vector<std::string>& operators);
  std::vector<std::string> GenSelection(const std::vector<std::string>& operators) const;
  absl::Status Generate(const std::vector<std::string>& operators);
  absl::Status RunCases();
  absl::Status MeasurePerformance();
  absl::Status ReportPerformance(const PerformanceResult& result);
  void Store(const v1::Verdict& verdict);
  ExitCode Conclude(bool stopped);
  absl::StatusOr<reports::RunReport> MakeReport(const v1::RunInfo& run);
  ExitCode WriteReport(const reports::RunReport& report);

  bool own_server() const { return options_.server.empty(); }
  loader::WorkerOptions WorkerOptionsFor(int device) const;
  absl::StatusOr<SessionWorker> StartWorker(int device) const;
  void PrintDeadDevices();
  v1::RunOptions MakeRunOptions() const;
  std::string ResumeCommand() const;
  ExitCode PrintError(const absl::Status& status);
  ExitCode PrintHowToResume(const absl::Status& status);

  const AgentOptions& options_;
  const StopSignal& stop_;
  const bool terminal_;
  std::ostream* const out_;
  std::ostream* const err_;
  WatchState* const warm_;
  const std::string agent_id_ = absl::StrCat(HostName(), "-", getpid());

  LibraryFacts facts_;
  baselines::CompareOptions compare_;
  v1::Selection selection_;
  std::map<std::string, std::set<std::string>> globs_;  // of --case, those that match cases of an operator
  std::unique_ptr<rpc::Client> client_;
  SessionWorker first_worker_;
  std::vector<std::string> dead_devices_;  // the reasons, one line each
  int repeat_ = 2;                         // the joined run's, or our own
  double timeout_s_ = 30;                  // likewise
  v1::CreateRunResponse run_;
  std::unique_ptr<Progress> progress_;
  std::map<std::string, v1::Verdict> verdicts_;  // of this session, by case
  int stop_signal_ = 0;                          // the signal that ended the session; 0: none
  std::atomic<bool> first_failure_{false};       // with --fail-fast: a failure occurred
};

ExitCode Agent::PrintError(const absl::Status& status) {
  *err_ << "diopi-agent: " << PrintableMessage(WithShortLines(status.message())) << "\n";
  return ExitCodeFor(status);
}

std::string Agent::ResumeCommand() const {
  const auto word = [](const std::string& text) { return ShellWord(text); };
  std::string command = absl::StrCat(word(ProgramBeside("diopi-agent")), " --impl ", word(facts_.path),
                                     " --resume ", run_.run_id());
  absl::StrAppend(&command, own_server() ? " --data " : " --server ",
                  word(own_server() ? AbsolutePath(options_.data_folder) : options_.server));
  if (!options_.selection.cases_folder.empty())
    absl::StrAppend(&command, " --cases ", word(AbsolutePath(options_.selection.cases_folder)));
  if (!options_.chip.empty()) absl::StrAppend(&command, " --chip ", word(options_.chip));
  for (const std::string& contract : compare_.contracts.Texts())
    absl::StrAppend(&command, " --contract ", contract);
  if (!options_.device_list.empty()) absl::StrAppend(&command, " --devices ", options_.device_list);
  if (!options_.profile_path.empty())
    absl::StrAppend(&command, " --profile ", word(AbsolutePath(options_.profile_path)));
  if (options_.modes.four_bytes) absl::StrAppend(&command, " --four-bytes");
  if (options_.modes.nhwc) absl::StrAppend(&command, " --nhwc --nhwc-min-dim ", options_.modes.nhwc_min_dim);
  return command;
}

ExitCode Agent::PrintHowToResume(const absl::Status& status) {
  if (progress_ != nullptr) progress_->Finish();
  *err_ << "diopi-agent: " << PrintableMessage(std::string(status.message())) << "\n"
        << "diopi-agent: " << verdicts_.size()
        << " results of this session are stored; complete the run with: " << ResumeCommand() << "\n";
  return ExitCodeFor(status);
}

absl::Status Agent::Prepare() {
  absl::Status status = ReadContracts();
  if (status.ok()) status = CheckReportFolder();
  if (status.ok()) status = InspectImpl();
  if (status.ok()) status = SelectCases();
  if (status.ok()) status = ConnectToServer();
  if (status.ok()) status = AdoptRunOptions();
  if (status.ok()) status = StartFirstWorker();
  if (status.ok()) status = CreateRun();
  return status;
}

absl::Status Agent::ReadContracts() {
  ASSIGN_OR_RETURN(const baselines::DeclaredContracts contracts,
                   baselines::ParseContracts(options_.contracts));
  compare_.contracts = contracts;
  return absl::OkStatus();
}

// Checked first: a run of hours must not end without its report.
absl::Status Agent::CheckReportFolder() const {
  absl::Status status = MakeFolder(options_.report_folder);
  if (status.ok()) status = CheckCanWrite(options_.error_report);
  if (!status.ok() || options_.modes.failure_debug_level == 0) return status;
  const std::filesystem::path failures = std::filesystem::path(options_.report_folder) / "failures";
  status = MakeFolder(failures.string());
  return status.ok() ? CheckCanWrite((failures / "any").string()) : status;
}

absl::Status Agent::InspectImpl() {
  ASSIGN_OR_RETURN(facts_, InspectTested(options_));
  warm_->library_sha256 = facts_.sha256;
  return absl::OkStatus();
}

absl::Status Agent::SelectCases() {
  SelectionArguments arguments = options_.selection;
  if (HasAutoBound(arguments) && options_.resume.empty()) {
    const std::string bound = FitToDevice(options_, facts_, &arguments);
    if (!options_.quiet) *out_ << bound << "\n" << std::flush;
  }
  ASSIGN_OR_RETURN(selection_, MakeSelection(arguments));
  if (!options_.resume.empty()) return absl::OkStatus();  // the run's own selection applies
  absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog =
      cases::LoadCatalog(options_.selection.cases_folder);
  if (!catalog.ok() && options_.selection.cases_folder.empty()) {
    return absl::InternalError(catalog.status().message());
  }
  if (!catalog.ok()) return catalog.status();
  const auto remember = [this](const v1::Case& c) {
    for (const std::string& glob : selection_.cases()) {
      if (GlobMatch(glob, c.id())) globs_[c.operator_()].insert(glob);
    }
  };
  // The server expands the selection. Here only its names are checked, and for globs of cases their matches.
  const bool globs = !selection_.cases().empty();
  absl::Status known = (*catalog)->VisitRun(selection_, remember, [globs] {
    return globs ? absl::OkStatus() : absl::CancelledError("its names are known");
  });
  if (absl::IsCancelled(known)) known = absl::OkStatus();
  return own_server() ? known : absl::OkStatus();  // a remote server may know more than we do
}

absl::Status Agent::ConnectToServer() {
  ASSIGN_OR_RETURN(client_, Connect(options_, &warm_->server));
  return absl::OkStatus();
}

// A run has one profile, or a case's verdict would depend on which agent ran it. A run that has not started
// has none.
absl::Status CheckSameProfile(const v1::RunInfo& run, const v1::RunProfile& ours) {
  const v1::RunProfile& theirs = run.options().profile();
  const auto text = [](const v1::RunProfile& profile) {
    return profile.hash().empty()
               ? std::string("no device profile")
               : absl::StrCat("the device profile ", profile.file(), " (", profile.hash(), ")");
  };
  const bool same = theirs.hash() == ours.hash() && AdaptorLines(theirs) == AdaptorLines(ours);
  if (run.state() == v1::RUN_STATE_QUEUED || same) return absl::OkStatus();
  const bool hash = theirs.hash() != ours.hash();
  return absl::InvalidArgumentError(
      absl::StrCat("run ", run.run_id(), " was started with ", hash ? text(theirs) : "another adaptor",
                   ", not with ", hash ? text(ours) : "this one", ": use what it was started with"));
}

// Joins a run with its own options, or verdicts would depend on which agent ran the case.
absl::Status Agent::AdoptRunOptions() {
  repeat_ = options_.repeat;
  timeout_s_ = options_.timeout_s;
  if (options_.resume.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const v1::RunInfo run, client_->GetRun(options_.resume));
  absl::Status same = CheckSameProfile(run, MakeRunProfile(options_));
  if (!same.ok() || !options_.join) return same;
  repeat_ = std::max(run.options().repeat(), 2);
  if (run.options().timeout_s() > 0) timeout_s_ = run.options().timeout_s();
  return absl::OkStatus();
}

loader::WorkerOptions Agent::WorkerOptionsFor(int device) const {
  loader::WorkerOptions worker = MakeWorkerOptions(options_, facts_, timeout_s_, device);
  HideServer(options_, *client_, warm_->server.get(), &worker);
  return worker;
}

absl::StatusOr<SessionWorker> Agent::StartWorker(int device) const {
  absl::StatusOr<std::unique_ptr<loader::Worker>> worker = loader::Worker::Start(WorkerOptionsFor(device));
  if (worker.ok()) return SessionWorker{*std::move(worker), device};
  // A library that cannot be loaded is not our fault.
  if (!absl::IsFailedPrecondition(worker.status())) return worker.status();
  return absl::InvalidArgumentError(
      absl::StrCat(facts_.path, " cannot be loaded: ", std::string(worker.status().message())));
}

// Starts workers until one loads the library; that worker's hello identifies the library.
absl::Status Agent::StartFirstWorker() {
  absl::Status status = absl::OkStatus();
  for (const int device : options_.devices.empty() ? std::vector<int>{-1} : options_.devices) {
    absl::StatusOr<SessionWorker> worker = StartWorker(device);
    if (worker.ok()) {
      first_worker_ = *std::move(worker);
      return absl::OkStatus();
    }
    status = worker.status();
    if (device >= 0)
      dead_devices_.push_back(absl::StrCat("device ", device, ": ", std::string(status.message())));
  }
  PrintDeadDevices();
  return status;
}

// Starts all workers: one for each device that can be initialised, or as many as --workers says.
absl::StatusOr<std::vector<SessionWorker>> Agent::StartOtherWorkers() {
  std::vector<SessionWorker> workers;
  const int first = first_worker_.device;
  workers.push_back(std::move(first_worker_));
  while (options_.devices.empty() && static_cast<int>(workers.size()) < options_.workers) {
    ASSIGN_OR_RETURN(SessionWorker worker, StartWorker(-1));
    workers.push_back(std::move(worker));
  }
  // The devices before the first worker's were tried already.
  auto device = std::find(options_.devices.begin(), options_.devices.end(), first);
  if (device != options_.devices.end()) ++device;
  for (; device != options_.devices.end(); ++device) {
    absl::StatusOr<SessionWorker> worker = StartWorker(*device);
    if (worker.ok()) {
      workers.push_back(*std::move(worker));
    } else {
      dead_devices_.push_back(absl::StrCat("device ", *device, ": ", std::string(worker.status().message())));
    }
  }
  PrintDeadDevices();
  return workers;
}

void Agent::PrintDeadDevices() {
  for (const std::string& why : dead_devices_)
    *err_ << "diopi-agent: left out: " << PrintableMessage(why) << "\n";
}

v1::RunOptions Agent::MakeRunOptions() const {
  v1::RunOptions run =
      DescribeRun(options_, facts_, first_worker_.worker->hello(), selection_, compare_.contracts);
  run.set_repeat(repeat_);
  run.set_timeout_s(timeout_s_);
  return run;
}

absl::Status Agent::CreateRun() {
  v1::CreateRunRequest request;
  *request.mutable_options() = MakeRunOptions();
  request.set_resume_run(options_.resume);
  request.set_join(options_.join);
  ASSIGN_OR_RETURN(run_, client_->CreateRun(request));
  StageReached("run_known");
  const std::vector<std::string> without(run_.without_baseline().begin(), run_.without_baseline().end());
  return without.empty() ? absl::OkStatus() : HaveBaselines(without);
}

// The run's cases of these operators; on --resume, whose selection the server knows, whole operators.
std::vector<std::string> Agent::GenSelection(const std::vector<std::string>& operators) const {
  v1::Selection selection = selection_;
  selection.mutable_functions()->Assign(operators.begin(), operators.end());
  std::set<std::string> globs;  // of these operators: gen refuses one that matches nothing
  for (const std::string& name : operators) {
    const auto known = globs_.find(name);
    if (known != globs_.end()) globs.insert(known->second.begin(), known->second.end());
  }
  selection.mutable_cases()->Assign(globs.begin(), globs.end());
  return cases::SelectionOptions(selection);
}

absl::Status Agent::HaveBaselines(const std::vector<std::string>& operators) {
  const std::string names = absl::StrJoin(operators, " ");
  absl::Status status = absl::OkStatus();
  if (own_server()) {
    *out_ << "Generating missing baselines first: " << names << "\n" << std::flush;
    status = Generate(operators);
  } else {
    status = absl::FailedPreconditionError(
        absl::StrCat("the server has no baselines of ", names, ". On its machine run: diopi-cli gen --data ",
                     client_->server().data_folder(), " ", absl::StrJoin(GenSelection(operators), " ")));
  }
  if (!status.ok()) {
    v1::FinishRunRequest request;
    request.set_run_id(run_.run_id());
    request.set_agent_id(agent_id_);
    request.set_aborted(true);
    client_->FinishRun(request).status().IgnoreError();
  }
  return status;
}

absl::Status Agent::Generate(const std::vector<std::string>& operators) {
  ProcessOptions gen;
  gen.command = {ProgramBeside("diopi-cli"), "gen", "--data", options_.data_folder};
  if (!options_.selection.cases_folder.empty()) {
    gen.command.insert(gen.command.end(), {"--cases", options_.selection.cases_folder});
  }
  const std::vector<std::string> selection = GenSelection(operators);
  gen.command.insert(gen.command.end(), selection.begin(), selection.end());
  ASSIGN_OR_RETURN(Process process, Process::Start(gen));
  // No case is leased meanwhile: an empty report tells the server that the run is alive.
  v1::ReportRequest alive;
  alive.set_run_id(run_.run_id());
  alive.set_agent_id(agent_id_);
  const auto pause = static_cast<int>(std::chrono::milliseconds(kSignOfLifeEvery).count());
  pollfd events[] = {{process.descriptor(), POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
  while (!process.WaitFor(std::chrono::milliseconds(0)).has_value()) {
    if (poll(events, 2, pause) == 0) client_->Report(alive).status().IgnoreError();
    const int signal = stop_.Take();
    if (signal == 0) continue;
    stop_signal_ = signal;
    process.Signal(SIGTERM);  // a terminal's Ctrl-C reaches it anyway
  }
  const ExitStatus status = process.Wait();
  if (stop_signal_ != 0) return absl::CancelledError("stopped");
  // 1: some cases could not be computed; they are reported as such.
  if (status.signal == 0 && status.code <= 1) return absl::OkStatus();
  return StatusOfExit(status,
                      absl::StrCat("generating baselines failed: diopi-cli gen ended with ", status.Text()));
}

absl::Status Agent::RunCases() {
  Progress::Options progress;
  progress.bar = terminal_;
  progress.colours = terminal_ && ShowsColours(STDOUT_FILENO);
  progress.lines = options_.harness_lines;
  progress.quiet = options_.quiet;
  progress.verbose = options_.verbose;
  progress.total = run_.cases();
  progress.done = run_.done();
  progress.run = MakeRunOptions();
  if (own_server()) progress.data_folder = AbsolutePath(options_.data_folder);
  progress.run.mutable_command()->set_cases_folder(AbsolutePath(options_.selection.cases_folder));
  progress_ = std::make_unique<Progress>(progress, out_);
  for (const v1::CreateRunResponse::Function& function : run_.functions()) {
    if (options_.resume.empty())
      progress_->Expect(function.operator_(), function.function(), function.cases());
  }
  if (!options_.quiet) {
    const v1::Finding sandbox = MakeRunOptions().sandboxed();
    if (std::any_of(sandbox.parts().begin(), sandbox.parts().end(),
                    [](const v1::Finding& part) { return part.code() == v1::Finding::NOT_DROPPED; }))
      *out_ << "Sandbox " << PrintableLine(FindingText(sandbox)) << "\n";
    *out_ << "Run " << run_.run_id() << ": " << run_.done() << " of " << run_.cases() << " cases done\n"
          << std::flush;
  }
  SessionOptions options;
  options.run_id = run_.run_id();
  options.agent_id = agent_id_;
  options.judge = MakeJudgeOptions(options_, compare_, repeat_);
  options.dump.level = options_.modes.failure_debug_level;
  options.dump.folder = (std::filesystem::path(options_.report_folder) / "failures").string();
  options.implemented = facts_.implemented;
  ASSIGN_OR_RETURN(std::vector<SessionWorker> workers, StartOtherWorkers());
  Session session(client_.get(), options, [this](const v1::Verdict& verdict) { Store(verdict); });
  absl::Status ran = session.Run(std::move(workers), stop_);
  stop_signal_ = session.stop_signal();
  if (session.dump().written() > 0) {
    *out_ << "Failures     " << session.dump().written() << " cases in " << options.dump.folder;
    if (session.dump().left_out() > 0) *out_ << ", " << session.dump().left_out() << " more left out";
    *out_ << "\n";
  }
  return ran.ok() && options_.performance.on ? MeasurePerformance() : ran;
}

// Measures in a worker of its own: nothing else of this agent runs meanwhile.
absl::Status Agent::MeasurePerformance() {
  ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog,
                   cases::LoadCatalog(options_.selection.cases_folder));
  PerformanceOptions options = options_.performance;
  options.timeout = std::chrono::milliseconds(static_cast<int64_t>(4000 * timeout_s_));
  ASSIGN_OR_RETURN(const std::vector<CallToMeasure> calls,
                   CallsToMeasure(*catalog, selection_, verdicts_, options));
  ASSIGN_OR_RETURN(const auto oracle, loader::InProcessLibrary::Open(DefaultReferenceLibrary()));
  ASSIGN_OR_RETURN(const SessionWorker worker,
                   StartWorker(options_.devices.empty() ? -1 : options_.devices.front()));
  CaseJudge judge(MakeJudgeOptions(options_, compare_, repeat_));
  if (!options_.quiet) *out_ << "\nMeasuring " << calls.size() << " calls\n" << std::flush;
  v1::ReportRequest alive;
  alive.set_run_id(run_.run_id());
  alive.set_agent_id(agent_id_);
  auto next_sign = std::chrono::steady_clock::now();
  const auto pause = [&] {
    stop_signal_ = stop_.Take();
    if (std::chrono::steady_clock::now() < next_sign) return stop_signal_ == 0;
    client_->Report(alive).status().IgnoreError();
    next_sign = std::chrono::steady_clock::now() + kSignOfLifeEvery;
    return stop_signal_ == 0;
  };
  const PerformanceResult result =
      PerformanceTest(*catalog, options, &judge, worker.worker.get(), oracle.get()).Run(calls, pause);
  RETURN_IF_ERROR(ReportPerformance(result));
  return stop_signal_ == 0 ? absl::OkStatus() : absl::CancelledError("stopped by a signal");
}

absl::Status Agent::ReportPerformance(const PerformanceResult& result) {
  constexpr int kPerRequest = 256;
  v1::ReportRequest request;
  request.set_run_id(run_.run_id());
  request.set_agent_id(agent_id_);
  *request.mutable_machine() = result.machine;
  int64_t measured = 0;
  for (const v1::Measurement& measurement : result.measurements) {
    measured += measurement.has_refused() ? 0 : 1;
    *request.add_measurements() = measurement;
    if (request.measurements_size() < kPerRequest) continue;
    RETURN_IF_ERROR(client_->Report(request).status());
    request.clear_measurements();
  }
  if (!options_.quiet) {
    *out_ << "Measured " << measured << " calls, "
          << static_cast<int64_t>(result.measurements.size()) - measured
          << " were not timed; diopi-cli performance shows them\n";
  }
  return client_->Report(request).status();
}

// The parts of a verdict that the summary needs. There may be a hundred thousand verdicts, and nearly all
// pass.
v1::Verdict Summarised(v1::Verdict verdict) {
  for (v1::OutputStats& stats : *verdict.mutable_outputs()) {
    v1::OutputStats few;
    few.set_ok(stats.ok());
    few.set_public_pass(stats.public_pass());
    few.set_flushed(stats.flushed());
    stats.Swap(&few);
  }
  if (verdict.outcome() == v1::OUTCOME_PASS) {
    verdict.clear_case_hash();
    verdict.clear_tensor_info();
  }
  return verdict;
}

void Agent::Store(const v1::Verdict& verdict) {
  const bool again = !verdicts_.insert_or_assign(verdict.case_id(), Summarised(verdict)).second;
  if (!again) progress_->Add(verdict);
  if (options_.fail_fast && !first_failure_ && IsFailure(verdict.outcome())) {
    first_failure_ = true;
    kill(getpid(), SIGTERM);  // blocked in every thread: StopSignal receives it
  }
}

// Reports on the whole run: other agents and earlier sessions may have judged some of its cases.
absl::StatusOr<reports::RunReport> Agent::MakeReport(const v1::RunInfo& run) {
  std::vector<v1::Verdict> results;
  if (!options_.resume.empty() || run.done() != static_cast<int64_t>(verdicts_.size())) {
    v1::ReadVerdictsRequest request;
    request.set_run_id(run.run_id());
    ASSIGN_OR_RETURN(rpc::RunVerdicts stored, client_->ReadVerdicts(request));
    results.reserve(stored.verdicts.size());
    for (v1::Verdict& verdict : stored.verdicts) results.push_back(Summarised(std::move(verdict)));
  } else {
    results.reserve(verdicts_.size());
    for (auto& [id, verdict] : verdicts_) results.push_back(std::move(verdict));
  }
  verdicts_.clear();
  return reports::BuildReport(run, std::move(results));
}

ExitCode Agent::Conclude(bool stopped) {
  v1::FinishRunRequest request;
  request.set_run_id(run_.run_id());
  request.set_agent_id(agent_id_);
  request.set_aborted(stopped);
  StageReached("finish");
  const absl::StatusOr<v1::RunInfo> run = client_->FinishRun(request);
  if (!run.ok()) return PrintHowToResume(run.status());
  progress_->Finish();
  absl::StatusOr<reports::RunReport> report = MakeReport(*run);
  if (!report.ok()) return PrintError(report.status());
  if (own_server()) report->data_folder = AbsolutePath(options_.data_folder);
  const ExitCode code = WriteReport(*report);
  if (!stopped || first_failure_) {  // the verdicts so far are final
    warm_->completed = true;
    warm_->verdicts.clear();
    for (v1::Verdict& verdict : report->results) {
      std::string id = verdict.case_id();
      warm_->verdicts.emplace(std::move(id), std::move(verdict));
    }
  }
  if (!stopped) return code;
  warm_->stopped = !first_failure_;
  if (first_failure_) *err_ << "diopi-agent: the first failure ended the run (--fail-fast)\n";
  *err_ << "diopi-agent: stopped; complete the run with: " << ResumeCommand() << "\n";
  return first_failure_ ? ExitCode::kFailed : static_cast<ExitCode>(ExitCodeForSignal(stop_signal_));
}

ExitCode Agent::WriteReport(const reports::RunReport& report) {
  const std::string failures = options_.quiet ? "" : reports::RenderFailures(report);
  *out_ << "\n" << failures << (failures.empty() ? "" : "\n") << reports::RenderSummary(report);
  const absl::Status written = ReplaceFile(options_.error_report, reports::RenderErrorReport(report));
  if (!written.ok()) return PrintError(written);
  *out_ << "Errors       " << options_.error_report << "\n"
        << "Results      run " << run_.run_id() << " in "
        << server::DatabasePath(own_server() ? options_.data_folder : client_->server().data_folder())
        << (own_server() ? "" : " on the server") << "\n";
  const std::string page = client_->PageOf(run_.run_id());
  if (!page.empty()) *out_ << "Page         " << page << "\n";
  OutcomeCounts outcomes;
  for (const auto& [outcome, count] : report.outcomes) outcomes[OutcomeName(outcome)] = count;
  const ExitCode code = ExitCodeFor(outcomes);
  if (report.coverage.passing() >= options_.min_passing || code == ExitCode::kOurs) return code;
  *err_ << "diopi-agent: " << reports::PassingText(report.coverage) << ", --min-coverage requires "
        << options_.min_passing << "\n";
  return ExitCode::kFailed;
}

}  // namespace

ExitCode ListCases(const AgentOptions& options, std::ostream* out, std::ostream* err) {
  const auto print_error = [err](const absl::Status& status) {
    *err << "diopi-agent: " << PrintableMessage(WithShortLines(status.message())) << "\n";
    return ExitCodeFor(status);
  };
  const absl::StatusOr<v1::Selection> selection = MakeSelection(options.selection);
  if (!selection.ok()) return print_error(selection.status());
  const absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog =
      cases::LoadCatalog(options.selection.cases_folder);
  if (!catalog.ok()) return print_error(catalog.status());
  const absl::StatusOr<std::vector<v1::Case>> cases = (*catalog)->SelectRun(*selection);
  if (!cases.ok()) return print_error(cases.status());
  for (const v1::Case& c : *cases) {
    const std::optional<v1::Finding> skipped = options.profile.SkipReason(c);
    *out << c.id() << (skipped.has_value() ? absl::StrCat("  # ", FindingText(*skipped)) : "") << "\n";
  }
  out->flush();
  return ExitCode::kOk;
}

ExitCode RunAgent(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
                  std::ostream* err, WatchState* warm) {
  WatchState cold;  // outlives the agent, whose client must end before the server
  if (warm == nullptr) warm = &cold;
  warm->completed = warm->stopped = false;
  Agent agent(options, stop, terminal, out, err, warm);
  return agent.Run();
}

}  // namespace diopi::agent
