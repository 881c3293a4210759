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

bool IsListed(v1::Outcome outcome) {
  return IsFailure(outcome) || outcome == v1::OUTCOME_HARNESS_ERROR;
}

}  // namespace diopi::reports
