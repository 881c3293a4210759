// One Explorer is one exploration: it makes the calls first and looks for causes afterwards, in one worker,
// with the oracle's processes. These processes are forked before the connection to the server, because a
// client has threads. The record on the server is updated on the way and ended however the exploration ends,
// so a stopped or failed one is stored as far as it came.
#include "client/agent/explore.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/contract.h"
#include "baselines/generate/oracle_pool.h"
#include "cases/base/outcome.h"
#include "cases/base/printable_stream.h"
#include "cases/base/process_pool.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "cases/base/write_file.h"
#include "cases/explore/generator.h"
#include "cases/user/operator_text.h"
#include "cases/user/user_cases.h"
#include "client/agent/connection.h"
#include "client/agent/exploration_record.h"
#include "client/agent/tested_library.h"
#include "client/explore/explore.h"
#include "client/explore/findings.h"
#include "client/setup/arguments.h"
#include "client/setup/paths.h"
#include "client/shrink/case_trial.h"
#include "reports/render/exploration.h"
#include "reports/render/render.h"
#include "server/store/database.h"

namespace diopi::agent {
namespace {

using explore::ExploreResult;
using explore::Finding;

constexpr size_t kBytesPerOracle = size_t{1} << 30;
constexpr double kShrinkTimeout = 5;    // seconds, for each of hundreds of calls, some of which may hang
constexpr char kFolder[] = "explored";  // of the operator files
constexpr char kOracleDied[] = "its process ended with ";

// "1 call", "2 calls".
std::string Counted(int64_t count, const std::string& what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

class Explorer {
 public:
  Explorer(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out)
      : options_(options),
        stop_(stop),
        terminal_(terminal),
        out_(*out),
        folder_(AbsolutePath((std::filesystem::path(options.report_folder) / kFolder).string())) {}

  absl::StatusOr<ExitCode> Run() {
    absl::Status status = Prepare();
    if (!status.ok()) return status;
    absl::StatusOr<ExploreResult> result = Explore();
    if (!result.ok()) return Fail(result.status());
    stored_ = Stored(*result);
    PrintStatistics(*result);
    status = cases::WriteFileWhole(absl::StrCat(folder_, "/statistics.csv"), Statistics());
    if (status.ok() && !result->unloadable.ok()) status = Unloadable(*result);
    if (status.ok()) status = WriteFindings(&*result);
    if (!status.ok()) return Fail(status);
    status = Finish(result->stop_signal != 0);
    if (result->stop_signal != 0) {
      if (!status.ok()) out_ << "Results      " << status.message() << "\n";
      return static_cast<ExitCode>(ExitCodeForSignal(result->stop_signal));
    }
    if (!status.ok()) return status;
    return ExitCodeFor(OutcomeCounts(stored_.outcomes().begin(), stored_.outcomes().end()));
  }

 private:
  absl::Status Prepare() {
    ASSIGN_OR_RETURN(compare_.contracts, baselines::ParseContracts(options_.contracts));
    absl::Status status = MakeFolder(folder_);
    if (status.ok()) status = CheckCanWrite(absl::StrCat(folder_, "/statistics.csv"));
    if (!status.ok()) return status;
    ASSIGN_OR_RETURN(facts_, InspectTested(options_));
    ASSIGN_OR_RETURN(selection_, MakeSelection(options_.selection));
    ASSIGN_OR_RETURN(catalog_, cases::LoadCatalog(options_.selection.cases_folder));
    explore::GeneratorOptions generator;
    generator.seed = options_.explore.seed;
    generator.functions = facts_.implemented;
    rules_ = std::make_unique<CaseJudge>(MakeJudgeOptions(options_, compare_, options_.repeat));
    generator.accepts = [this](const v1::Case& c) { return !rules_->SkipReason(c).has_value(); };
    ASSIGN_OR_RETURN(generator_, explore::Generator::Make(*catalog_, selection_, generator));
    // Its processes are forked before this one has threads, as a client of the server does.
    ASSIGN_OR_RETURN(oracle_,
                     baselines::OraclePool::Open(DefaultReferenceLibrary(), ProcessesFor(kBytesPerOracle)));
    if (options_.explore.count_only) return absl::OkStatus();
    ASSIGN_OR_RETURN(client_, Connect(options_, &server_));
    return absl::OkStatus();
  }

  absl::Status Begin(const v1::WorkerHello& hello) {
    if (client_ == nullptr) return absl::OkStatus();
    v1::RunOptions run = DescribeRun(options_, facts_, hello, selection_, compare_.contracts);
    ASSIGN_OR_RETURN(v1::ExplorationOptions asked, MakeExplorationOptions(options_.explore));
    *run.mutable_exploration() = std::move(asked);
    ASSIGN_OR_RETURN(record_, ExplorationRecord::Begin(client_.get(), run, options_.explore.run_id));
    if (options_.explore.run_id.empty()) return absl::OkStatus();
    // An uploaded library has its own name there, not that of a file which is removed.
    ASSIGN_OR_RETURN(const v1::RunInfo info, client_->GetRun(options_.explore.run_id));
    shown_impl_ = info.options().impl_path();
    return absl::OkStatus();
  }

  absl::Status Finish(bool aborted) {
    if (record_ == nullptr) return absl::OkStatus();
    record_->Update(stored_);
    absl::Status status = record_->Finish(aborted);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat("the exploration is not stored as a whole; ", folder_,
                                                      " has its results: ", status.message()));
    }
    const bool own = server_ != nullptr;
    out_ << "Results      exploration " << record_->run_id() << " in "
         << server::DatabasePath(own ? options_.data_folder : client_->server().data_folder())
         << (own ? "" : " on the server") << "\n";
    return absl::OkStatus();
  }

