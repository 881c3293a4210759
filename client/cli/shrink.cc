// diopi-cli shrink CASE --impl X.so: the smallest and plainest case that still fails the same way.
#include <chrono>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/compare.h"
#include "baselines/compare/contract.h"
#include "cases/core/library_checks.h"
#include "cases/user/operator_text.h"
#include "cases/user/user_cases.h"
#include "client/agent/library_facts.h"
#include "client/cli/command.h"
#include "client/cli/selection.h"
#include "client/cli/shrink_point.h"
#include "client/cli/shrink_trial.h"
#include "reports/model/outcome.h"

namespace diopi::cli {
namespace {

class ShrinkCommand final : public Command {
 public:
  std::string name() const override { return "shrink"; }
  std::string description() const override { return "Makes a failing case as small as it can be"; }
  void AddOptions(CLI::App* app) override {
    app->add_option("case", id_, "Case id")->required();
    app->add_option("--impl", trial_.impl_path, "The vendor's library")->required();
    app->add_option("--device-lib", trial_.device_lib, "Library with the device functions");
    AddCasesOption(app, &cases_folder_);
    app->add_option("--contract", contracts_, "Arithmetic the device declares (tf32, ...; default: none)")
        ->delimiter(',');
    app->add_option("--timeout-s", trial_.timeout_s, "Seconds a call of the case may take (default: 5)")
        ->check(CLI::Range(0.001, 86400.0));
    app->add_option("--max-tries", limits_.most_tries, "Cases to try, at most (default: 2000)")
        ->check(CLI::Range(1, 1'000'000));
    app->add_option("--output", output_, "Folder of the small case (default: shrunk_CASE here)");
    app->add_option("--worker-program", trial_.worker_program, "diopi-worker")->group("");
  }

  ExitCode Run() override {
    const absl::StatusOr<v1::Case> c = FindCase(id_, cases_folder_);
    if (!c.ok()) return Tell(c.status());
    const absl::Status prepared = Prepare(*c);
    if (!prepared.ok()) return Tell(prepared);
    const absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::LoadCatalog(cases_folder_);
    if (!catalog.ok()) return Tell(catalog.status());
    absl::StatusOr<v1::OperatorFile> file = cases::FileOfCase(**catalog, *c);
    if (!file.ok()) return Tell(file.status());
    absl::StatusOr<std::unique_ptr<ShrinkTrial>> trial = ShrinkTrial::Start(trial_);
    if (!trial.ok()) return Tell(trial.status());
    const absl::StatusOr<v1::Verdict> first = (*trial)->Run(*file);
    if (!first.ok()) return Tell(first.status());
    std::cout << "Case       " << id_ << "\nOutcome    " << Text(*first) << "\n" << std::flush;
    if (!reports::IsFailure(first->outcome())) {
      return Tell(absl::InvalidArgumentError(
          absl::StrCat(id_, " does not fail with ", trial_.impl_path, ": there is nothing to shrink")));
    }
    return Shrink(**trial, *first, *std::move(file));
  }

 private:
  absl::Status Prepare(const v1::Case& c) {
    if (cases::IsLibraryCheck(c)) {
      return absl::InvalidArgumentError(absl::StrCat(c.id(), " has no arguments to make smaller"));
    }
    const absl::StatusOr<baselines::Contracts> contracts = baselines::ParseContracts(contracts_);
    if (!contracts.ok()) return contracts.status();
    trial_.compare.contracts = *contracts;
    const absl::StatusOr<agent::LibraryFacts> facts = agent::InspectLibrary(trial_.impl_path);
    if (!facts.ok()) return facts.status();
    trial_.impl_path = facts->path;
    return absl::OkStatus();
  }

  static std::string Text(const v1::Verdict& verdict) {
    return absl::StrCat(reports::OutcomeName(verdict.outcome()), verdict.reason().empty() ? "" : ": ",
                        verdict.reason());
  }

  ExitCode Shrink(ShrinkTrial& trial, const v1::Verdict& first, v1::OperatorFile file) {
    const auto start = std::chrono::steady_clock::now();
    v1::Verdict last = first;
    const auto with = [&file](const v1::Point& point) {
      v1::OperatorFile candidate = file;
      *candidate.mutable_grid(0)->mutable_point(0) = point;
      return candidate;
    };
    const ShrinkResult result = ShrinkPoint(
        file.grid(0).point(0),
        [&](const v1::Point& point) {
          const absl::StatusOr<v1::Verdict> verdict = trial.Run(with(point));
          const bool same = verdict.ok() && FailsAlike(first, *verdict);
          if (same) last = *verdict;
          return same;
        },
        [](const std::string& what) { std::cout << "  " << what << std::endl; }, limits_);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << absl::StrFormat("Shrunk     %d steps, %d cases tried, %.1f s%s\n", result.steps,
                                 result.tries, seconds.count(),
                                 result.complete ? "" : "; --max-tries came before the end");
    std::cout << "Outcome    " << Text(last) << "\n";
    file = with(result.point);
    v1::Point& point = *file.mutable_grid(0)->mutable_point(0);
    point.set_label(absl::StrCat(point.label(), "_shrunk"));
    point.set_reveals(absl::StrCat("shrunk from ", id_, ": ", reports::OutcomeName(last.outcome())));
    return Write(file);
  }

  ExitCode Write(const v1::OperatorFile& file) {
    const absl::StatusOr<v1::Case> small = cases::ExpandOne(file);
    if (!small.ok()) return Tell(absl::InternalError(small.status().message()));
    if (output_.empty()) output_ = absl::StrCat("shrunk_", id_);
    const std::string path = absl::StrCat(output_, "/", file.operator_(), ".textproto");
    const std::string text = cases::OperatorText(file);
    const absl::Status written = cases::WriteFileWhole(path, text);
    if (!written.ok()) return Tell(written);
    std::cout << "\n"
              << text << "\nWritten    " << path << "\nRepeat     diopi-cli repro " << small->id()
              << " --cases " << output_ << " --impl " << trial_.impl_path << "\n"
              << std::flush;
    return ExitCode::kOk;
  }

  std::string id_;
  std::string cases_folder_;
  std::vector<std::string> contracts_;
  std::string output_;
  ShrinkTrialOptions trial_;
  ShrinkLimits limits_;
};

}  // namespace

std::unique_ptr<Command> MakeShrinkCommand() {
  return std::make_unique<ShrinkCommand>();
}

}  // namespace diopi::cli
