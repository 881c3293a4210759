// diopi-cli runs: lists runs.
#include <optional>

#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/run_source.h"
#include "reports/render/lists.h"

namespace diopi::cli {
namespace {

class RunsCommand final : public Command {
 public:
  std::string name() const override { return "runs"; }
  std::string description() const override {
    return "Lists the runs and explorations of a data folder or a server, newest first";
  }
  std::string examples() const override {
    return "  diopi-cli runs --chip A100 --limit 10    the newest runs on one chip\n"
           "  diopi-cli runs --label branch=main       the runs of one branch\n";
  }
  void AddOptions(CLI::App* app) override {
    AddRunSourceOptions(app, &source_);
    app->add_option("--chip", chip_, "Only runs on this chip");
    app->add_option("--label", label_, "Only runs with this label, KEY=VALUE");
    app->add_option("--limit", limit_, "Most runs to list (default: all)")->check(CLI::NonNegativeNumber);
    AddFormatOption(app, reports::ListFormats(), &format_);
  }

  ExitCode Run() override {
    v1::AnswerRequest request;
    if (chip_.has_value()) request.mutable_runs()->set_chip(*chip_);
    request.mutable_runs()->set_label(label_);
    request.mutable_runs()->set_limit(limit_);
    const absl::StatusOr<v1::RunsPage> runs = ReadAnswer<v1::RunsPage>(source_, request);
    if (!runs.ok()) return PrintError(runs.status());
    return PrintError(WriteTable(reports::RunsTable(*runs), format_));
  }

 private:
  RunSourceOptions source_;
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
