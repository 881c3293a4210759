#include "server/store/outcome.h"

namespace diopi::server {

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

}  // namespace diopi::server
