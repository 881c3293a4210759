// diopi-cli abi-check: which functions of the ABI a library has, and errors in its symbols.
#include "impl_loader/library/abi_check.h"

#include <iostream>

#include "client/cli/command.h"

namespace diopi::cli {
namespace {

class AbiCheckCommand final : public Command {
 public:
  std::string name() const override { return "abi-check"; }
  std::string description() const override { return "Checks a library's symbols against the ABI"; }
  std::string examples() const override {
    return "  diopi-cli abi-check --impl libdiopi_impl.so --list-missing    functions that the library does "
           "not export\n";
  }
  void AddOptions(CLI::App* app) override {
    AddImplOption(app, &impl_)->required();
    app->add_option("--device-lib", beside_, "Libraries loaded with it");
    app->add_flag("--list-implemented", text_.implemented, "List the functions that it implements");
    app->add_flag("--list-missing", text_.missing, "List the functions that it does not implement");
  }

  ExitCode Run() override {
    loader::AbiCheckOptions options;
    options.beside = beside_;
    const absl::StatusOr<loader::AbiReport> report = loader::CheckAbi(impl_, options);
    if (!report.ok()) {
      PrintError(report.status());
      // A damaged library is the user's file.
      return absl::IsDataLoss(report.status()) ? ExitCode::kUsage : agent::ExitCodeFor(report.status());
    }
    std::cout << loader::FormatAbiReport(*report, text_) << std::flush;
    if (report->refused()) return ExitCode::kUsage;  // as in a run
    return report->ok() ? ExitCode::kOk : ExitCode::kFailed;
  }

 private:
  std::string impl_;
  std::vector<std::string> beside_;
  loader::AbiTextOptions text_;
};

}  // namespace

std::unique_ptr<Command> MakeAbiCheckCommand() {
  return std::make_unique<AbiCheckCommand>();
}

}  // namespace diopi::cli
