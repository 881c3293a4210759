// The names of all outcomes, and how each counts.
#ifndef CASES_BASE_OUTCOME_H_
#define CASES_BASE_OUTCOME_H_

#include <cstdint>
#include <map>
#include <string>

#include "diopi/v1/exploration.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi {

// "pass", "not_implemented": the enum's name in lower case without its prefix. "unspecified" for a number
// this program does not know.
std::string OutcomeName(v1::Outcome outcome);

// The library was called and did not give a right answer: fail, error, crash, timeout, memory,
// nondeterministic. Not: not_implemented, unsupported_dtype, skipped, waived, harness_error.
bool IsFailure(v1::Outcome outcome);

// The library was called and an answer was judged or owed: pass, waived and every failure.
bool IsCalled(v1::Outcome outcome);

// Reports list the case, with the command that repeats it: a failure, or our own fault.
bool IsListed(v1::Outcome outcome);

// What a run's cases of one function, or all of them, say of the library.
struct CallTally {
  int64_t called = 0;
  int64_t passed = 0;  // of these
  int64_t not_implemented = 0;

  void Add(v1::Outcome outcome, int64_t cases = 1);
  bool tested() const { return called > 0; }
  // A waived case is neither a failure nor a pass.
  bool passing() const { return called > 0 && passed == called; }
  // Exported or not: every call returned NoImplement, so it is not implemented.
  bool hollow() const { return called == 0 && not_implemented > 0; }
};

// How many calls of an exploration had each outcome; names of a newer program are left out.
std::map<v1::Outcome, int64_t> OutcomesOf(const v1::Exploration& exploration);

}  // namespace diopi

#endif  // CASES_BASE_OUTCOME_H_
