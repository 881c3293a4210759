// diopi-cli show CASE: shows a case and the values of its tensors. It shows captured calls, too.
#include <filesystem>
#include <iostream>

#include "absl/strings/str_format.h"
#include "baselines/tap/capture.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "cases/core/case_builder.h"
#include "cases/core/library_checks.h"
#include "cases/core/work.h"
#include "cases/user/user_cases.h"
#include "client/cli/case_data.h"
#include "client/cli/case_text.h"
#include "client/cli/command.h"
#include "client/cli/selection.h"

namespace diopi::cli {
namespace {

class ShowCommand final : public Command {
 public:
  std::string name() const override { return "show"; }
  std::string description() const override {
    return "Shows a case or captured calls: arguments, reference, and first values";
  }
  std::string examples() const override {
    return "  diopi-cli show add.float32.n17 --values 100    arguments and expected values\n"
           "  diopi-cli show diopi-capture                   the captured calls in a folder\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("case", id_, "Case id, or a folder of captured calls, or one of its files")->required();
    AddCasesOption(app, &cases_folder_);
    AddDataOption(app, &data_);
    app->add_option("--values", values_, "Number of elements to show of each tensor")
        ->check(CLI::Range(0, 1 << 20));
  }

  ExitCode Run() override {
    std::error_code error;
    if (std::filesystem::is_directory(id_, error)) return ShowFolder();
    if (std::filesystem::is_regular_file(id_, error)) return ShowCall();
    const absl::StatusOr<v1::Case> c = FindCase(id_, cases_folder_);
    if (!c.ok()) return PrintError(c.status());
    std::cout << CaseText(*c);
    if (cases::IsLibraryCheck(*c)) return ExitCode::kOk;  // it has no tensors
    const absl::Status work = PrintWork(*c);
    if (!work.ok()) return PrintError(work);
    const absl::StatusOr<CaseData> data = ReadOrMakeCaseData(*c, data_, "");
    if (!data.ok()) return PrintError(data.status());
    std::cout << "Reference  " << PrintableLine(data->provenance) << "\nInputs\n";
    Print(data->inputs);
    std::cout << "Expected\n";
    Print(data->references);
    return ExitCode::kOk;
  }

 private:
  // A case of a user's file has the rules of that file.
  absl::Status PrintWork(const v1::Case& c) const {
    ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog, cases::LoadCatalog(cases_folder_));
    for (const v1::OperatorFile& op : catalog->operators()) {
      if (op.operator_() != c.operator_() || cases::FindRules(op, c.function()) == nullptr) continue;
      ASSIGN_OR_RETURN(const v1::CallWork work, cases::WorkOf(op, c));
      std::cout << "Work       " << PrintableLine(cases::WorkText(work)) << "\n";
      break;
    }
    return absl::OkStatus();
  }

  // A line per call, in the order of the calls.
  ExitCode ShowFolder() const {
    const absl::StatusOr<std::vector<std::string>> files = tap::CaptureFiles(id_);
    if (!files.ok()) return PrintError(files.status());
    ExitCode code = ExitCode::kOk;
    for (const std::string& path : *files) {
      const absl::StatusOr<tap::CapturedCall> call = tap::ReadCapturedCall(path);
      if (call.ok()) {
        std::cout << absl::StrFormat("%-32s %-10s %s\n  %s\n", PrintableLine(call->c.function()),
                                     DtypeName(call->c.dtype()), PrintableLine(call->facts),
                                     PrintableLine(path));
      } else {
        code = PrintError(call.status());
      }
    }
    return code;
  }

  ExitCode ShowCall() const {
    const absl::StatusOr<tap::CapturedCall> call = tap::ReadCapturedCall(id_);
    if (!call.ok()) return PrintError(call.status());
    std::cout << CaseText(call->c) << "Captured   " << PrintableLine(call->facts) << "\nLibrary    "
              << PrintableLine(call->library) << "\nInputs\n";
    Print(call->inputs);
    std::cout << "Outputs\n";
    Print(call->outputs);
    return ExitCode::kOk;
  }

  void Print(const TensorMap& tensors) const {
    for (const auto& [key, tensor] : tensors) {
      std::cout << "  " << PrintableLine(key) << ": " << TensorText(tensor, values_) << "\n";
    }
  }

  std::string id_;
  std::string cases_folder_;
  std::string data_;
  int values_ = 8;
};

}  // namespace

std::unique_ptr<Command> MakeShowCommand() {
  return std::make_unique<ShowCommand>();
}

}  // namespace diopi::cli
