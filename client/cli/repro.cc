// diopi-cli repro CASE --impl X.so: runs one case again, with everything that helps to find the cause. The
// call and its verdict come from the agent's own code (CaseCall, CaseJudge), so they are those of the run. A
// debugger runs the worker, not this program: for it the sandbox and the short time limits are lifted, and
// the terminal is taken back when it ends. The C file calls the library directly, without a worker.
#include <signal.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <iostream>
#include <list>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "cases/base/write_file.h"
#include "cases/core/library_checks.h"
#include "cases/findings/finding_text.h"
#include "cases/slices/slices.h"
#include "client/cli/c_source.h"
#include "client/cli/case_call.h"
#include "client/cli/case_data.h"
#include "client/cli/case_text.h"
#include "client/cli/command.h"
#include "client/cli/debugger.h"
#include "client/cli/selection.h"
#include "client/command_line/command_line.h"
#include "client/setup/paths.h"
#include "client/shrink/case_trial.h"
#include "impl_loader/worker/worker.h"
#include "reports/render/measurements.h"

namespace diopi::cli {
namespace {

// A case id as part of a file's name.
std::string FileName(const std::string& id) {
  std::string name = "repro_" + id + ".c";
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '_';
  }
  return name;
}

// Takes the terminal back from a debugger.
void TakeTerminalBack() {
  if (isatty(STDIN_FILENO) != 1) return;
  sigset_t output;
  sigset_t before;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);  // it would stop this process, which is in the background now
  pthread_sigmask(SIG_BLOCK, &output, &before);
  tcsetpgrp(STDIN_FILENO, getpgrp());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

class ReproCommand final : public Command {
 public:
  std::string name() const override { return "repro"; }
  std::string description() const override { return "Runs one case again and writes it as a C file"; }
  std::string examples() const override {
    return "  diopi-cli repro add.float32.n17 --impl libdiopi_impl.so          one case, its mismatches, and "
           "a C file\n"
           "  diopi-cli repro add.float32.n17 --impl libdiopi_impl.so --gdb    stopped at the function's "
           "start\n";
  }
  void AddOptions(CLI::App* app) override {
    AddCaseCallOptions(app, "the profile's, or 30; a day under a debugger", &options_);
    app->add_option("--after", after_, "Cases to call before CASE in the same process, in this order")
        ->delimiter(',');
    app->add_flag("--beside", beside_,
                  "Call the last case of --after again at the same time, on another thread")
        ->needs("--after");
    app->add_option("--output", output_, "C file to write (default: repro_CASE.c in the current folder)");
    CLI::Option* gdb =
        app->add_flag("--gdb", gdb_, "Run the case under gdb, stopped at the start of the function");
    CLI::Option* valgrind = app->add_flag("--valgrind", valgrind_, "Run the case under valgrind");
    valgrind->excludes(gdb);
    app->add_flag("--compute-sanitizer", compute_sanitizer_, "Run the case under NVIDIA's compute-sanitizer")
        ->excludes(gdb)
        ->excludes(valgrind);
    ShowFirst({"--impl", "--device-lib", "--cases", "--data", "--profile", "--contract", "--timeout-s",
               "--after", "--output", "--gdb", "--valgrind"},
              app);
  }

  ExitCode Run() override {
    const absl::StatusOr<v1::Case> c = FindCase(options_.case_id, options_.cases_folder);
    if (!c.ok()) return PrintError(c.status());
    absl::StatusOr<std::unique_ptr<CaseCall>> call = CaseCall::Make(options_, /*diagnose=*/true);
    if (!call.ok()) return PrintError(call.status());
    call_ = *std::move(call);
    if (const std::optional<v1::Finding> skipped = call_->judge().SkipReason(*c); skipped.has_value()) {
      std::cout << CaseText(*c) << "Outcome    skipped\nReason     "
                << PrintableMessage(FindingText(*skipped)) << "\n"
                << std::flush;
      return ExitCode::kOk;
    }
    const absl::Status found = FindDebugger(*c);
    if (!found.ok()) return PrintError(found);
    if (cases::IsLibraryCheck(*c)) {  // not a single call, so no C file
      std::cout << CaseText(*c);
      return Judge(*c, {});
    }
    const absl::StatusOr<CaseData> data = ReadOrMakeCaseData(*c, options_.data, "");
    if (!data.ok()) return PrintError(data.status());
    std::cout << CaseText(*c) << "Reference  " << PrintableLine(data->provenance) << "\n";
    const absl::Status written = HasSource(*c) ? WriteSource(*c, *data) : absl::OkStatus();
    if (!written.ok()) return PrintError(written);
    return Judge(*c, *data);
  }