  // Its causes cannot be sought without the library.
  static absl::Status Unloadable(const ExploreResult& result) {
    return absl::Status(
        result.unloadable.code(),
        absl::StrCat("the exploration ended after ", Counted(result.calls, "call"),
                     " because the library cannot be loaded again: ", result.unloadable.message()));
  }

  // The exploration ends with this error; what it did so far is stored.
  absl::Status Fail(const absl::Status& status) {
    if (record_ != nullptr) record_->Finish(/*aborted=*/true).IgnoreError();
    return status;
  }

  loader::WorkerOptions WorkerOptionsFor(double timeout_s, int device) const {
    loader::WorkerOptions worker = MakeWorkerOptions(options_, facts_, timeout_s, device);
    if (client_ != nullptr) HideServer(options_, *client_, server_.get(), &worker);
    return worker;
  }

  absl::StatusOr<std::vector<std::unique_ptr<loader::Worker>>> StartWorkers() const {
    std::vector<int> devices = options_.devices;
    if (devices.empty()) devices.assign(static_cast<size_t>(options_.workers), -1);
    std::vector<std::unique_ptr<loader::Worker>> workers;
    for (const int device : devices) {
      ASSIGN_OR_RETURN(std::unique_ptr<loader::Worker> worker,
                       shrink::StartWorker(WorkerOptionsFor(options_.timeout_s, device)));
      workers.push_back(std::move(worker));
    }
    return workers;
  }

  absl::StatusOr<ExploreResult> Explore() {
    ASSIGN_OR_RETURN(std::vector<std::unique_ptr<loader::Worker>> workers, StartWorkers());
    RETURN_IF_ERROR(Begin(workers.front()->hello()));
    ASSIGN_OR_RETURN(const ExploreAmount amount, ParseExploreAmount(options_.explore.amount));
    explore::ExploreOptions options;
    options.most_calls = amount.calls;
    options.time = amount.time;
    options.stop_on_first = options_.explore.stop_on_first;
    options.judge = MakeJudgeOptions(options_, compare_, options_.repeat);
    options.oracles = ProcessesFor(kBytesPerOracle);
    if (!options_.quiet) {
      out_ << "Exploring    " << Counted(generator_->functions(), "function") << " of " << facts_.path
           << ", seed " << options_.explore.seed << "\n"
           << std::flush;
    }
    const auto progress = [this](const ExploreResult& now) {
      if (record_ != nullptr) record_->Update(Stored(now));
      if (!terminal_ || options_.quiet) return;
      WriteControl("\r", &out_);
      out_ << now.calls << " calls, " << now.failures.size() << " failed " << std::flush;
    };
    absl::StatusOr<ExploreResult> result =
        explore::Explore(generator_.get(), options, oracle_.get(), std::move(workers), stop_, progress);
    if (terminal_ && !options_.quiet) WriteControl("\r\033[K", &out_);
    return result;
  }

