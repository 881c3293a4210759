// diopi-cli changed: the functions whose code differs between two libraries.
#include <iostream>

#include "client/cli/command.h"
#include "impl_loader/library/changed_functions.h"

namespace diopi::cli {
namespace {

class ChangedCommand final : public Command {
 public:
  std::string name() const override { return "changed"; }
  std::string description() const override {
    return "Lists the functions whose code differs between two libraries, for diopi-agent "
           "--changed-functions";
  }
  std::string examples() const override {
    return "  diopi-cli changed old/libdiopi_impl.so libdiopi_impl.so    what to test after an edit\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("old", old_, "The library before")->required();
    app->add_option("new", new_, "The library now")->required();
  }

  ExitCode Run() override {
    const absl::StatusOr<loader::ChangedFunctions> changed = loader::CompareLibraries(old_, new_);
    if (!changed.ok()) {
      // A damaged library is the user's file, not our fault.
      if (!absl::IsDataLoss(changed.status())) return PrintError(changed.status());
      return PrintError(absl::InvalidArgumentError(changed.status().message()));
    }
    if (changed->everything) {
      std::cout << "# Everything may have changed: " << changed->why << "\nall_ops\n";
    } else {
      std::cout << "# " << changed->functions.size() << " functions differ.\n";
    }
    for (const std::string& function : changed->functions) std::cout << function << "\n";
    std::cout << std::flush;
    return std::cout ? ExitCode::kOk
                     : PrintError(absl::UnavailableError("standard output cannot be written"));
  }

 private:
  std::string old_;
  std::string new_;
};

}  // namespace

std::unique_ptr<Command> MakeChangedCommand() {
  return std::make_unique<ChangedCommand>();
}

}  // namespace diopi::cli