 private:
  bool HasSource(const v1::Case& c) const {
    return !slices::IsLarge(c) && !cases::IsLibraryCheck(c) && after_.empty();
  }

  absl::Status WriteSource(const v1::Case& c, const CaseData& data) {
    output_ = agent::AbsolutePath(output_.empty() ? FileName(c.id()) : output_);
    source_.library = call_->impl_path();
    source_.calls = options_.repeat;
    source_.file_name = output_;
    source_.include_folder = agent::IncludeFolder();
    source_.contracts = call_->contracts().For(c);
    const absl::StatusOr<std::string> source = CSource(c, data.inputs, data.references, source_);
    if (!source.ok()) return absl::InternalError(source.status().message());
    return ReplaceFile(output_, *source);
  }

  absl::Status FindDebugger(const v1::Case& c) {
    debugger_ = gdb_                 ? Debugger::kGdb
                : valgrind_          ? Debugger::kValgrind
                : compute_sanitizer_ ? Debugger::kComputeSanitizer
                                     : Debugger::kNone;
    if (debugger_ == Debugger::kNone) return absl::OkStatus();
    ASSIGN_OR_RETURN(debugger_command_, DebuggerCommand(debugger_, c.function(), isatty(STDIN_FILENO) == 1));
    return absl::OkStatus();
  }

  // gdb at a terminal has it for itself.
  bool FiltersOutput() const {
    return valgrind_ || compute_sanitizer_ || (gdb_ && isatty(STDIN_FILENO) != 1);
  }

  loader::WorkerOptions MakeWorkerOptions() const {
    constexpr std::chrono::hours kDay(24);
    loader::WorkerOptions options = call_->MakeWorkerOptions();
    if (debugger_ != Debugger::kNone) {
      options.debugger = debugger_command_;
      options.sandbox = "off";  // debuggers need what the sandbox forbids
      options.load_timeout = kDay;
      if (options_.timeout_s == 0) options.case_timeout = kDay;
      // Wait until the user leaves the debugger, or at most this long for its last output.
      options.kill_grace = options_.timeout_s > 0 ? std::chrono::milliseconds(10'000) : kDay;
    }
    return options;
  }

  // A debugged case has no short time limit, even where the profile sets one.
  absl::StatusOr<loader::CallOptions> Prepare(const v1::Case& c, TensorMap* inputs) {
    absl::StatusOr<loader::CallOptions> options = call_->judge().Prepare(c, inputs);
    if (options.ok() && debugger_ != Debugger::kNone) options->timeout = std::chrono::milliseconds(0);
    return options;
  }

  // The user left the debugger, or its program ended, before there was a result.
  ExitCode PrintNoResult(const std::string& what) const {
    std::cout << "Outcome    none: " << DebuggerName(debugger_) << " ended first (" << PrintableMessage(what)
              << ")\n"
              << std::flush;
    return ExitCode::kFailed;
  }

  // Makes the calls of --after, whose verdicts nobody asks for.
  absl::Status CallBefore(loader::Worker* worker) {
    for (const std::string& id : after_) {
      ASSIGN_OR_RETURN(const v1::Case c, FindCase(id, options_.cases_folder));
      ASSIGN_OR_RETURN(CaseData data, ReadOrMakeCaseData(c, options_.data, ""));
      ASSIGN_OR_RETURN(loader::CallOptions options, Prepare(c, &data.inputs));
      options.keep = beside_ && &id == &after_.back();
      RETURN_IF_ERROR(worker->Submit(c, data.inputs, options));
      worker->Wait();
    }
    return absl::OkStatus();
  }

  ExitCode Judge(const v1::Case& c, const CaseData& data) {
    std::cout << std::flush;  // before the debugger prints
    std::list<PrintableDescriptor> printable;
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
      if (FiltersOutput()) printable.emplace_back(fd);
    }
    absl::StatusOr<std::unique_ptr<loader::Worker>> worker = shrink::StartWorker(MakeWorkerOptions());
    if (!worker.ok() && debugger_ != Debugger::kNone) {
      printable.clear();
      TakeTerminalBack();
      return PrintNoResult(std::string(worker.status().message()));
    }
    if (!worker.ok()) return PrintError(worker.status());
    const absl::Status called = CallBefore(worker->get());
    if (!called.ok()) return PrintError(called);
    TensorMap inputs = data.inputs;
    absl::StatusOr<loader::CallOptions> options = Prepare(c, &inputs);
    if (!options.ok()) return PrintError(options.status());
    options->beside = beside_;
    const absl::Status submitted = (*worker)->Submit(c, inputs, *options);
    if (!submitted.ok()) return PrintError(submitted);
    const loader::CallOutcome outcome = (*worker)->Wait();
    if (debugger_ != Debugger::kNone) {
      worker->reset();  // waits until the debugger ends
      printable.clear();
      TakeTerminalBack();
      if (outcome.kind == loader::CallOutcome::Kind::kExited) return PrintNoResult(outcome.Text());
    }
    const v1::Verdict verdict = call_->judge().Judge(c, inputs, data.references, outcome, options->adaptor);
    Print(verdict, outcome.outputs);
    if (HasSource(c)) {
      PrintSource();
    } else if (!cases::IsLibraryCheck(c)) {
      std::cout << "C file     none: "
                << (after_.empty() ? "the case is too large to write its inputs into a file"
                                   : "it would call this case alone")
                << "\n"
                << std::flush;
    }
    if (verdict.outcome() == v1::OUTCOME_HARNESS_ERROR) return ExitCode::kOurs;
    return IsFailure(verdict.outcome()) ? ExitCode::kFailed : ExitCode::kOk;
  }

