// diopi-cli call: calls a library in this process, under a tool such as compute-sanitizer.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/generate/generate.h"
#include "cases/base/text.h"
#include "client/cli/command.h"
#include "client/cli/selection.h"
#include "client/setup/paths.h"
#include "impl_loader/caller/case_caller.h"

namespace diopi::cli {
namespace {

class CallCommand final : public Command {
 public:
  std::string name() const override { return "call"; }
  std::string description() const override {
    return "Calls a trusted library in this process, for use under compute-sanitizer";
  }
  std::string examples() const override {
    return "  diopi-cli call --impl libdiopi_impl.so --fname add --repeat 3    calls without a worker "
           "process or verdicts\n";
  }
  void AddOptions(CLI::App* app) override {
    AddImplOption(app, &impl_)->required();
    agent::AddSelectionOptions(app, &selection_);
    AddCasesOption(app, &selection_.cases_folder);
    app->add_option("--repeat", repeat_, "How often to call each case (default: 1)")
        ->check(CLI::Range(1, 100'000));
    app->add_option("--limit-s", limit_s_, "Seconds after which no further case begins (default: none)")
        ->check(CLI::NonNegativeNumber);
    app->add_option("--from", from_,
                    "Id of the selection's case to begin with, after 'stopped before' (default: the first)");
    AddLibraryOption(app, &library_);
  }

  ExitCode Run() override {
    const absl::StatusOr<std::vector<v1::Case>> cases = SelectCases(selection_);
    if (!cases.ok()) return PrintError(cases.status());
    const auto oracle = loader::InProcessLibrary::Open(agent::ReferenceLibraryOr(library_));
    if (!oracle.ok()) return PrintError(oracle.status());
    // Each tensor has its own allocation, so that the tool can see an access beside it.
    const auto caller = loader::CaseCaller::Open(agent::AbsolutePath(impl_), /*exact_memory=*/true);
    if (!caller.ok()) return PrintError(caller.status());
    int64_t called = 0, without = 0, failed = 0;
    const auto first = std::find_if(cases->begin(), cases->end(),
                                    [this](const v1::Case& c) { return from_.empty() || c.id() == from_; });
    if (first == cases->end() && !cases->empty()) {
      return PrintError(absl::InvalidArgumentError(absl::StrCat("--from: no case ", from_, " is selected")));
    }
    const auto begin = std::chrono::steady_clock::now();
    for (auto at = first; at != cases->end(); ++at) {
      const v1::Case& c = *at;
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      if (limit_s_ > 0 && at != first && passed.count() >= limit_s_) {
        std::cout << "stopped before " << c.id() << "\n";
        break;
      }
      std::cout << "case " << c.id() << "\n" << std::flush;  // flushed, because the tool prints in between
      const absl::StatusOr<baselines::Baseline> baseline = baselines::GenerateInputs(**oracle, c);
      const absl::Status status =
          baseline.ok() ? (*caller)->Call(baseline->c, baseline->inputs, repeat_) : baseline.status();
      if (absl::IsUnavailable(status) && at != first) {  // an earlier call's fault: another process can go on
        std::cout << "stopped before " << c.id() << "\n";
        break;
      }
      if (status.ok()) {
        ++called;
      } else if (absl::IsUnimplemented(status) || absl::IsInvalidArgument(status)) {
        ++without;
      } else {
        ++failed;
        std::cout << "failed " << c.id() << ": " << PrintableMessage(std::string(status.message())) << "\n";
      }
    }
    std::cout << absl::StrFormat("%d cases called, %d not implemented, %d failed\n", called, without, failed)
              << std::flush;
    return failed == 0 ? ExitCode::kOk : ExitCode::kFailed;
  }

 private:
  std::string impl_;
  agent::SelectionArguments selection_;
  int repeat_ = 1;
  double limit_s_ = 0;
  std::string from_;
  std::string library_;
};

}  // namespace

std::unique_ptr<Command> MakeCallCommand() {
  return std::make_unique<CallCommand>();
}

}  // namespace diopi::cli
