// diopi-cli bisect -- COMMAND, or --capture FOLDER: which functions of a library make a command fail, or
// spoil a captured sequence of calls. Both ask one question, whether all is well when certain functions fall
// back to the CPU reference, and leave the search to SmallestSet. The search begins only after it was seen to
// fail without any fallback; a command must also succeed when all functions fall back, or the cause is
// elsewhere.
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/process.h"
#include "cases/base/status_macros.h"
#include "cases/base/temporary_folder.h"
#include "cases/base/text.h"
#include "client/cli/captured_sequence.h"
#include "client/cli/fallback_search.h"
#include "client/cli/sequence_trial.h"
#include "client/cli/tap_commands.h"
#include "client/setup/paths.h"

namespace diopi::cli {
namespace {

// The program's path, as a shell finds it.
std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = absl::StrCat(folder.empty() ? "." : folder, "/", name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return name;
}

class BisectCommand final : public Command {
 public:
  std::string name() const override { return "bisect"; }
  std::string description() const override {
    return "Finds the smallest set of functions whose fallback to the CPU fixes a command or captured calls";
  }
  std::string examples() const override {
    return "  diopi-cli bisect --impl libdiopi_impl.so -- python train.py --steps 20    the command loads "
           "libdiopi_tap.so and exits with 0 when the run is good\n"
           "  diopi-cli bisect --impl libdiopi_impl.so --capture diopi-capture         the calls of a run, "
           "captured with DIOPI_TAP_EVERY_CALL=1\n";
  }
  void AddOptions(CLI::App* app) override {
    CLI::Option* command = app->add_option(
        "command", command_,
        "Program that loads libdiopi_tap.so, and its arguments; exits with 0 when the run is good");
    app->add_option("--capture", capture_,
                    "Folder with the captured calls of a run, to replay instead of running a command")
        ->excludes(command);
    app->add_option("--impl", impl_, "The vendor's library (default: $DIOPI_TAP_IMPL)");
    app->add_option("--device-lib", device_lib_, "Library with the device functions, for --capture");
    app->add_option(
           "--timeout-s", timeout_s_,
           "Seconds after which the command, or a captured call, counts as failed (default: none; of a "
           "call 30)")
        ->check(CLI::Range(0.001, 8640000.0));
  }

  ExitCode Run() override {
    if (command_.empty() && capture_.empty()) {
      return PrintError(
          absl::InvalidArgumentError("nothing to bisect; expected -- COMMAND, or --capture FOLDER"));
    }
    return capture_.empty() ? BisectCommandLine() : BisectCapture();
  }

 private:
  ExitCode BisectCommandLine() {
    command_[0] = FindProgram(command_[0]);
    absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make();
    if (!folder.ok()) return PrintError(folder.status());
    called_ = *folder / "called";
    const absl::StatusOr<std::vector<std::string>> found = Search();
    if (!found.ok()) return PrintError(found.status());
    if (found->empty()) return ExitCode::kFailed;
    return Found("The command exits with 0", *found);
  }

  ExitCode Found(const char* what, const std::vector<std::string>& names) const {
    std::cout << what << " when " << absl::StrJoin(names, ", ") << (names.size() == 1 ? " falls" : " fall")
              << " back to the CPU reference, found in " << runs_
              << " runs.\nOP_FALLBACK_LIST=" << absl::StrJoin(names, ",") << "\n"
              << std::flush;
    return ExitCode::kOk;
  }

