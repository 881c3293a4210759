// diopi-cli performance: how fast the calls of a run were.
#include "reports/render/performance.h"

#include <iostream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/run_source.h"
#include "client/cli/spec_file.h"
#include "reports/performance/load.h"
#include "reports/render/json_parts.h"
#include "reports/render/lists.h"

namespace diopi::cli {
namespace {

constexpr char kA100[] = "a100";

class PerformanceCommand final : public Command {
 public:
  std::string name() const override { return "performance"; }
  std::string description() const override {
    return "Shows the times of a run's calls, compared with the device's limits or another run";
  }
  std::string examples() const override {
    return "  diopi-cli performance                                      the latest run that measured its "
           "calls\n"
           "  diopi-cli performance --against 20261120-101502-7f3a       what became slower or faster since\n"
           "  diopi-cli performance --spec chip.txt --format csv         against the chip's peak rates\n";
  }
  void AddOptions(CLI::App* app) override {
    AddRunSourceOptions(app, &source_);
    app->add_option("--run", run_, "Run id (default: the latest run that measured its calls)");
    app->add_option("--against", against_,
                    "Run to compare with, of the same library, another one or another chip");
    app->add_option("--tolerance", tolerance_,
                    "With --against: factor by which times may differ (default: 1.1)")
        ->check(CLI::Range(1.0, 1000.0));
    app->add_option("--reference", reference_,
                    "Device that scores are relative to: a run's id, or a100, which has published times of "
                    "products and convolutions (default: a100)");
    app->add_option(
        "--spec", spec_,
        "File with the chip's technical specification, whose peak rates bound the times (default: "
        "the rates of the library's own copy and products)");
    AddFormatOption(app, {"text", "csv", "markdown", "json"}, &format_);
    app->add_flag("--models", models_, "In csv and markdown: a row per model instead of a row per call");
    AddOutputOption(app, &output_);
  }

  ExitCode Run() override {
    const absl::Status loaded = Load();
    if (!loaded.ok()) return PrintError(loaded);
    if (format_ == "json") {
      const reports::Json json = reports::MessageJson(
          reports::PerformanceOf(report_, comparison_.has_value() ? &*comparison_ : nullptr));
      return PrintError(WriteOutput(reports::Dump(json, 1) + "\n", output_));
    }
    if (format_ != "text") {
      return PrintError(WriteTable(models_ ? reports::StepsTable(report_)
                                   : comparison_
                                       ? reports::ComparisonTable(*comparison_, /*changes_only=*/false)
                                       : reports::PerformanceTable(report_),
                                   format_, output_));
    }
    const absl::StatusOr<std::string> text = Text();
    return PrintError(text.ok() ? WriteOutput(*text, output_) : text.status());
  }

 private:
  absl::Status Load() {
    ASSIGN_OR_RETURN(const std::unique_ptr<RunSource> source, OpenRuns(source_));
    ASSIGN_OR_RETURN(const v1::RunMeasurements run, Measurements(source.get(), run_));
    std::optional<v1::ChipSpec> spec;
    if (!spec_.empty()) {
      ASSIGN_OR_RETURN(spec, ReadSpec(spec_, run.chip()));
    }
    reports::ReferenceTimes reference;
    if (reference_ == kA100) {
      reference = reports::A100Times();
    } else {
      ASSIGN_OR_RETURN(const v1::RunMeasurements measured, Measurements(source.get(), reference_));
      reference = reports::ReferenceOf(measured);
    }
    ASSIGN_OR_RETURN(report_, reports::ReportOf(run, spec.has_value() ? &*spec : nullptr, reference));
    if (against_.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const v1::RunMeasurements before, Measurements(source.get(), against_));
    comparison_ = reports::ComparisonOf(before, run, tolerance_);
    return absl::OkStatus();
  }

  static absl::StatusOr<v1::RunMeasurements> Measurements(RunSource* source, const std::string& run_id) {
    v1::AnswerRequest request;
    request.mutable_measurements()->set_run_id(run_id);
    return source->Read<v1::RunMeasurements>(request);
  }

  absl::StatusOr<std::string> Text() const {
    std::string text = absl::StrCat("Run ", report_.run_id, report_.chip.empty() ? "" : ", chip ",
                                    PrintableLine(report_.chip), "\n");
    for (const std::string& line : reports::PerformanceWords(report_)) absl::StrAppend(&text, line, "\n");
    std::vector<reports::Table> tables;
    if (!report_.steps.empty()) tables.push_back(reports::StepsTable(report_));
    if (comparison_.has_value()) {
      tables.push_back(reports::ComparisonTable(*comparison_, /*changes_only=*/true));
    } else {
      tables.push_back(reports::PerformanceTable(report_));
    }
    for (const reports::Table& table : tables) {
      ASSIGN_OR_RETURN(const std::string rows, reports::WriteList(table, "text"));
      absl::StrAppend(&text, "\n", rows);
    }
    if (!comparison_.has_value()) return text;
    absl::StrAppend(&text, "\n");
    for (const std::string& line : reports::ComparisonWords(*comparison_)) absl::StrAppend(&text, line, "\n");
    return text;
  }

  RunSourceOptions source_;
  std::string run_;
  std::string against_;
  double tolerance_ = reports::ComparisonOptions().factor;
  std::string reference_ = kA100;
  std::string spec_;
  std::string format_ = "text";
  bool models_ = false;
  std::string output_;
  reports::PerformanceReport report_;
  std::optional<reports::Comparison> comparison_;
};

}  // namespace

std::unique_ptr<Command> MakePerformanceCommand() {
  return std::make_unique<PerformanceCommand>();
}

}  // namespace diopi::cli
