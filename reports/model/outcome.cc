#include "reports/model/outcome.h"

#include "proto/enum_name.h"

namespace diopi::reports {

std::string OutcomeName(v1::Outcome outcome) {
  return EnumName(outcome);
}

bool IsListed(v1::Outcome outcome) {
  return IsFailure(outcome) || outcome == v1::OUTCOME_HARNESS_ERROR;
}

}  // namespace diopi::reports
