// diopi-cli history: one case across the runs of a chip.
#include "cases/base/text.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/run_source.h"
#include "reports/render/lists.h"

namespace diopi::cli {
namespace {

class HistoryCommand final : public Command {
 public:
  std::string name() const override { return "history"; }
  std::string description() const override { return "Shows a case across the runs of a chip, oldest first"; }
  std::string examples() const override {
    return "  diopi-cli history add.float32.n17 --chip A100 --limit 10    one case in the last ten runs\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("CASE", case_, "Case id, its unique beginning, or a glob that matches one")->required();
    app->add_option("--chip", chip_, "The chip")->required();
    AddRunSourceOptions(app, &source_);
    app->add_option("--limit", limit_, "Only this many of the newest runs (default: all)")
        ->check(CLI::NonNegativeNumber);
    AddFormatOption(app, reports::ListFormats(), &format_);
  }

  ExitCode Run() override {
    v1::AnswerRequest request;
    request.mutable_history()->set_case_(case_);
    request.mutable_history()->set_chip(chip_);
    request.mutable_history()->set_limit(limit_);
    const absl::StatusOr<v1::History> history = ReadAnswer<v1::History>(source_, request);
    if (!history.ok()) return PrintError(history.status());
    return Print(*history);
  }

 private:
  ExitCode Print(const v1::History& history) const {
    const absl::StatusOr<std::string> table = reports::WriteList(reports::HistoryTable(history), format_);
    if (!table.ok()) return PrintError(table.status());
    if (format_ == "csv") return PrintError(WriteOutput(*table, ""));
    std::string text = PrintableLine(history.case_id() + " on " + history.chip()) + "\n\n" + *table + "\n";
    for (const std::string& words : reports::HistoryWords(history)) text += words + "\n";
    return PrintError(WriteOutput(text, ""));
  }

  RunSourceOptions source_;
  std::string case_;
  std::string chip_;
  int limit_ = 0;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> MakeHistoryCommand() {
  return std::make_unique<HistoryCommand>();
}

}  // namespace diopi::cli
