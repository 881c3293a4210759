// diopi-cli runs: what has been run.
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/command.h"
#include "server/store/database.h"

namespace diopi::cli {
namespace {

class RunsCommand final : public Command {
 public:
  std::string name() const override { return "runs"; }
  std::string description() const override { return "Lists the runs in a data folder, newest first"; }
  void AddOptions(CLI::App* app) override {
    app->add_option("--data", data_, "Data folder (default: $DIOPI_DATA, or diopi-data here)");
    app->add_option("--chip", chip_, "Only runs on this chip");
    app->add_option("--limit", limit_, "At most so many (default: all)")->check(CLI::NonNegativeNumber);
  }

  ExitCode Run() override {
    const absl::StatusOr<std::unique_ptr<server::Database>> database =
        server::Database::Open(server::DatabasePath(DataFolder(data_)), {.read_only = true});
    if (!database.ok()) return Tell(database.status());
    const absl::StatusOr<std::vector<v1::RunInfo>> runs = (*database)->ListRuns(chip_, limit_);
    if (!runs.ok()) return Tell(runs.status());
    for (const v1::RunInfo& run : *runs) Print(run);
    return ExitCode::kOk;
  }

 private:
  static void Print(const v1::RunInfo& run) {
    const std::map<std::string, int64_t> outcomes(run.outcomes().begin(), run.outcomes().end());
    std::cout << absl::StrFormat("%-22s %-9s %6d of %6d cases  %-12s %s\n", run.run_id(), run.state(),
                                 run.done(), run.cases(), run.options().chip(), run.options().impl_path())
              << "    "
              << (run.options().contracts_size() == 0
                      ? ""
                      : absl::StrCat("contracts ", absl::StrJoin(run.options().contracts(), ","), ": "))
              << absl::StrJoin(outcomes, ", ",
                               [](std::string* out, const auto& entry) {
                                 absl::StrAppend(out, entry.first, " ", entry.second);
                               })
              << "\n";
  }

  std::string data_;
  std::string chip_;
  int limit_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeRunsCommand() {
  return std::make_unique<RunsCommand>();
}

}  // namespace diopi::cli
