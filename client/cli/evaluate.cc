// diopi-cli evaluate: the evaluation report of a chip. This file finds the runs and writes files;
// reports::Evaluate makes every figure. The list of failures is written before the report, because the report
// quotes its hash; a PDF has the list embedded.
#include <filesystem>
#include <iostream>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/match.h"
#include "cases/base/sha256.h"
#include "cases/base/status_macros.h"
#include "cases/base/temporary_folder.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/pdf.h"
#include "client/cli/run_source.h"
#include "client/cli/spec_file.h"
#include "reports/evaluation/evaluation.h"
#include "reports/evaluation/spec.h"
#include "reports/model/model_support.h"
#include "reports/performance/load.h"

namespace diopi::cli {
namespace {

// The newest complete run of the chip; NotFound names its newest partial run, or the nearest chips.
absl::StatusOr<std::string> NewestComplete(RunSource* source, const std::string& chip) {
  v1::AnswerRequest request;
  request.mutable_runs();
  ASSIGN_OR_RETURN(const v1::RunsPage page, source->Read<v1::RunsPage>(request));
  std::set<std::string> chips;
  std::string newest;
  for (const v1::RunSummary& run : page.runs()) {
    chips.insert(run.chip());
    if (run.chip() != chip) continue;
    if (!run.has_partial()) return run.run_id();
    if (newest.empty()) newest = absl::StrCat(run.run_id(), " (", run.partial(), ")");
  }
  if (chips.contains(chip)) {
    return absl::NotFoundError(absl::StrCat(
        "no run of chip '", chip, "' is complete; --run takes a partial one, the newest is ", newest));
  }
  const std::vector<std::string> known(chips.begin(), chips.end());
  return absl::NotFoundError(absl::StrCat("no run of a chip '", chip, "'", NearestText(chip, known)));
}

class EvaluateCommand final : public Command {
 public:
  std::string name() const override { return "evaluate"; }
  std::string description() const override { return "Writes the evaluation report of a chip"; }
  std::string examples() const override {
    return "  diopi-cli evaluate --spec-template > chip.json                        a specification to fill "
           "in\n"
           "  diopi-cli evaluate --chip A100 --spec chip.json --output a100.html    the chip's report\n"
           "  diopi-cli evaluate --chip A100 --lang zh --format pdf --output a100.pdf       in Chinese, on "
           "paper\n";
  }
  void AddOptions(CLI::App* app) override {
    AddRunSourceOptions(app, &source_);
    app->add_option("--chip", chip_, "Report on the newest complete run of this chip");
    app->add_option("--run", run_, "Report on this run instead");
    app->add_option("--spec", spec_, "File with the chip's technical specification (see --spec-template)");
    app->add_flag("--spec-template", template_, "Print a specification to fill in, and exit");
    app->add_option(
        "--reference-run", reference_run_,
        "Run of a reference chip (NVIDIA's) to compare call times with (default: no section on performance)");
    AddFormatOption(app, {"html", "pdf", "markdown"}, &format_);
    app->add_option("--lab", publication_.lab, "Who publishes the report (default: not named)");
    app->add_option("--author", publication_.author, "Who tested the chip (default: not named)");
    app->add_option("--report-version", publication_.version, "Version of the report (default: none)");
    app->add_option("--lang", lang_, "Language: en or zh (default: en)")->check(CLI::IsMember({"en", "zh"}));
    app->add_option("--output", output_,
                    "File (default: standard output; pdf needs one). Failures are listed in full beside it, "
                    "in FILE.failures.csv; a pdf has that file embedded");
  }

