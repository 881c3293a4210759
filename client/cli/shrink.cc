// diopi-cli shrink CASE --impl X.so: finds the smallest and simplest case that still fails the same way.
#include <chrono>
#include <iostream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "cases/core/library_checks.h"
#include "cases/findings/finding_text.h"
#include "cases/user/operator_text.h"
#include "cases/user/user_cases.h"
#include "client/cli/case_call.h"
#include "client/cli/command.h"
#include "client/cli/selection.h"
#include "client/command_line/command_line.h"
#include "client/setup/paths.h"
#include "client/shrink/case_trial.h"
#include "client/shrink/shrink_point.h"

namespace diopi::cli {
namespace {

class ShrinkCommand final : public Command {
 public:
  std::string name() const override { return "shrink"; }
  std::string description() const override {
    return "Reduces a failing case to the smallest one that still fails";
  }
  std::string examples() const override {
    return "  diopi-cli shrink add.float32.n17 --impl libdiopi_impl.so    the smallest case that still "
           "fails\n";
  }
  void AddOptions(CLI::App* app) override {
    options_.timeout_s = 5;  // for each of hundreds of calls, some of which may hang
    AddCaseCallOptions(app, "5", &options_);
    app->add_option("--max-tries", limits_.most_tries, "Most cases to try (default: 2000)")
        ->check(CLI::Range(1, 1'000'000));
    app->add_option("--output", output_,
                    "Folder for the small case (default: shrunk_CASE in the current folder)");
    ShowFirst({"--impl", "--device-lib", "--cases", "--data", "--profile", "--contract", "--timeout-s",
               "--max-tries", "--output"},
              app);
  }

  ExitCode Run() override {
    const absl::StatusOr<v1::Case> c = FindCase(options_.case_id, options_.cases_folder);
    if (!c.ok()) return PrintError(c.status());
    if (cases::IsLibraryCheck(*c)) {
      return PrintError(
          absl::InvalidArgumentError(absl::StrCat(c->id(), " has no arguments to make smaller")));
    }
    const absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::LoadCatalog(options_.cases_folder);
    if (!catalog.ok()) return PrintError(catalog.status());
    absl::StatusOr<v1::OperatorFile> file = cases::FileOfCase(**catalog, *c);
    if (!file.ok()) return PrintError(file.status());
    absl::StatusOr<std::unique_ptr<CaseCall>> call = CaseCall::Make(options_, /*diagnose=*/false);
    if (!call.ok()) return PrintError(call.status());
    call_ = *std::move(call);
    if (const std::optional<v1::Finding> skipped = call_->judge().SkipReason(*c); skipped.has_value()) {
      return PrintError(
          absl::InvalidArgumentError(absl::StrCat("there is nothing to shrink: ", FindingText(*skipped))));
    }
    absl::StatusOr<std::unique_ptr<baselines::OraclePool>> oracle =
        baselines::OraclePool::Open(agent::DefaultReferenceLibrary(), 1);
    if (!oracle.ok()) return PrintError(oracle.status());
    absl::StatusOr<std::unique_ptr<shrink::CaseTrial>> trial =
        shrink::CaseTrial::Start(&call_->judge(), call_->MakeWorkerOptions(), *std::move(oracle));
    if (!trial.ok()) return PrintError(trial.status());
    const absl::StatusOr<v1::Verdict> first = (*trial)->Run(*file);
    if (!first.ok()) return PrintError(first.status());
    std::cout << "Case       " << options_.case_id << "\nOutcome    " << Text(*first) << "\n" << std::flush;
    if (!IsFailure(first->outcome())) {
      return PrintError(absl::InvalidArgumentError(absl::StrCat(
          options_.case_id, " does not fail with ", call_->impl_path(), ": there is nothing to shrink")));
    }
    return Shrink(**trial, *first, *std::move(file));
  }

 private:
  static std::string Text(const v1::Verdict& verdict) {
    return PrintableMessage(
        absl::StrCat(OutcomeName(verdict.outcome()), verdict.reason().empty() ? "" : ": ", verdict.reason()));
  }

  ExitCode Shrink(shrink::CaseTrial& trial, const v1::Verdict& first, v1::OperatorFile file) {
    const auto start = std::chrono::steady_clock::now();
    v1::Verdict last = first;
    const auto with = [&file](const v1::Point& point) {
      v1::OperatorFile candidate = file;
      *candidate.mutable_grid(0)->mutable_point(0) = point;
      return candidate;
    };
    const shrink::ShrinkResult result = shrink::ShrinkPoint(
        file.grid(0).point(0),
        [&](const v1::Point& point) {
          const absl::StatusOr<v1::Verdict> verdict = trial.Run(with(point));
          const bool same = verdict.ok() && shrink::FailsAlike(first, *verdict);
          if (same) last = *verdict;
          return same;
        },
        [](const std::string& what) { std::cout << absl::StrCat("  ", what, "\n") << std::flush; }, limits_);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << absl::StrFormat("Shrunk     %d steps, %d cases tried, %.1f s%s\n", result.steps,
                                 result.tries, seconds.count(),
                                 result.complete ? "" : "; stopped by --max-tries");
    std::cout << "Outcome    " << Text(last) << "\n";
    file = with(result.point);
    v1::Point& point = *file.mutable_grid(0)->mutable_point(0);
    point.set_label(absl::StrCat(point.label(), "_shrunk"));
    point.set_reveals(absl::StrCat("shrunk from ", options_.case_id, ": ", OutcomeName(last.outcome())));
    return Write(file, last);
  }

  ExitCode Write(const v1::OperatorFile& file, const v1::Verdict& last) {
    const absl::StatusOr<v1::Case> small = cases::ExpandOne(file);
    if (!small.ok()) return PrintError(absl::InternalError(small.status().message()));
    output_ = agent::AbsolutePath(output_.empty() ? "shrunk_" + options_.case_id : output_);
    const std::string path = absl::StrCat(output_, "/", file.operator_(), ".textproto");
    const std::string text = cases::OperatorText(file);
    const absl::Status written = cases::WriteFileWhole(path, text);
    if (!written.ok()) return PrintError(written);
    v1::Verdict repeated = last;
    repeated.set_case_id(small->id());
    std::cout << "\n"
              << text << "\nWritten    " << path << "\nRepeat     " << call_->RepeatCommand(repeated, output_)
              << "\n"
              << std::flush;
    return ExitCode::kOk;
  }

  CaseCallOptions options_;
  std::unique_ptr<CaseCall> call_;
  std::string output_;
  shrink::ShrinkLimits limits_;
};

}  // namespace

std::unique_ptr<Command> MakeShrinkCommand() {
  return std::make_unique<ShrinkCommand>();
}

}  // namespace diopi::cli
