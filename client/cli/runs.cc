// diopi-cli runs: lists runs.
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/results.h"
#include "reports/model/run_summary.h"
#include "reports/render/lists.h"

namespace diopi::cli {
namespace {

class RunsCommand final : public Command {
 public:
  std::string name() const override { return "runs"; }
  std::string description() const override {
    return "Lists the runs and explorations in a data folder, newest first";
  }
  std::string examples() const override {
    return "  diopi-cli runs --chip A100 --limit 10    the newest runs on one chip\n"
           "  diopi-cli runs --label branch=main       the runs of one branch\n";
  }
  void AddOptions(CLI::App* app) override {
    AddDataOption(app, &data_);
    app->add_option("--chip", chip_, "Only runs on this chip");
    app->add_option("--label", label_, "Only runs with this label, KEY=VALUE");
    app->add_option("--limit", limit_, "Most runs to list (default: all)")->check(CLI::NonNegativeNumber);
    AddFormatOption(app, reports::ListFormats(), &format_);
  }

  ExitCode Run() override {
    const absl::StatusOr<std::unique_ptr<server::Queries>> queries = OpenResults(data_);
    if (!queries.ok()) return Tell(queries.status());
    server::RunFilter filter{.chip = chip_, .limit = limit_, .kind = server::RunKind::kAny};
    if (!label_.empty()) {
      const absl::StatusOr<server::Labels::value_type> label = server::ParseLabel(label_);
      if (!label.ok())
        return Tell(absl::InvalidArgumentError(absl::StrCat("--label: ", label.status().message())));
      filter.label.emplace(*label);
    }
    const absl::StatusOr<v1::RunsPage> runs = reports::LoadRuns(**queries, filter);
    if (!runs.ok()) return Tell(runs.status());
    return Tell(WriteTable(reports::RunsTable(*runs), format_));
  }

 private:
  std::string data_;
  std::optional<std::string> chip_;  // "": runs without a chip's name
  std::string label_;
  int limit_ = 0;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> MakeRunsCommand() {
  return std::make_unique<RunsCommand>();
}

}  // namespace diopi::cli
