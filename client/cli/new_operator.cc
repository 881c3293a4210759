// diopi-cli new-operator NAME --function diopiX: writes the files of a new operator, to be filled in.
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/match.h"
#include "cases/core/catalog.h"
#include "cases/user/operator_text.h"
#include "client/cli/command.h"
#include "client/cli/new_operator_text.h"
#include "proto/abi/abi.h"

namespace diopi::cli {
namespace {

bool IsName(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

class NewOperatorCommand final : public Command {
 public:
  std::string name() const override { return "new-operator"; }
  std::string description() const override { return "Writes templates for the files of a new operator"; }
  std::string examples() const override {
    return "  diopi-cli new-operator my_op --function diopiAdd    templates in the folder my_op\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("name", op_.name, "Name of the operator, made of a-z, 0-9 and _")->required();
    app->add_option("--function", function_, "ABI function that the operator tests, such as diopiAdd")
        ->required();
    app->add_option("--family", op_.family, "Family of the operator (default: user)");
    app->add_option("--output", output_, "Folder for the files (default: NAME in the current folder)");
  }

  ExitCode Run() override {
    absl::Status status = Check();
    if (!status.ok()) return PrintError(status);
    if (output_.empty()) output_ = op_.name;
    const std::vector<std::pair<std::string, std::string>> files = {
        {absl::StrCat(output_, "/", op_.name, ".textproto"), NewOperatorText(op_)},
        {absl::StrCat(output_, "/", op_.name, ".cc"), NewReferenceText(op_)},
        {absl::StrCat(output_, "/", op_.name, "_crosscheck.py"), NewCheckText(op_)},
        {absl::StrCat(output_, "/README.md"), NewReadmeText(op_)}};
    for (const auto& [path, text] : files) {
      std::error_code ignored;
      if (!std::filesystem::exists(path, ignored)) continue;
      return PrintError(
          absl::InvalidArgumentError(absl::StrCat(path, " already exists; nothing was written")));
    }
    for (const auto& [path, text] : files) {
      status = cases::WriteFileWhole(path, text);
      if (!status.ok()) return PrintError(status);
      std::cout << path << "\n";
    }
    return ExitCode::kOk;
  }

 private:
  absl::Status Check() {
    if (op_.family.empty()) op_.family = "user";
    for (const std::string& name : {op_.name, op_.family}) {
      if (!IsName(name)) {
        return absl::InvalidArgumentError(
            absl::StrCat("'", name, "' is not a valid name: expected a-z, 0-9 and _"));
      }
    }
    op_.function = abi::FindFunction(function_);
    if (op_.function != nullptr) {
      const absl::Status arguments = CheckArguments(*op_.function);
      return arguments.ok() ? arguments : absl::InvalidArgumentError(arguments.message());
    }
    std::vector<std::string> known;
    for (const abi::Function* function : abi::Functions()) known.push_back(function->name());
    return absl::NotFoundError(
        absl::StrCat("the ABI has no function '", function_, "'", NearestText(function_, known)));
  }

  NewOperator op_;
  std::string function_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> MakeNewOperatorCommand() {
  return std::make_unique<NewOperatorCommand>();
}

}  // namespace diopi::cli