  ExitCode BisectCapture() {
    const absl::StatusOr<CapturedSequence> sequence = ReadSequence(capture_);
    if (!sequence.ok()) return PrintError(sequence.status());
    CaseCallOptions options;
    const char* tapped = std::getenv("DIOPI_TAP_IMPL");
    options.impl = impl_.empty() && tapped != nullptr ? tapped : impl_;
    options.device_lib = device_lib_;
    options.timeout_s = timeout_s_;
    const absl::StatusOr<std::unique_ptr<SequenceTrial>> trial = SequenceTrial::Start(&*sequence, options);
    if (!trial.ok()) return PrintError(trial.status());
    std::cerr << sequence->calls().size() << " calls, " << sequence->links()
              << " inputs of which come from earlier calls\n";
    const auto mends = [&](const std::vector<std::string>& names) -> absl::StatusOr<bool> {
      ASSIGN_OR_RETURN(const SequenceTrial::Result result, (*trial)->Run(names));
      std::cerr << "Run " << ++runs_ << ", " << names.size()
                << " functions fall back: " << PrintableMessage(result.text) << "\n";
      return result.good;
    };
    const absl::StatusOr<bool> good = mends({});
    if (!good.ok()) return PrintError(good.status());
    if (*good) {
      std::cout << "The calls give correct results without any fallback: there is nothing to find.\n";
      return ExitCode::kFailed;
    }
    const absl::StatusOr<std::vector<std::string>> found = SmallestSet(sequence->functions(), mends);
    if (!found.ok()) return PrintError(found.status());
    return Found("The calls give correct results", *found);
  }

  // Empty, after a message, when there is no such set.
  absl::StatusOr<std::vector<std::string>> Search() {
    absl::StatusOr<bool> good = RunWith({});
    if (!good.ok()) return good.status();
    if (*good) {
      std::cout << "The command exits with 0 without any fallback: there is nothing to find.\n";
      return std::vector<std::string>();
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> called, Called());
    good = RunWith(called);
    if (!good.ok()) return good.status();
    if (!*good) {
      std::cout << "The command also fails when all " << called.size()
                << " functions that it calls fall back to the CPU reference: look for the cause elsewhere.\n";
      return std::vector<std::string>();
    }
    return SmallestSet(called, [this](const std::vector<std::string>& names) { return RunWith(names); });
  }

  absl::StatusOr<std::vector<std::string>> Called() const {
    std::ifstream file(called_);
    std::vector<std::string> names;
    std::set<std::string> seen;  // several processes of the command may write the same name
    for (std::string name; std::getline(file, name);) {
      if (seen.insert(name).second) names.push_back(name);
    }
    if (!names.empty()) return names;
    return absl::InvalidArgumentError(absl::StrCat(
        command_[0], ": called no function through libdiopi_tap.so; expected a command that loads it"));
  }

  // Whether the command exits with 0 when these functions fall back.
  absl::StatusOr<bool> RunWith(const std::vector<std::string>& names) {
    ProcessOptions options;
    options.command = command_;
    options.environment = {absl::StrCat("OP_FALLBACK_LIST=", absl::StrJoin(names, ",")),
                           "OP_FALLBACK_DISABLE_LIST=", "DIPU_FORCE_FALLBACK_OPS_LIST=",
                           absl::StrCat("DIOPI_TAP_CALLED=", called_)};
    if (!impl_.empty()) options.environment.push_back("DIOPI_TAP_IMPL=" + agent::AbsolutePath(impl_));
    absl::StatusOr<Process> process = Process::Start(options);
    if (!process.ok()) return absl::InvalidArgumentError(process.status().message());
    ++runs_;
    std::cerr << "Run " << runs_ << ", " << names.size() << " functions fall back: " << std::flush;
    std::optional<ExitStatus> ended;
    if (timeout_s_ > 0) {
      ended = process->WaitFor(std::chrono::milliseconds(static_cast<int64_t>(timeout_s_ * 1000)));
    } else {
      ended = process->Wait();
    }
    std::cerr << (ended.has_value() ? ended->Text() : "timed out") << "\n";
    return ended.has_value() && ended->signal == 0 && ended->code == 0;
  }

  std::vector<std::string> command_;
  std::string capture_;
  std::string impl_;
  std::string device_lib_;
  double timeout_s_ = 0;
  std::string called_;  // the file that gets the names of called functions
  int runs_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeBisectCommand() {
  return std::make_unique<BisectCommand>();
}

}  // namespace diopi::cli
