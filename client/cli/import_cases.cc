// diopi-cli import-cases FILE --output DIR: the public harness's configuration as operator files.
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "cases/base/temporary_folder.h"
#include "cases/base/text.h"
#include "cases/import/import_configs.h"
#include "cases/import/python.h"
#include "cases/user/operator_text.h"
#include "client/cli/command.h"

namespace diopi::cli {
namespace {

// harness.py lets no file be larger.
constexpr size_t kMostRecordBytes = size_t{256} << 20;

class ImportCasesCommand final : public Command {
 public:
  std::string name() const override { return "import-cases"; }
  std::string description() const override {
    return "Converts diopi_configs.py of the public harness to operator files for --cases";
  }
  std::string examples() const override {
    return "  diopi-cli import-cases diopi_configs.py --output cases    then: diopi-agent --cases cases\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("file", file_, "diopi_configs.py; it is read as data and never run")->required();
    app->add_option("--output", output_, "Folder for the operator files")->required();
    app->add_flag("--verbose", verbose_,
                  "Print a line for everything that was left out, with its place in the file");
  }

  ExitCode Run() override {
    const absl::StatusOr<std::string> records = Read();
    if (!records.ok()) return PrintError(records.status());
    const absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::Catalog::LoadBuiltin();
    if (!catalog.ok()) return PrintError(absl::InternalError(catalog.status().message()));
    const absl::StatusOr<cases::ImportedConfigs> imported = cases::ImportConfigs(*records, file_, **catalog);
    if (!imported.ok()) return PrintError(absl::InternalError(imported.status().message()));
    const absl::Status written = Write(*imported);
    if (!written.ok()) return PrintError(written);
    Print(*imported);
    return ExitCode::kOk;
  }

 private:
  void Print(const cases::ImportedConfigs& imported) const {
    if (verbose_) {
      for (const std::string& text : imported.details)
        std::cout << "left out: " << PrintableLine(text) << "\n";
    }
    int64_t total = imported.carried;
    for (const auto& group : imported.left_out) total += group.cases;
    const auto row = [](std::string_view entries, std::string_view cases, std::string_view reason) {
      std::cout << absl::StrFormat("%7s %7s  %s\n", entries, cases, reason);
    };
    std::cout << "entries   cases\n";
    row(absl::StrCat(imported.entries), absl::StrCat(imported.carried), "imported");
    for (const auto& group : imported.left_out) {
      row(absl::StrCat(group.entries.size()), group.cases == 0 ? "?" : absl::StrCat(group.cases),
          absl::StrCat("left out: ", group.reason));
      std::cout << absl::StrFormat("%17s e.g. %s\n", "", PrintableLine(group.example));
    }
    if (!imported.ignored.empty()) {
      const auto field = [](std::string* out, const auto& group) {
        absl::StrAppend(out, group.reason, " (", group.entries.size(), ")");
      };
      std::cout << "Ignored, because our operator files say how to call and judge: "
                << absl::StrJoin(imported.ignored, ", ", field) << "\n";
    }
    std::cout << imported.carried << " of " << total << " cases imported: " << imported.points
              << " points in " << imported.files.size() << " files in " << output_ << "\n";
  }

  absl::StatusOr<std::string> Read() const {
    ASSIGN_OR_RETURN(TemporaryFolder folder, TemporaryFolder::Make());
    const std::string out = folder / "records", copy = folder / "input";
    RETURN_IF_ERROR(cases::CopyForImport(file_, copy));
    ASSIGN_OR_RETURN(const std::string printed,
                     cases::RunPython(std::string(cases::ReadConfigsScript()), {file_, copy, out}, folder));
    return ReadFile(out, kMostRecordBytes);
  }

  absl::Status Write(const cases::ImportedConfigs& imported) const {
    const auto path = [this](const v1::OperatorFile& file) {
      return absl::StrCat(output_, "/", file.operator_(), ".textproto");
    };
    for (const v1::OperatorFile& file : imported.files) {
      std::error_code ignored;
      if (std::filesystem::exists(path(file), ignored)) {
        return absl::InvalidArgumentError(absl::StrCat(path(file), " already exists; nothing was written"));
      }
    }
    for (const v1::OperatorFile& file : imported.files) {
      RETURN_IF_ERROR(cases::WriteFileWhole(path(file), cases::OperatorText(file)));
    }
    return absl::OkStatus();
  }

  std::string file_;
  std::string output_;
  bool verbose_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeImportCasesCommand() {
  return std::make_unique<ImportCasesCommand>();
}

}  // namespace diopi::cli
