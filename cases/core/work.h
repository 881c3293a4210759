// What a call must do at least, whatever the library: the bytes that it must move, and the operations that it
// must carry out.
//
// By default a call reads every element of its inputs once and writes every element of its outputs once, and
// needs one operation for each element of its largest tensor. An operator's file says where that is wrong
// (v1::Work), with expressions over the call's arguments (call_variables.h). In them log2(x) is the number of
// bits of x - 1: the levels of a balanced tree with x leaves.
#ifndef CASES_CORE_WORK_H_
#define CASES_CORE_WORK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"
#include "diopi/v1/performance.pb.h"

namespace diopi::cases {

// `op` is the operator's file that the case is made from. InvalidArgument, naming the operator, the function
// and the expression, for an expression that cannot be evaluated.
absl::StatusOr<v1::CallWork> WorkOf(const v1::OperatorFile& op, const v1::Case& c);

// The operations of the call or, if they are more, the elements that a correct kernel may visit without need
// (v1::Work.visits). Errors are those of WorkOf.
absl::StatusOr<double> VisitsOf(const v1::OperatorFile& op, const v1::Case& c);

// The rule of a function: the first that names it, or else the first that names no function; null: the
// default.
const v1::Work* WorkRuleOf(const v1::OperatorFile& op, const std::string& function);

// "reads 1.5 MB, writes 0.5 MB, 2.1 million operations (1.05 per byte)".
std::string WorkText(const v1::CallWork& work);

}  // namespace diopi::cases

#endif  // CASES_CORE_WORK_H_
