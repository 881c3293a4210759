// diopi-cli capture-to-cases CAPTURE --output DIR: captured calls as operator files for --cases.
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "baselines/tap/capture.h"
#include "cases/base/text.h"
#include "cases/user/operator_text.h"
#include "client/cli/captured_point.h"
#include "client/cli/tap_commands.h"

namespace diopi::cli {
namespace {

// "captured_4711_12" from "4711-000012-diopiAdd.h5"; another file's name as a label.
std::string LabelOf(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem();
  const std::vector<std::string> parts = absl::StrSplit(stem, '-');
  std::string label =
      absl::StrCat("captured_", parts[0], parts.size() > 1 ? absl::StrCat("_", parts[1]) : "");
  for (char& c : label) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return label;
}

class CaptureToCasesCommand final : public Command {
 public:
  std::string name() const override { return "capture-to-cases"; }
  std::string description() const override { return "Writes captured calls as operator files for --cases"; }
  std::string examples() const override {
    return "  diopi-cli capture-to-cases diopi-capture --output my-cases                   with the captured "
           "values\n"
           "  diopi-cli capture-to-cases diopi-capture --output my-cases --without-data    values like them, "
           "but "
           "none of them\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("capture", capture_, "Folder of captured calls, or one of its files")->required();
    app->add_option("--output", output_, "Folder to write the files to")->required();
    CLI::Option* most =
        app->add_option("--most-values", options_.most_values,
                        "Tensors with more elements get generated values of the same mean and range")
            ->capture_default_str()
            ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
    app->add_flag("--without-data", without_data_,
                  "Generate all values, so that no captured value is in the files")
        ->excludes(most);
  }

  ExitCode Run() override {
    if (without_data_) options_.most_values = 0;
    const absl::StatusOr<std::vector<std::string>> files = tap::CaptureFiles(capture_);
    if (!files.ok()) return PrintError(files.status());
    const absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::Catalog::LoadBuiltin();
    if (!catalog.ok()) return PrintError(catalog.status());
    int written = 0;
    int left_out = 0;
    for (const std::string& path : *files) {
      const absl::StatusOr<tap::CapturedCall> call = tap::ReadCapturedCall(path);
      const std::string label = LabelOf(path);
      const absl::StatusOr<v1::OperatorFile> file =
          call.ok() ? FileOfCapturedCall(**catalog, *call, label, options_) : call.status();
      if (!file.ok()) {
        ++left_out;
        std::cerr << "diopi-cli: " << PrintableLine(path)
                  << " is left out: " << PrintableMessage(std::string(file.status().message())) << "\n";
        continue;
      }
      const absl::Status status =
          cases::WriteFileWhole(absl::StrCat(output_, "/", label, ".textproto"), cases::OperatorText(*file));
      if (!status.ok()) return PrintError(status);
      ++written;
    }
    std::cout << written << " cases written to " << output_;
    if (left_out > 0) std::cout << ", " << left_out << " calls left out";
    std::cout << "\n" << std::flush;
    return written > 0 ? ExitCode::kOk : ExitCode::kUsage;
  }

 private:
  std::string capture_;
  std::string output_;
  CapturedPointOptions options_;
  bool without_data_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCaptureToCasesCommand() {
  return std::make_unique<CaptureToCasesCommand>();
}

}  // namespace diopi::cli
