#include "client/setup/exit_code.h"

#include <signal.h>

#include "cases/base/outcome.h"
#include "reports/model/completeness.h"

namespace diopi::agent {

int64_t CountOf(const OutcomeCounts& outcomes, bool (*counts)(v1::Outcome)) {
  int64_t sum = 0;
  for (int i = v1::Outcome_MIN; i <= v1::Outcome_MAX; ++i) {
    const auto outcome = static_cast<v1::Outcome>(i);
    const auto found = outcomes.find(OutcomeName(outcome));
    if (counts(outcome) && found != outcomes.end()) sum += found->second;
  }
  return sum;
}

absl::Status StatusOfExit(const ExitStatus& ended, absl::string_view text) {
  const auto code = static_cast<ExitCode>(ended.code);
  if (ended.signal == SIGKILL || ended.signal == SIGTERM) return absl::FailedPreconditionError(text);
  if (ended.signal == 0 && code == ExitCode::kUsage) return absl::InvalidArgumentError(text);
  if (ended.signal == 0 && code == ExitCode::kEnvironment) return absl::FailedPreconditionError(text);
  return absl::InternalError(text);
}

ExitCode ExitCodeFor(const OutcomeCounts& outcomes) {
  if (CountOf(outcomes, IsFailure) > 0) return ExitCode::kFailed;
  const bool ours = CountOf(outcomes, [](v1::Outcome o) { return o == v1::OUTCOME_HARNESS_ERROR; }) > 0;
  return ours ? ExitCode::kOurs : ExitCode::kOk;
}

void AddMinCoverageOption(CLI::App* app, int64_t* functions) {
  app->add_option_function<std::string>(
         "--min-coverage",
         [functions](const std::string& text) { *functions = reports::ParseMinCoverage(text).value_or(0); },
         "Fail when fewer functions pass: a percentage of the ABI's functions (30%) or a number (160)")
      ->check([](const std::string& text) {
        return std::string(reports::ParseMinCoverage(text).status().message());
      });
}

}  // namespace diopi::agent
