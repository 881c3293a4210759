// The names of all outcomes, and how each counts.
#ifndef REPORTS_MODEL_OUTCOME_H_
#define REPORTS_MODEL_OUTCOME_H_

#include <string>

#include "diopi/v1/verdict.pb.h"
#include "server/store/outcome.h"

namespace diopi::reports {

// "pass", "not_implemented": the enum's name in lower case without its prefix. "unspecified" for a number
// this program does not know.
std::string OutcomeName(v1::Outcome outcome);

// The store keeps totals under the same names.
using server::IsCalled;
using server::IsFailure;

// Whether reports list the case, with the command that repeats it: a failure, or our own fault.
bool IsListed(v1::Outcome outcome);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_OUTCOME_H_
