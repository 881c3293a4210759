// Converts what a point gives into what a call takes, by the parameter's kind.
#ifndef CASES_CORE_POINT_VALUE_H_
#define CASES_CORE_POINT_VALUE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "cases/base/dtype.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"
#include "proto/abi/abi.h"

namespace diopi::cases {

bool IsTensor(abi::Kind kind);       // one handle
bool IsTensorArray(abi::Kind kind);  // handles and their count
bool IsHostOutput(const abi::Param& param);

// The role of a parameter, from its direction in the ABI and its rule.
v1::Role RoleOf(const abi::Param& param, const v1::ArgRule& rule);

enum class Fitting { kSet, kMismatch };

// Sets the value of `arg` from an attribute. kMismatch when the parameter takes another kind of value, with
// the reason in `why`; enumerations may be numbers or names ("mean", "trunc", "channels_last").
Fitting SetAttribute(const abi::Param& param, const v1::PointAttribute& attribute, v1::Argument* arg,
                     std::string* why);

// The element type of a host output.
Dtype HostOutputDtype(abi::Kind kind);

// PyTorch's result type of some arguments: within one category of types, tensors with dimensions take
// precedence over 0-d tensors, and those over scalars.
Dtype ResultType(const std::vector<const v1::Argument*>& args);

// The broadcast shape of numpy and PyTorch. InvalidArgument, naming both, for shapes that do not fit.
absl::StatusOr<std::vector<int64_t>> BroadcastShapes(const std::vector<std::vector<int64_t>>& shapes);

}  // namespace diopi::cases

#endif  // CASES_CORE_POINT_VALUE_H_
