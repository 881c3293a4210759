// diopi-cli gate: may this library be merged? Compares a run with its expectations and an earlier run. All
// formats show one result (RunGate). --update writes only from a complete run, and only a text that parses
// again; after that the run is compared with the new file, so its exit status shows what the file does not
// cover.
#include "reports/gate/gate.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "client/cli/command.h"
#include "client/cli/gate_runs.h"
#include "client/cli/output.h"
#include "client/command_line/command_line.h"
#include "proto/enum_name.h"
#include "reports/gate/render.h"
#include "reports/gate/update.h"

namespace diopi::cli {
namespace {

class GateCommand final : public Command {
 public:
  std::string name() const override { return "gate"; }
  std::string description() const override {
    return "Fails when a run has failures that are neither expected nor in an earlier run";
  }
  std::string examples() const override {
    return "  diopi-cli gate --expect known.txt --against last-green     fails on new failures\n"
           "  diopi-cli gate --expect known.txt --update                 records a run's failures as known\n"
           "  diopi-cli gate --expect known.txt --also junit=gate.xml    and a file for the CI's pages\n";
  }
  void AddOptions(CLI::App* app) override;
  ExitCode Run() override;

 private:
  absl::Status CheckOptions();
  absl::Status ReadExpectations();
  absl::Status LoadRuns();
  absl::Status Update();
  absl::Status Write(const reports::GateDocument& document);
  reports::GateInput MakeInput() const;

  RunSourceOptions source_;
  std::string run_ = "latest";
  std::string chip_;
  std::string expect_;
  std::string against_;
  std::string today_;
  bool update_ = false;
  int expires_in_ = 90;
  std::string format_ = "text";
  std::string output_;
  std::vector<std::string> also_;
  bool verbose_ = false;
  reports::GateOptions options_;

  std::vector<std::pair<std::string, std::string>> documents_;  // --also: format and file
  bool fresh_ = false;                                          // --update creates the file
  std::optional<reports::Expectations> expectations_;
  GateRuns runs_;
};

void GateCommand::AddOptions(CLI::App* app) {
  Heading("Which runs", app);
  AddRunSourceOptions(app, &source_);
  app->add_option("--run", run_, "Run id (default: latest)");
  app->add_option("--chip", chip_, "With --run latest: the latest run of this chip");
  app->add_option("--against", against_, "Run to compare with: its id, or last-green");
  Heading("What fails the run", app);
  app->add_option("--expect", expect_, "File of expectations: known failures, flaky cases and skips");
  app->add_flag("--partial", options_.partial,
                "The run is partial on purpose: do not fail it for what it leaves out");
  agent::AddMinCoverageOption(app, &options_.min_passing);
  app->add_flag("--strict", options_.strict,
                "Also fail on lines that pass now, match nothing or have no issue");
  const CLI::Range factor(1.0, 1e6);
  app->add_option("--max-slowdown", options_.max_slowdown,
                  "Fail on functions that take more than this many times as long as in the --against run")
      ->check(factor);
  app->add_option("--max-error-growth", options_.max_error_growth,
                  "Fail on functions whose errors are more than this many times those of the --against run")
      ->check(factor);
  app->add_option("--today", today_,
                  "Day that expiry dates are compared with, YYYY-MM-DD (default: today, UTC)");
  app->add_flag("--update", update_, "Rewrite the --expect file from the run, then compare the run with it");
  app->add_option("--expires-in", expires_in_, "With --update: days until new lines expire (default: 90)")
      ->check(CLI::Range(1, 3650));
  Heading(kResultsHeading, app);
  app->add_flag("--verbose", verbose_,
                "List every case in text and Markdown, instead of the groups of failures");
  AddFormatOption(app, reports::GateFormats(), &format_);
  AddOutputOption(app, &output_);
  app->add_option("--also", also_, "Additional report to write, FORMAT=FILE, such as junit=gate.xml");
  ShowFirst({"--data", "--server", "--run", "--chip", "--against", "--expect", "--min-coverage", "--partial",
             "--update", "--format", "--output", "--also"},
            app);
}

absl::Status GateCommand::CheckOptions() {
  if (expect_.empty() && against_.empty()) {
    return absl::InvalidArgumentError("the gate needs --expect FILE or --against RUN (or last-green)");
  }
  if (update_ && expect_.empty())
    return absl::InvalidArgumentError("--update needs the --expect file to write");
  if (against_.empty() && (options_.max_slowdown > 0 || options_.max_error_growth > 0)) {
    return absl::InvalidArgumentError("--max-slowdown and --max-error-growth need --against RUN");
  }
  if (today_.empty()) {
    options_.today = reports::Today();
  } else if (const std::optional<reports::Day> day = reports::ParseDay(today_); day.has_value()) {
    options_.today = *day;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("--today takes a valid date such as 2027-01-31, found '", today_, "'"));
  }
  for (const std::string& also : also_) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(also, absl::MaxSplits('=', 1));
    const std::vector<std::string>& formats = reports::GateFormats();
    if (parts.second.empty() || std::count(formats.begin(), formats.end(), parts.first) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--also takes FORMAT=FILE with text, markdown, junit, github or "
                       "json, found '",
                       also, "'"));
    }
    documents_.push_back(parts);
  }
  return absl::OkStatus();
}

