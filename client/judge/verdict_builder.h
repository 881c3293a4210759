// (case, worker's observations, comparison) -> verdict. Pure: decides which outcome a case has, and what
// findings explain it.
#ifndef CLIENT_JUDGE_VERDICT_BUILDER_H_
#define CLIENT_JUDGE_VERDICT_BUILDER_H_

#include <functional>
#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "impl_loader/worker/worker.h"

namespace diopi::agent {

// Judges the numbers: PASS, FAIL or HARNESS_ERROR with findings. Called at most once, and only when the call
// returned success and without a memory finding.
using JudgeNumbers = std::function<v1::Verdict(const TensorMap& actual)>;

// The first of these that applies:
//   the worker could not be run, or the case is malformed   -> harness_error
//   crashed, exited, or answered what is no answer          -> crash
//   past its deadline                                       -> timeout
//   a check of the library as a whole                       -> what it says
//   values that the adaptor cannot hand over                -> skipped
//   no symbol, or NoImplement                               -> not_implemented
//   DtypeNotSupported                                       -> unsupported_dtype
//   another error where an output lies in an input's memory -> pass: the library refuses it
//   another error, an exception, a failed synchronisation   -> error
//   a memory finding                                        -> memory
//   two calls that differ where they must not               -> nondeterministic
//   otherwise what `judge` says.
// An outcome that is neither a failure nor our fault still becomes a crash when something that an earlier
// case left behind ended the worker meanwhile (CallOutcome::stray_end): the findings say so, and give the
// case's own outcome.
// Functions that draw must advance the generator. `inputs` tell where that is left to them, because there is
// nothing to draw (finished sequences).
v1::Verdict BuildVerdict(const v1::Case& c, const loader::CallOutcome& outcome, const JudgeNumbers& judge,
                         const TensorMap& inputs = {});

// Whether equal calls may give different results: atomics are allowed here, or the host passes no generator,
// so that the library's own advances from call to call.
bool MayDiffer(const v1::Case& c);

// A verdict on a case that no worker runs: its function is missing, or it is skipped. What is `said` in a
// finding may hold any bytes; a backtrace at its end goes to the verdict's.
v1::Verdict MakeVerdict(const v1::Case& c, v1::Outcome outcome, const std::vector<v1::Finding>& findings);

// OUTCOME_HARNESS_ERROR, for cases that cannot be judged. `word` tells one kind of such faults from another.
v1::Verdict HarnessError(const v1::Case& c, const std::string& word, const std::string& why);

// Marks a case that the adaptor converted (device profile, modes): `adapted`, and what was converted. Does
// nothing where the adaptor had nothing to convert.
void MarkAdapted(const loader::CallOutcome& outcome, v1::Verdict* verdict);

// "[(input, float32, (2, 3)), (mask, bool, (4,))]": the tensors a case passes in, in the ABI's order.
std::string TensorInfo(const v1::Case& c);

}  // namespace diopi::agent

#endif  // CLIENT_JUDGE_VERDICT_BUILDER_H_