  // What the server stores, without causes.
  v1::Exploration Stored(const ExploreResult& result) const {
    v1::Exploration stored;
    stored.set_calls(result.calls);
    stored.set_seconds(result.seconds);
    for (const auto& [outcome, count] : result.outcomes) {
      (*stored.mutable_outcomes())[OutcomeName(outcome)] = count;
    }
    std::map<std::string, int64_t> failures;
    for (const explore::FailedCall& failed : result.failures) ++failures[failed.call.c.function()];
    for (int64_t i = 0; i < generator_->functions(); ++i) {
      const explore::Source& source = generator_->source(static_cast<size_t>(i));
      v1::Exploration::Function& function = *stored.add_functions();
      function.set_name(source.function());
      const auto calls = result.calls_of.find(source.function());
      if (calls != result.calls_of.end()) function.set_calls(calls->second);
      function.set_failures(failures[source.function()]);
      function.set_classes(source.seen().classes());
      function.set_pairs(source.seen().pairs());
      stored.set_classes(stored.classes() + function.classes());
      stored.set_pairs(stored.pairs() + function.pairs());
    }
    stored.set_functions_called(static_cast<int64_t>(result.calls_of.size()));
    stored.set_refused(static_cast<int64_t>(result.unreferenced.size()));
    stored.set_false_alarms(result.ExpectedFalseAlarms());
    for (const std::string& function : generator_->given_up()) stored.add_given_up(function);
    return stored;
  }

  void PrintStatistics(const ExploreResult& result) const {
    std::vector<std::string> outcomes;
    outcomes.reserve(result.outcomes.size());
    for (const auto& [outcome, count] : result.outcomes) {
      outcomes.push_back(absl::StrCat(count, " ", OutcomeName(outcome)));
    }
    out_ << absl::StrFormat("Explored     %s of %s in %.1f s: %.1f a second\n", Counted(result.calls, "call"),
                            Counted(static_cast<int64_t>(result.calls_of.size()), "function"), result.seconds,
                            static_cast<double>(result.calls) / result.seconds)
         << "Outcomes     " << (outcomes.empty() ? "none" : absl::StrJoin(outcomes, ", ")) << "\n"
         << absl::StrFormat("Covered      %d classes of arguments, %d pairs of classes\n", stored_.classes(),
                            stored_.pairs())
         << absl::StrFormat("False alarms at most %.1e expected of a correct library\n",
                            result.ExpectedFalseAlarms());
    PrintLeftOut(result);
    for (const explore::FailedCall& failed : result.failures) {
      if (!options_.verbose) break;
      out_ << "  " << failed.call.c.id() << ": " << OutcomeName(failed.verdict.outcome()) << ": "
           << OneLine(failed.verdict.reason()) << " (" << failed.call.point.reveals() << ")\n";
    }
    out_ << std::flush;
  }

  void PrintLeftOut(const ExploreResult& result) const {
    int64_t died = 0;
    for (const auto& [id, why] : result.unreferenced) {
      died += absl::StartsWith(why, kOracleDied) ? 1 : 0;
      if (options_.verbose) out_ << "  " << id << ": left out: " << why << "\n";
    }
    if (!result.unreferenced.empty()) {
      out_ << "Left out     " << result.unreferenced.size() << " calls that the reference refuses"
           << (died == 0 ? "" : absl::StrCat(", ", died, " of them by a crash of its own")) << "\n";
    }
    const std::vector<std::string> given_up = generator_->given_up();
    if (!given_up.empty()) {
      out_ << "Given up     after many failures: " << absl::StrJoin(given_up, " ") << "\n";
    }
  }

  std::string Statistics() const {
    std::string text = "function,calls,classes,pairs\r\n";
    for (const v1::Exploration::Function& function : stored_.functions()) {
      absl::StrAppend(&text, function.name(), ",", function.calls(), ",", function.classes(), ",",
                      function.pairs(), "\r\n");
    }
    return text;
  }

