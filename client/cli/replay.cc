// diopi-cli replay CAPTURE --impl X.so: calls a library as a captured process did, offline. The captured
// outputs are judged beside the new ones, by the same references, which shows whether the library has changed
// since. A call that cannot be replayed is counted apart: it says nothing about the library.
#include <algorithm>
#include <iostream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/compare.h"
#include "baselines/generate/generate.h"
#include "baselines/tap/capture.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "client/cli/case_call.h"
#include "client/cli/tap_commands.h"
#include "client/judge/verdict_builder.h"
#include "client/setup/arguments.h"
#include "client/setup/paths.h"
#include "client/setup/profile_options.h"
#include "client/shrink/case_trial.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::cli {
namespace {

class ReplayCommand final : public Command {
 public:
  std::string name() const override { return "replay"; }
  std::string description() const override {
    return "Calls a library with captured arguments, and judges or times the calls";
  }
  std::string examples() const override {
    return "  diopi-cli replay diopi-capture --impl libdiopi_impl.so              a verdict for each "
           "captured "
           "call\n"
           "  diopi-cli replay diopi-capture --impl libdiopi_impl.so --time 20    how long each call takes\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("capture", capture_, "Folder of captured calls, or one of its files")->required();
    AddImplOption(app, &options_.impl)->required();
    AddDeviceLibOption(app, &options_.device_lib);
    AddFnameOption(app, &functions_);
    app->add_flag("--forward-only", forward_only_, "Leave out backward functions");
    AddContractOption(app, &options_.contracts);
    app->add_option("--time", runs_, "Measure the time of this many runs of each call, and do not judge them")
        ->check(CLI::Range(1, 100'000));
    agent::AddProfileOption(app, &options_.profile_path);
    agent::AddModeFlags(app, &options_.modes);
    agent::AddWorkerFlags(app, &options_.sandbox, &options_.worker_memory);
    app->add_option("--timeout-s", options_.timeout_s,
                    "Seconds a call may take (default: the profile's, or 30)")
        ->check(CLI::Range(0.001, 86400.0));
    app->add_option("--repeat", options_.repeat,
                    "Number of calls per captured call; their results are compared (default: 2)")
        ->check(CLI::Range(2, 100'000));
    AddWorkerProgramOption(app, &options_.worker_program);
  }

  ExitCode Run() override {
    const absl::StatusOr<std::vector<std::string>> files = tap::CaptureFiles(capture_);
    if (!files.ok()) return PrintError(files.status());
    const absl::Status started = Start();
    if (!started.ok()) return PrintError(started);
    for (const std::string& file : *files) {
      const absl::StatusOr<tap::CapturedCall> call = tap::ReadCapturedCall(file);
      const absl::Status replayed = !call.ok()             ? call.status()
                                    : !IsSelected(call->c) ? absl::OkStatus()
                                    : runs_ > 0            ? Time(*call)
                                                           : Judge(*call);
      if (replayed.ok()) continue;
      ++unusable_;
      std::cerr << "diopi-cli: " << PrintableMessage(std::string(replayed.message())) << "\n";
    }
    std::cout << absl::StrFormat("%d calls replayed, %d failed", replayed_, failed_);
    if (unusable_ > 0) std::cout << absl::StrFormat(", %d could not be replayed", unusable_);
    std::cout << "\n" << std::flush;
    if (failed_ > 0) return ExitCode::kFailed;
    return unusable_ > 0 ? ExitCode::kUsage : ExitCode::kOk;
  }

 private:
  absl::Status Start() {
    ASSIGN_OR_RETURN(call_, CaseCall::Make(options_, /*diagnose=*/true));
    ASSIGN_OR_RETURN(reference_, loader::InProcessLibrary::Open(agent::DefaultReferenceLibrary()));
    ASSIGN_OR_RETURN(worker_, shrink::StartWorker(call_->MakeWorkerOptions()));
    return absl::OkStatus();
  }

  bool IsSelected(const v1::Case& c) const {
    if (forward_only_ && absl::StrContains(c.function(), "Backward")) return false;
    return functions_.empty() ||
           std::any_of(functions_.begin(), functions_.end(), [&](const std::string& name) {
             return name == c.function() || name == c.operator_();
           });
  }

  // An error means that the call cannot be replayed at all.
  absl::StatusOr<v1::Verdict> Replay(const tap::CapturedCall& call, const TensorMap& references) {
    if (const std::optional<v1::Finding> skipped = call_->judge().SkipReason(call.c); skipped.has_value())
      return agent::MakeVerdict(call.c, v1::OUTCOME_SKIPPED, {*skipped});
    TensorMap inputs = call.inputs;
    ASSIGN_OR_RETURN(const loader::CallOptions options, call_->judge().Prepare(call.c, &inputs));
    RETURN_IF_ERROR(worker_->Submit(call.c, inputs, options));
    const loader::CallOutcome outcome = worker_->Wait();
    return call_->judge().Judge(call.c, inputs, references, outcome, options.adaptor);
  }

  absl::Status Judge(const tap::CapturedCall& call) {
    const absl::StatusOr<TensorMap> references =
        baselines::GenerateReferences(*reference_, call.c, call.inputs);
    if (!references.ok()) {
      return absl::Status(references.status().code(),
                          absl::StrCat(call.path, ": the reference: ", references.status().message()));
    }
    ASSIGN_OR_RETURN(const v1::Verdict verdict, Replay(call, *references));
    const v1::Verdict then =
        baselines::CompareCase(call.c, call.inputs, *references, call.outputs, {call_->contracts()});
    ++replayed_;
    const bool failed = IsFailure(verdict.outcome());
    if (failed) ++failed_;
    std::cout << absl::StrFormat("%-16s %s %s (when captured: %s)", OutcomeName(verdict.outcome()),
                                 PrintableLine(call.c.function()), PrintableLine(call.path),
                                 OutcomeName(then.outcome()));
    if (!verdict.reason().empty()) std::cout << "\n  " << PrintableMessage(verdict.reason());
    if (!verdict.likely_cause().empty()) std::cout << "\n  likely: " << PrintableLine(verdict.likely_cause());
    std::cout << "\n";
    return absl::OkStatus();
  }

  absl::Status Time(const tap::CapturedCall& call) {
    std::vector<double> times;
    for (int run = 0; run < runs_; ++run) {
      RETURN_IF_ERROR(worker_->Submit(call.c, call.inputs, 2));
      const loader::CallOutcome outcome = worker_->Wait();
      if (outcome.kind != loader::CallOutcome::Kind::kReplied || outcome.reply.error_code() != 0) {
        ++replayed_;
        ++failed_;
        std::cout << absl::StrFormat("%-44s %s: the call failed %s\n", PrintableLine(call.c.function()),
                                     PrintableLine(call.path), PrintableMessage(outcome.Text()));
        return absl::OkStatus();
      }
      times.push_back(outcome.reply.call_us());
    }
    std::sort(times.begin(), times.end());
    if (replayed_++ == 0) {
      std::cout << absl::StrFormat("%12s %12s %12s  call\n", "median us", "least us", "most us");
    }
    std::cout << absl::StrFormat("%12.2f %12.2f %12.2f  %s %s\n", times[times.size() / 2], times.front(),
                                 times.back(), PrintableLine(call.c.function()), PrintableLine(call.path));
    return absl::OkStatus();
  }

  std::string capture_;
  CaseCallOptions options_;
  std::vector<std::string> functions_;
  bool forward_only_ = false;
  int runs_ = 0;  // 0: judge
  std::unique_ptr<CaseCall> call_;
  std::unique_ptr<loader::InProcessLibrary> reference_;
  std::unique_ptr<loader::Worker> worker_;
  int replayed_ = 0;
  int failed_ = 0;
  int unusable_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeReplayCommand() {
  return std::make_unique<ReplayCommand>();
}

}  // namespace diopi::cli
