// diopi-cli history: one case across the runs of a chip.
#include "reports/model/history.h"

#include <set>

#include "cases/base/text.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/results.h"
#include "reports/render/lists.h"

namespace diopi::cli {
namespace {

// An abbreviated case id is searched in this many of the chip's runs.
constexpr int kSearchedRuns = 8;

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
    AddDataOption(app, &data_);
    app->add_option("--limit", limit_, "Only this many of the newest runs (default: all)")
        ->check(CLI::NonNegativeNumber);
    AddFormatOption(app, reports::ListFormats(), &format_);
  }

  ExitCode Run() override {
    const absl::StatusOr<std::unique_ptr<server::Queries>> queries = OpenResults(data_);
    if (!queries.ok()) return Tell(queries.status());
    const absl::StatusOr<std::string> chip = ResolveChip(**queries, chip_);
    if (!chip.ok()) return Tell(chip.status());
    absl::StatusOr<v1::History> history = reports::LoadHistory(**queries, case_, *chip, limit_);
    if (absl::IsNotFound(history.status())) {
      const absl::StatusOr<std::string> id = FindCase(**queries, *chip);
      if (!id.ok()) return Tell(id.status());
      history = reports::LoadHistory(**queries, *id, *chip, limit_);
    }
    if (!history.ok()) return Tell(history.status());
    return Print(*history);
  }

 private:
  absl::StatusOr<std::string> FindCase(server::Queries& queries, const std::string& chip) const {
    const absl::StatusOr<std::vector<server::RunFacts>> runs = queries.RunsFacts({chip, kSearchedRuns});
    if (!runs.ok()) return runs.status();
    std::set<std::string> ids;
    for (const server::RunFacts& run : *runs) {
      const absl::StatusOr<std::vector<server::CaseRow>> cases = queries.Cases(run.run_id, {});
      if (!cases.ok()) return cases.status();
      for (const server::CaseRow& row : *cases) ids.insert(row.case_id);
    }
    return Resolve("case", case_, {ids.begin(), ids.end()});
  }

  ExitCode Print(const v1::History& history) const {
    const absl::StatusOr<std::string> table = reports::WriteList(reports::HistoryTable(history), format_);
    if (!table.ok()) return Tell(table.status());
    if (format_ == "csv") return Tell(WriteOutput(*table, ""));
    std::string text = PrintableLine(history.case_id() + " on " + history.chip()) + "\n\n" + *table + "\n";
    for (const std::string& words : reports::HistoryWords(history)) text += words + "\n";
    return Tell(WriteOutput(text, ""));
  }

  std::string data_;
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