  ExitCode Run() override {
    if (template_) return PrintError(WriteOutput(reports::SpecTemplate(), output_));
    if (chip_.empty() && run_.empty())
      return PrintError(absl::InvalidArgumentError("evaluate needs --chip CHIP, or --run RUN"));
    if (format_ == "pdf" && output_.empty())
      return PrintError(absl::InvalidArgumentError("--format pdf needs --output FILE"));
    absl::StatusOr<reports::EvaluationInput> input = Load();
    if (!input.ok()) return PrintError(input.status());
    const absl::StatusOr<TemporaryFolder> scratch = TemporaryFolder::Make();
    if (!scratch.ok()) return PrintError(scratch.status());
    const bool pdf = format_ == "pdf";
    const absl::StatusOr<std::string> failures = WriteFailures(pdf ? scratch->path() : "", &*input);
    if (!failures.ok()) return PrintError(failures.status());
    const reports::Document document =
        reports::EvaluationDocument(reports::Evaluate(*input), reports::LanguageOf(lang_));
    if (format_ == "markdown") return PrintError(WriteOutput(reports::WriteMarkdown(document), output_));
    const std::string html = reports::WriteHtml(document);
    return PrintError(pdf ? PrintPdf(html, output_, {.attachment = *failures}) : WriteOutput(html, output_));
  }

 private:
  // Writes the list of failures into the folder where it is embedded from, or beside the report ("") where it
  // stays. Returns its path; empty: there is no list.
  absl::StatusOr<std::string> WriteFailures(const std::string& folder,
                                            reports::EvaluationInput* input) const {
    if (output_.empty() || input->report.failures.empty()) return "";
    std::filesystem::path path = absl::StrCat(output_, ".failures.csv");
    if (!folder.empty()) path = folder / path.filename();
    RETURN_IF_ERROR(WriteOutput(reports::WriteCsv(reports::FailureTable(input->report)), path.string()));
    ASSIGN_OR_RETURN(const std::string hash, Sha256OfFile(path.string()));
    input->failures = {path.filename().string(), hash, !folder.empty()};
    return path.string();
  }

  // The newest run of the same library, by its hash, that measured its calls; none is no error.
  static absl::Status AddPerformance(RunSource* source, reports::EvaluationInput* input) {
    const v1::RunOptions& options = input->report.run.options();
    v1::AnswerRequest request;
    request.mutable_measurements()->set_chip(options.chip());
    request.mutable_measurements()->set_impl_sha256(options.impl_sha256());
    const absl::StatusOr<v1::RunMeasurements> run = source->Read<v1::RunMeasurements>(request);
    if (!run.ok()) return absl::IsNotFound(run.status()) ? absl::OkStatus() : run.status();
    ASSIGN_OR_RETURN(
        input->performance,
        reports::ReportOf(*run, input->spec.has_value() ? &*input->spec : nullptr, reports::A100Times()));
    return absl::OkStatus();
  }

  absl::StatusOr<reports::EvaluationInput> Load() const {
    ASSIGN_OR_RETURN(const std::unique_ptr<RunSource> source, OpenRuns(source_));
    absl::StatusOr<std::string> run = run_;
    if (run_.empty()) run = NewestComplete(source.get(), chip_);
    if (!run.ok()) return run.status();
    ASSIGN_OR_RETURN(reports::RunReport report, source->Load(*run));
    reports::EvaluationInput input;
    input.report = std::move(report);
    const std::string& chip = input.report.run.options().chip();
    if (!chip_.empty() && chip != chip_) {
      return absl::InvalidArgumentError(
          absl::StrCat("run ", input.report.run.run_id(), " is of chip '", chip, "', not '", chip_, "'"));
    }
    if (!spec_.empty()) {
      ASSIGN_OR_RETURN(input.spec, ReadSpec(spec_, chip));
    }
    if (!reference_run_.empty()) {
      ASSIGN_OR_RETURN(input.reference, source->Load(reference_run_));
    }
    input.suite = reports::BuiltinSuite();
    v1::AnswerRequest request;
    request.mutable_models();
    ASSIGN_OR_RETURN(const v1::ModelsPage models, source->Read<v1::ModelsPage>(request));
    input.models = reports::ModelsOf(models, chip);
    RETURN_IF_ERROR(AddPerformance(source.get(), &input));
    input.publication = publication_;
    input.generated = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
    input.tool_version = DIOPI_VERSION;
    return input;
  }

  RunSourceOptions source_;
  std::string chip_;
  std::string run_;
  std::string spec_;
  bool template_ = false;
  std::string reference_run_;
  std::string format_ = "html";
  reports::Publication publication_;
  std::string lang_ = "en";
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> MakeEvaluateCommand() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace diopi::cli