  // The C file calls the library directly, so it lacks the following.
  void PrintSource() const {
    std::vector<std::string> without;
    if (call_->adapts()) without.emplace_back("the adaptor");
    if (call_->sets_environment()) without.emplace_back("the profile's variables");
    std::cout << "C file     " << output_;
    if (!without.empty()) std::cout << " (without " << absl::StrJoin(without, " and ") << ")";
    std::cout << "\nCompile    " << CompileCommand(source_) << "\nRun        " << RunCommand(source_) << "\n"
              << std::flush;
  }

  static void Print(const v1::Verdict& verdict, const TensorMap& outputs) {
    std::cout << "Outcome    " << OutcomeName(verdict.outcome()) << "\n";
    if (!verdict.reason().empty()) std::cout << "Reason     " << PrintableMessage(verdict.reason()) << "\n";
    if (verdict.adapted()) std::cout << "Adaptor    " << PrintableLine(reports::AdaptedText(verdict)) << "\n";
    if (!verdict.backtrace().empty()) {
      std::cout << "Backtrace\n  " << PrintableMessage(verdict.backtrace()) << "\n";
    }
    if (!verdict.likely_cause().empty())
      std::cout << "Likely     " << PrintableLine(verdict.likely_cause()) << "\n";
    if (verdict.contracts_size() > 0)
      std::cout << "Contracts  " << absl::StrJoin(verdict.contracts(), ", ") << " widened the tolerance\n";
    std::cout << "Outputs\n";
    for (const auto& [key, tensor] : outputs)
      std::cout << "  " << key << ": " << TensorText(tensor, 8) << "\n";
    for (const v1::OutputStats& stats : verdict.outputs()) PrintStats(stats);
  }

  static void PrintStats(const v1::OutputStats& stats) {
    std::cout << absl::StrFormat("  %s; %d of %d elements outside\n", reports::OutputText(stats),
                                 stats.mismatches(), stats.elements());
    if (!stats.detail().empty()) std::cout << "    " << PrintableLine(stats.detail()) << "\n";
    for (const v1::Mismatch& mismatch : stats.first()) {
      const bool texts = !mismatch.actual_text().empty() || !mismatch.expected_text().empty();
      std::cout << absl::StrFormat(
          "    [%d] actual %s, expected %s", mismatch.index(),
          texts ? mismatch.actual_text() : absl::StrFormat("%.17g", mismatch.actual()),
          texts ? mismatch.expected_text() : absl::StrFormat("%.17g", mismatch.expected()));
      if (mismatch.tolerance() != 0) std::cout << absl::StrFormat(", tolerance %.3g", mismatch.tolerance());
      std::cout << "\n";
    }
  }

  CaseCallOptions options_;
  std::unique_ptr<CaseCall> call_;
  CSourceOptions source_;
  bool gdb_ = false;
  bool valgrind_ = false;
  bool compute_sanitizer_ = false;
  Debugger debugger_ = Debugger::kNone;
  std::vector<std::string> debugger_command_;
  std::string output_;
  std::vector<std::string> after_;
  bool beside_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeReproCommand() {
  return std::make_unique<ReproCommand>();
}

}  // namespace diopi::cli
