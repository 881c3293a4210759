// diopi-cli report: a run as a document.
#include "reports/model/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/pdf.h"
#include "client/cli/run_source.h"
#include "reports/render/exploration.h"
#include "reports/render/render.h"

namespace diopi::cli {
namespace {

class ReportCommand final : public Command {
 public:
  std::string name() const override { return "report"; }
  std::string description() const override { return "Writes the report of a run or an exploration"; }
  std::string examples() const override {
    return "  diopi-cli report --format html --output run.html         the latest run as a page\n"
           "  diopi-cli report --run 20261120-101502-7f3a --verbose    every case that did not pass\n";
  }
  void AddOptions(CLI::App* app) override {
    AddRunSourceOptions(app, &source_);
    app->add_option("--run", run_, "Run id (default: latest)");
    std::vector<std::string> formats = reports::Formats();
    formats.emplace_back("pdf");
    AddFormatOption(app, formats, &format_);
    app->add_flag(
        "--verbose", options_.verbose,
        "In text, markdown, html and pdf: also list every case that did not pass, not only the groups");
    app->add_option("--output", output_, "File (default: standard output; pdf needs one)");
  }

  ExitCode Run() override {
    if (format_ == "pdf" && output_.empty())
      return PrintError(absl::InvalidArgumentError("--format pdf needs --output FILE"));
    const absl::StatusOr<std::unique_ptr<RunSource>> source = OpenRuns(source_);
    if (!source.ok()) return PrintError(source.status());
    const absl::StatusOr<v1::RunInfo> run = (*source)->Describe(run_);
    if (!run.ok()) return PrintError(run.status());
    const bool pdf = format_ == "pdf";
    const std::string format = pdf ? "html" : format_;
    const absl::StatusOr<std::string> text = run->has_exploration()
                                                 ? reports::RenderExploration(*run, format)
                                                 : Report(source->get(), run->run_id(), format);
    if (!text.ok()) return PrintError(text.status());
    return PrintError(pdf ? PrintPdf(*text, output_, {}) : WriteOutput(*text, output_));
  }

 private:
  absl::StatusOr<std::string> Report(RunSource* source, const std::string& run_id,
                                     const std::string& format) const {
    ASSIGN_OR_RETURN(const reports::RunReport report, source->Load(run_id));
    return reports::Render(report, format, options_);
  }

  RunSourceOptions source_;
  std::string run_ = "latest";
  std::string format_ = "text";
  std::string output_;
  reports::RenderOptions options_;
};

}  // namespace

std::unique_ptr<Command> MakeReportCommand() {
  return std::make_unique<ReportCommand>();
}

}  // namespace diopi::cli
