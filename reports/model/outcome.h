// The closed vocabulary of outcomes, in words, and how each counts.
#ifndef REPORTS_MODEL_OUTCOME_H_
#define REPORTS_MODEL_OUTCOME_H_

#include <string>

#include "diopi/v1/verdict.pb.h"

namespace diopi::reports {

// "pass", "not_implemented": the enum's name in lower case without its prefix. "unspecified" for a number
// this program does not know.
std::string OutcomeName(v1::Outcome outcome);

// The library was called and did not give a right answer: fail, error, crash, timeout, memory,
// nondeterministic. Not: not_implemented, unsupported_dtype, skipped, waived, harness_error.
bool IsFailure(v1::Outcome outcome);

// The library was called and an answer was judged or owed: pass, waived and every failure.
bool IsCalled(v1::Outcome outcome);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_OUTCOME_H_