  explore::RepeatCommands RepeatCommand(const v1::Verdict& verdict) const {
    v1::RunOptions run;
    const bool submitted = !options_.explore.run_id.empty();
    run.set_impl_path(submitted ? shown_impl_ : facts_.path);
    run.set_repeat(options_.repeat);
    for (const std::string& contract : compare_.contracts.Texts()) run.add_contracts(contract);
    *run.mutable_command() = MakeRunCommand(options_);
    run.mutable_command()->set_cases_folder(submitted ? kFolder : folder_);
    // Those who submitted it get the files from the server and cannot see this machine's.
    if (submitted) run.set_host("another machine");
    return {reports::ReproCommand(run, verdict),
            reports::LocalReproCommand(run, verdict, AbsolutePath(options_.data_folder))};
  }

  // Sets the signal that ended the search, if one did. If the exploration was stopped, calls nothing again.
  absl::Status WriteFindings(ExploreResult* result) {
    if (result->failures.empty() || options_.explore.count_only) return absl::OkStatus();
    CaseJudgeOptions judging = MakeJudgeOptions(options_, compare_, options_.repeat);
    CaseJudge diagnosing(judging);
    judging.diagnose = false;
    CaseJudge judge(judging);
    const int device = options_.devices.empty() ? -1 : options_.devices.front();
    ASSIGN_OR_RETURN(std::unique_ptr<shrink::CaseTrial> trial,
                     shrink::CaseTrial::Start(
                         &judge, WorkerOptionsFor(std::min(options_.timeout_s, kShrinkTimeout), device),
                         std::move(oracle_)));
    out_ << "\nCauses\n" << std::flush;
    const bool stopped = result->stop_signal != 0;
    absl::Status written = explore::WriteFindings(
        result->failures, folder_, {.call_again = !stopped}, &diagnosing, trial.get(),
        [this](const v1::Verdict& verdict) { return RepeatCommand(verdict); },
        [this, result, stopped](const Finding& finding) {
          AddCause(finding, &stored_);
          if (record_ != nullptr) record_->Update(stored_);
          const reports::FailureGroup& group = finding.group;
          out_ << "  " << reports::OperatorsText(group) << ": " << OutcomeName(group.outcome) << ": "
               << OneLine(group.cause) << " (" << group.cases.size()
               << (group.cases.size() == 1 ? " call" : " calls") << ")\n"
               << (finding.condition.empty() ? "" : absl::StrCat("    ", finding.condition, "\n")) << "    "
               << finding.path << (finding.known ? ", known before" : "") << "\n    "
               << finding.commands.local << "\n"
               << std::flush;
          if (stopped) return true;
          result->stop_signal = stop_.Take();
          return result->stop_signal == 0;
        });
    out_ << reports::CausesSentence(stored_) << "\n" << std::flush;
    return written;
  }

  const AgentOptions& options_;
  const StopSignal& stop_;
  const bool terminal_;
  std::ostream& out_;
  const std::string folder_;  // of the operator files that are written
  LibraryFacts facts_;
  baselines::CompareOptions compare_;
  std::unique_ptr<cases::Catalog> catalog_;
  std::unique_ptr<CaseJudge> rules_;  // only says which cases the profile skips
  std::unique_ptr<explore::Generator> generator_;
  v1::Selection selection_;
  std::unique_ptr<baselines::OraclePool> oracle_;
  std::unique_ptr<ServerProcess> server_;  // its own; outlives the client
  std::unique_ptr<rpc::Client> client_;    // null: nothing is stored
  std::unique_ptr<ExplorationRecord> record_;
  v1::Exploration stored_;
  std::string shown_impl_;  // of a submitted exploration: the library's path for those who submitted it
};

}  // namespace

ExitCode ExploreLibrary(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
                        std::ostream* err) {
  const absl::StatusOr<ExitCode> code = Explorer(options, stop, terminal, out).Run();
  if (code.ok()) return *code;
  *err << "diopi-agent: " << code.status().message() << "\n";
  return ExitCodeFor(code.status());
}

}  // namespace diopi::agent
