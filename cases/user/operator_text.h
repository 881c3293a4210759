// Operator files of one point, and as text.
#ifndef CASES_USER_OPERATOR_TEXT_H_
#define CASES_USER_OPERATOR_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/core/dtype.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// `op` with `point` alone, for `function` and `dtype` alone; of the other functions those that it takes
// outputs from.
v1::OperatorFile OnePointFile(const v1::OperatorFile& op, const v1::Point& point, const std::string& function,
                              Dtype dtype);

// The one case of such a file. InvalidArgument when the file is wrong, or has not exactly one.
absl::StatusOr<v1::Case> ExpandOne(const v1::OperatorFile& file);

// The file as *.textproto, with the comments by which editors know its schema.
std::string OperatorText(const v1::OperatorFile& file);

// Makes the folders of `path` and the file: whole or not at all. Internal, with the path and why.
absl::Status WriteFileWhole(const std::string& path, const std::string& text);

}  // namespace diopi::cases

#endif  // CASES_USER_OPERATOR_TEXT_H_
