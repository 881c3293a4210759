// (case, what the worker saw, comparison) -> verdict. Pure: which outcome a case has, and why, in words.
#ifndef CLIENT_JUDGE_VERDICT_BUILDER_H_
#define CLIENT_JUDGE_VERDICT_BUILDER_H_

#include <functional>
#include <string>

#include "diopi/v1/case.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "impl_loader/worker/worker.h"

namespace diopi::agent {

// Judges the numbers: PASS, FAIL or HARNESS_ERROR with a reason. Called at most once, and only when the call
// returned success and touched no memory it should not.
using JudgeNumbers = std::function<v1::Verdict(const TensorMap& actual)>;

// In this order, the first that applies:
//   the worker could not be run, or the case is malformed   -> harness_error
//   crashed or exited                                       -> crash
//   past its deadline                                       -> timeout
//   a check of the library as a whole                       -> what it says
//   values that the adaptor cannot hand over                -> skipped
//   no symbol, or NoImplement                               -> not_implemented
//   DtypeNotSupported                                       -> unsupported_dtype
//   another error, an exception, a failed synchronisation   -> error
//   a memory finding                                        -> memory
//   two calls that differ where they must not               -> nondeterministic
//   otherwise what `judge` says.
// What is neither a failure nor our fault then becomes a crash all the same when what an earlier case had
// left behind ended the worker meanwhile (CallOutcome::stray_end): the reason says so, and what the case is
// by itself.
v1::Verdict BuildVerdict(const v1::Case& c, const loader::CallOutcome& outcome, const JudgeNumbers& judge);

// For cases that no worker sees: absent functions, cases without a baseline.
v1::Verdict MakeVerdict(const v1::Case& c, v1::Outcome outcome, const std::string& reason);

// Marks a case that went through the adaptor (device profile, modes): `adapted`, and what was converted.
// Nothing where the adaptor found nothing to do.
void MarkAdapted(const loader::CallOutcome& outcome, v1::Verdict* verdict);

// "[(input, float32, (2, 3)), (mask, bool, (4,))]": the tensors a case passes in, in the ABI's order.
std::string TensorInfo(const v1::Case& c);

// "diopiErrorOccurred": the ABI's name of an error code.
std::string ErrorName(int32_t code);

}  // namespace diopi::agent

#endif  // CLIENT_JUDGE_VERDICT_BUILDER_H_
