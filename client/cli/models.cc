// diopi-cli models: models by chip.
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/run_source.h"
#include "reports/render/lists.h"

namespace diopi::cli {
namespace {

class ModelsCommand final : public Command {
 public:
  std::string name() const override { return "models"; }
  std::string description() const override {
    return "Lists the models that each chip ran, whether all their calls pass, and what is missing";
  }
  std::string examples() const override {
    return "  diopi-cli models                            what each chip lacks for each model that it ran\n"
           "  diopi-cli models --format csv --output F    the same as a file\n";
  }
  void AddOptions(CLI::App* app) override {
    AddRunSourceOptions(app, &source_);
    AddFormatOption(app, reports::ListFormats(), &format_);
    AddOutputOption(app, &output_);
  }

  ExitCode Run() override {
    v1::AnswerRequest request;
    request.mutable_models();
    const absl::StatusOr<v1::ModelsPage> matrix = ReadAnswer<v1::ModelsPage>(source_, request);
    if (!matrix.ok()) return PrintError(matrix.status());
    return PrintError(WriteTable(reports::ModelsTable(*matrix), format_, output_));
  }

 private:
  RunSourceOptions source_;
  std::string format_ = "text";
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> MakeModelsCommand() {
  return std::make_unique<ModelsCommand>();
}

}  // namespace diopi::cli
