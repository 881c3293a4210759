// diopi-cli chips: the chips that have runs.
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/run_source.h"
#include "reports/render/lists.h"

namespace diopi::cli {
namespace {

class ChipsCommand final : public Command {
 public:
  std::string name() const override { return "chips"; }
  std::string description() const override {
    return "Lists the chips that have runs, each with its newest run";
  }
  std::string examples() const override {
    return "  diopi-cli chips --format markdown    a table of all chips\n";
  }
  void AddOptions(CLI::App* app) override {
    AddRunSourceOptions(app, &source_);
    AddFormatOption(app, reports::ListFormats(), &format_);
  }

  ExitCode Run() override {
    v1::AnswerRequest request;
    request.mutable_chips();
    const absl::StatusOr<v1::ChipsPage> chips = ReadAnswer<v1::ChipsPage>(source_, request);
    if (!chips.ok()) return PrintError(chips.status());
    return PrintError(WriteTable(reports::ChipsTable(*chips), format_));
  }

 private:
  RunSourceOptions source_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> MakeChipsCommand() {
  return std::make_unique<ChipsCommand>();
}

}  // namespace diopi::cli
