// Operator files with one point, and operator files as text.
#ifndef CASES_USER_OPERATOR_TEXT_H_
#define CASES_USER_OPERATOR_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/dtype.h"
#include "cases/core/catalog.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// `op` with only `point`, for only `function` and `dtype`. Keeps those other functions whose outputs
// `function` takes, and those of the point's arguments that one of these functions takes.
v1::OperatorFile OnePointFile(const v1::OperatorFile& op, const v1::Point& point, const std::string& function,
                              Dtype dtype);

// The case of such a file. InvalidArgument when the file has errors, or not exactly one case.
absl::StatusOr<v1::Case> ExpandOne(const v1::OperatorFile& file);

// The file that expands to `c` only: OnePointFile of the point that `c` comes from. Internal when the
// catalog has no such point.
absl::StatusOr<v1::OperatorFile> FileOfCase(const Catalog& catalog, const v1::Case& c);

// The file as *.textproto, with the comments that tell editors its schema.
std::string OperatorText(const v1::OperatorFile& file);

// Makes the folders of `path`, and the file in one step. Statuses of WriteError (cases/base/file_error.h).
absl::Status WriteFileWhole(const std::string& path, const std::string& text);

}  // namespace diopi::cases

#endif  // CASES_USER_OPERATOR_TEXT_H_
