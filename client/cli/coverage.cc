// diopi-cli coverage: functions by chip.
#include <set>

#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/run_source.h"
#include "reports/model/answer.h"
#include "reports/render/lists.h"

namespace diopi::cli {
namespace {

class CoverageCommand final : public Command {
 public:
  std::string name() const override { return "coverage"; }
  std::string description() const override {
    return "Lists the ABI's functions that each chip implements, was tested on, and passes";
  }
  std::string examples() const override {
    return "  diopi-cli coverage --family linear          which chips pass which functions\n"
           "  diopi-cli coverage --totals --format csv    one line per chip\n";
  }
  void AddOptions(CLI::App* app) override {
    AddRunSourceOptions(app, &source_);
    app->add_option("--family", family_, "Only functions of this family: elementwise, linear, ...");
    app->add_flag("--totals", totals_, "Only the totals of each chip");
    AddFormatOption(app, reports::ListFormats(), &format_);
    AddOutputOption(app, &output_);
  }

  ExitCode Run() override {
    v1::AnswerRequest request;
    request.mutable_coverage();
    const absl::StatusOr<v1::CoveragePage> matrix = ReadAnswer<v1::CoveragePage>(source_, request);
    if (!matrix.ok()) return PrintError(matrix.status());
    const absl::StatusOr<std::string> family = Family(*matrix);
    if (!family.ok()) return PrintError(family.status());
    const reports::Table table =
        totals_ ? reports::CoverageTotals(*matrix, *family) : reports::CoverageTable(*matrix, *family);
    return PrintError(WriteTable(table, format_, output_));
  }

 private:
  absl::StatusOr<std::string> Family(const v1::CoveragePage& page) const {
    if (family_.empty()) return family_;
    std::set<std::string> known;
    for (const v1::FunctionCoverage& function : page.functions()) {
      if (function.has_family()) known.insert(function.family());
    }
    return reports::Resolve("family", family_, {known.begin(), known.end()});
  }

  RunSourceOptions source_;
  std::string family_;
  bool totals_ = false;
  std::string format_ = "text";
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> MakeCoverageCommand() {
  return std::make_unique<CoverageCommand>();
}

}  // namespace diopi::cli
