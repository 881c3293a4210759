#include "cases/base/outcome.h"

#include "proto/enum_name.h"

namespace diopi {

std::string OutcomeName(v1::Outcome outcome) {
  return EnumName(outcome);
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

bool IsListed(v1::Outcome outcome) {
  return IsFailure(outcome) || outcome == v1::OUTCOME_HARNESS_ERROR;
}

void CallTally::Add(v1::Outcome outcome, int64_t cases) {
  if (IsCalled(outcome)) called += cases;
  if (outcome == v1::OUTCOME_PASS) passed += cases;
  if (outcome == v1::OUTCOME_NOT_IMPLEMENTED) not_implemented += cases;
}

std::map<v1::Outcome, int64_t> OutcomesOf(const v1::Exploration& exploration) {
  std::map<v1::Outcome, int64_t> outcomes;
  for (const auto& [name, count] : exploration.outcomes()) {
    if (const auto outcome = EnumNamed<v1::Outcome>(name)) outcomes[*outcome] = count;
  }
  return outcomes;
}

}  // namespace diopi
