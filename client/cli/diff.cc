// diopi-cli diff: compares two runs.
#include "reports/render/diff.h"

#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/run_source.h"

namespace diopi::cli {
namespace {

class DiffCommand final : public Command {
 public:
  std::string name() const override { return "diff"; }
  std::string description() const override {
    return "Compares two runs, from RUN_A to RUN_B; exit status 1 when something newly fails or is newly "
           "refused";
  }
  std::string examples() const override {
    return "  diopi-cli diff 20261120-101502-7f3a latest                       what got better and worse\n"
           "  diopi-cli diff --format markdown --output diff.md RUN_A RUN_B    for a pull request\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("RUN_A", run_a_, "Run id, or latest")->required();
    app->add_option("RUN_B", run_b_, "Run id, or latest")->required();
    AddRunSourceOptions(app, &source_);
    app->add_option("--error-factor", options_.error_factor,
                    "Ratio of errors from which a case counts as worse or better (default: 2)")
        ->check(CLI::Range(1.0, 1e9));
    app->add_option("--time-factor", options_.time_factor,
                    "Ratio of median times from which a case counts as slower or faster (default: 1.5)")
        ->check(CLI::Range(1.0, 1e9));
    app->add_option("--time-runs", options_.time_runs,
                    "Fewest finished runs of each library for slower or faster (default: 3)")
        ->check(CLI::Range(2, 8));
    AddFormatOption(app, {"text", "markdown", "json"}, &format_);
    AddOutputOption(app, &output_);
  }

  ExitCode Run() override {
    v1::AnswerRequest request;
    v1::AnswerRequest::Compare& compare = *request.mutable_compare();
    compare.set_a(run_a_);
    compare.set_b(run_b_);
    compare.set_error_factor(options_.error_factor);
    compare.set_time_factor(options_.time_factor);
    compare.set_time_runs(options_.time_runs);
    const absl::StatusOr<v1::Compare> diff = ReadAnswer<v1::Compare>(source_, request);
    if (!diff.ok()) return PrintError(diff.status());
    const absl::StatusOr<std::string> text = reports::RenderDiff(*diff, format_);
    if (!text.ok()) return PrintError(text.status());
    const absl::Status written = WriteOutput(*text, output_);
    if (!written.ok()) return PrintError(written);
    for (const v1::CompareCount& count : diff->counts()) {
      const bool lost =
          count.kind() == v1::COMPARE_KIND_NEWLY_FAILING || count.kind() == v1::COMPARE_KIND_NEWLY_REFUSED;
      if (lost && count.cases() > 0) return ExitCode::kFailed;
    }
    return ExitCode::kOk;
  }

 private:
  RunSourceOptions source_;
  std::string run_a_;
  std::string run_b_;
  reports::DiffOptions options_;
  std::string format_ = "text";
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> MakeDiffCommand() {
  return std::make_unique<DiffCommand>();
}

}  // namespace diopi::cli
