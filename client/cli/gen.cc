// diopi-cli gen: makes baselines with a reference library.
#include <chrono>
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/generate/generate.h"
#include "client/agent/paths.h"
#include "client/cli/command.h"
#include "client/cli/file_lock.h"
#include "client/cli/selection.h"

namespace diopi::cli {
namespace {

class GenCommand final : public Command {
 public:
  std::string name() const override { return "gen"; }
  std::string description() const override { return "Makes baselines: inputs, and what the reference says"; }
  void AddOptions(CLI::App* app) override {
    AddSelectionOptions(app, &selection_);
    app->add_option("--data", data_, "Data folder (default: $DIOPI_DATA, or diopi-data here)");
    app->add_option("--reference", reference_, "Which reference: cpu")->check(CLI::IsMember({"cpu"}));
    app->add_option("--library", library_,
                    "Its library (default: libdiopi_cpu.so in ../lib beside this program)");
    app->add_flag("--force", force_, "Also what is there and up to date");
    app->add_flag("--quiet", quiet_, "Print the summary only");
  }

  ExitCode Run() override {
    const absl::StatusOr<std::vector<v1::Case>> cases = SelectCases(selection_);
    if (!cases.ok()) return Tell(cases.status());
    baselines::GenerateOptions options = MakeOptions();
    std::error_code error;
    std::filesystem::create_directories(options.data_folder, error);
    if (error) return Tell(absl::InternalError(absl::StrCat(options.data_folder, ": ", error.message())));
    const absl::StatusOr<FileLock> lock = FileLock::Take(options.data_folder + "/gen.lock");
    if (!lock.ok()) return Tell(lock.status());
    const auto start = std::chrono::steady_clock::now();
    const absl::StatusOr<baselines::GenerateSummary> summary = baselines::Generate(*cases, options);
    if (!summary.ok()) return Tell(summary.status());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return Conclude(*summary, seconds.count(), options.data_folder);
  }

 private:
  baselines::GenerateOptions MakeOptions() {
    baselines::GenerateOptions options;
    options.data_folder = DataFolder(data_);
    options.reference = reference_;
    options.library_path = library_.empty() ? agent::DefaultReferenceLibrary() : library_;
    options.force = force_;
    if (!quiet_) {
      options.progress = [](const std::string& op, int64_t written, int64_t cases) {
        std::cout << op << ": "
                  << (written == 0 ? absl::StrCat("up to date (", cases, " cases)")
                                   : absl::StrCat(written, " of ", cases, " cases written"))
                  << std::endl;
      };
    }
    return options;
  }

  static ExitCode Conclude(const baselines::GenerateSummary& summary, double seconds,
                           const std::string& data) {
    for (const std::string& failure : summary.failures) {
      std::cerr << "diopi-cli: no baseline for " << failure << "\n";
    }
    std::cout << absl::StrFormat(
        "%d cases of %d operators written in %.1f s, %d operators up to date: %s/baselines\n",
        summary.cases_written, summary.operators_written, seconds, summary.operators_up_to_date, data);
    return summary.failures.empty() ? ExitCode::kOk : ExitCode::kFailed;
  }

  agent::SelectionArguments selection_;
  std::string data_;
  std::string reference_ = "cpu";
  std::string library_;
  bool force_ = false;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeGenCommand() {
  return std::make_unique<GenCommand>();
}

}  // namespace diopi::cli
