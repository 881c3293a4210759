#include "reports/model/outcome.h"

#include <string_view>

#include "absl/strings/ascii.h"

namespace diopi::reports {

std::string OutcomeName(v1::Outcome outcome) {
  constexpr std::string_view kPrefix = "OUTCOME_";
  const std::string& name = v1::Outcome_Name(outcome);
  if (name.size() <= kPrefix.size()) return "unspecified";
  return absl::AsciiStrToLower(name.substr(kPrefix.size()));
}

bool IsFailure(v1::Outcome outcome) {
  switch (outcome) {
    case v1::OUTCOME_FAIL:
    case v1::OUTCOME_ERROR:
    case v1::OUTCOME_CRASH:
    case v1::OUTCOME_TIMEOUT:
    case v1::OUTCOME_MEMORY:
    case v1::OUTCOME_NONDETERMINISTIC:
      return true;
    default:
      return false;
  }
}

bool IsCalled(v1::Outcome outcome) {
  return outcome == v1::OUTCOME_PASS || outcome == v1::OUTCOME_WAIVED || IsFailure(outcome);
}

}  // namespace diopi::reports
