// How each outcome counts, for totals that are kept and for reports (reports/model/outcome.h).
#ifndef SERVER_STORE_OUTCOME_H_
#define SERVER_STORE_OUTCOME_H_

#include <cstdint>
#include <map>

#include "diopi/v1/exploration.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::server {

// The library was called and did not give a right answer: fail, error, crash, timeout, memory,
// nondeterministic. Not: not_implemented, unsupported_dtype, skipped, waived, harness_error.
bool IsFailure(v1::Outcome outcome);

// The library was called and an answer was judged or owed: pass, waived and every failure.
bool IsCalled(v1::Outcome outcome);

// How many calls of an exploration had each outcome; names of a newer program are left out.
std::map<v1::Outcome, int64_t> OutcomesOf(const v1::Exploration& exploration);

}  // namespace diopi::server

#endif  // SERVER_STORE_OUTCOME_H_