absl::Status GateCommand::ReadExpectations() {
  if (expect_.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> text = ReadFile(expect_);
  if (!text.ok() && absl::IsNotFound(text.status()) && update_) {
    fresh_ = true;
    text = std::string();
  } else if (!text.ok() && absl::IsNotFound(text.status())) {
    return absl::NotFoundError(absl::StrCat(text.status().message(), "; --update creates it from the run"));
  }
  if (!text.ok()) return text.status();
  ASSIGN_OR_RETURN(expectations_, reports::ParseExpectations(*text, expect_));
  return absl::OkStatus();
}

absl::Status GateCommand::LoadRuns() {
  ASSIGN_OR_RETURN(std::unique_ptr<RunSource> source, OpenRuns(source_));
  GateRunsRequest request;
  request.run = run_;
  request.chip = chip_;
  if (chip_.empty() && expectations_.has_value()) request.chip = expectations_->chip;
  request.against = against_;
  request.partial = options_.partial;
  request.repeats = options_.max_slowdown > 0;
  request.expectations = expectations_.has_value() ? &*expectations_ : nullptr;
  ASSIGN_OR_RETURN(runs_, LoadGateRuns(source.get(), request));
  const std::string& chip = runs_.run.run.options().chip();
  if (expectations_.has_value() && !expectations_->chip.empty() && expectations_->chip != chip) {
    return absl::InvalidArgumentError(absl::StrCat(expect_, " is for chip ", expectations_->chip,
                                                   ", but run ", runs_.run.run.run_id(), " is of ",
                                                   chip.empty() ? "a chip without a name" : chip));
  }
  return absl::OkStatus();
}

absl::Status GateCommand::Update() {
  const v1::RunInfo& run = runs_.run.run;
  if (run.state() != v1::RUN_STATE_FINISHED || runs_.run.missing > 0 || runs_.run.cases == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", run.run_id(), " is ", EnumName(run.state()), " and ", runs_.run.missing,
                     " cases have no verdict: --update writes ", expect_, " only from a complete run"));
  }
  if (fresh_) {
    absl::StatusOr<reports::Expectations> begun =
        reports::ParseExpectations(reports::NewExpectations(runs_.run), expect_);
    if (!begun.ok()) return absl::InternalError(begun.status().message());
    expectations_ = *std::move(begun);
  }
  const reports::UpdateResult updated = reports::UpdateExpectations(
      *expectations_, runs_.run, {.expires = options_.today + std::chrono::days(expires_in_)});
  // The new text must parse. If it does not, that is our mistake, and the old file stays.
  absl::StatusOr<reports::Expectations> again = reports::ParseExpectations(updated.text, expect_);
  if (!again.ok()) return absl::InternalError(again.status().message());
  const std::filesystem::path folder = std::filesystem::path(expect_).parent_path();
  std::error_code ignored;  // writing will report it
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  RETURN_IF_ERROR(WriteOutput(updated.text, expect_));
  expectations_ = *std::move(again);
  std::cerr << expect_ << ": " << updated.added << " lines added, " << updated.deleted << " deleted, "
            << updated.narrowed << " narrowed, " << updated.kept << " kept\n";
  return absl::OkStatus();
}

reports::GateInput GateCommand::MakeInput() const {
  reports::GateInput input;
  input.run = &runs_.run;
  if (expectations_.has_value()) input.expectations = &*expectations_;
  if (runs_.reference.has_value()) input.reference = &*runs_.reference;
  for (const reports::RunReport& repeat : runs_.repeats) input.repeats.push_back(&repeat);
  for (const reports::RunReport& repeat : runs_.reference_repeats) input.reference_repeats.push_back(&repeat);
  return input;
}

absl::Status GateCommand::Write(const reports::GateDocument& document) {
  for (const auto& [format, file] : documents_) {
    ASSIGN_OR_RETURN(const std::string text, reports::RenderGate(document, format));
    RETURN_IF_ERROR(WriteOutput(text, file));
  }
  ASSIGN_OR_RETURN(const std::string text, reports::RenderGate(document, format_));
  return WriteOutput(text, output_);
}

ExitCode GateCommand::Run() {
  absl::Status status = CheckOptions();
  if (status.ok()) status = ReadExpectations();
  if (status.ok()) status = LoadRuns();
  if (status.ok() && update_) status = Update();
  if (!status.ok()) return PrintError(status);
  const reports::GateInput input = MakeInput();
  const reports::GateResult result = reports::RunGate(input, options_);
  status = Write({&input, &options_, &result, verbose_});
  if (!status.ok()) return PrintError(status);
  if (result.green()) return ExitCode::kOk;
  return result.only_ours() ? ExitCode::kOurs : ExitCode::kFailed;
}

}  // namespace

std::unique_ptr<Command> MakeGateCommand() {
  return std::make_unique<GateCommand>();
}

}  // namespace diopi::cli
