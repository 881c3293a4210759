// One function at one point in one dtype: a case, or the reason why there is none.
#ifndef CASES_CORE_CASE_BUILDER_H_
#define CASES_CORE_CASE_BUILDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"
#include "proto/abi/abi.h"

namespace diopi::cases {

// Without a case, `why_not` says what does not fit; `in_place` is true when the only obstacle is that the
// function writes into an operand that has another shape or dtype, or shared elements.
struct Fit {
  std::optional<v1::Case> c;
  std::string why_not;
  bool in_place = false;
};

// Assigns every argument of `rules`' function. A function that does not fit the point is no error. A shape
// rule that fails, a layout that does not fit, or an output without judge is InvalidArgument, starting with
// the argument's name; an `out_layout` that no output can take is FailedPrecondition. The caller sets id,
// hash and judges with FinishCase.
absl::StatusOr<Fit> BuildCase(const v1::OperatorFile& op, const v1::FunctionRules& rules,
                              const v1::Point& point, v1::Dtype::Code dtype);

// Judges (the default one spread over all outputs, exact for integers), id and content hash.
absl::Status FinishCase(const v1::FunctionRules& rules, v1::Case* c);

// The hash of what a case computes: of everything except its names and explanations. FinishCase sets it.
std::string ContentHash(const v1::Case& c);

// The limit for one tensor of suite core, in storage.
inline constexpr int64_t kMostTensorBytes = int64_t{1} << 20;

// The bytes of the largest tensor among the case's arguments, in storage.
int64_t LargestTensorBytes(const v1::Case& c);

// The rules of a function of this file; null when it has none of that name.
const v1::FunctionRules* FindRules(const v1::OperatorFile& op, const std::string& function);

// Whether only_dtypes and skip_dtypes of the rules leave the dtype in.
bool TakesDtype(const v1::FunctionRules& rules, v1::Dtype::Code dtype);

// The rule of an argument; the empty rule when none is written.
const v1::ArgRule& RuleFor(const v1::FunctionRules& rules, const std::string& argument);

}  // namespace diopi::cases

#endif  // CASES_CORE_CASE_BUILDER_H_
