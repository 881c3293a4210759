// The point that a row of a cover's classes gives. For cover.cc, which chooses the rows of a cover, and for
// cases/explore, which draws others.
#ifndef CASES_CORE_COVER_POINT_H_
#define CASES_CORE_COVER_POINT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/expression.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// One class for each axis of the cover, in its order; null where none is chosen yet.
using Classes = std::vector<const v1::Class*>;

// What the cover and these classes give each variable. A variable that a missing class may still set is left
// out.
Variables VariablesOf(const v1::Cover& cover, const Classes& classes);

// The names of the classes, joined; those of ordinary classes are left out.
std::string LabelOfClasses(const v1::Cover& cover, const Classes& classes);

// Merges the tensors and attributes of each class into the cover's, and replaces every expression by its
// value over `variables`. The point has no label. No class may be null. InvalidArgument for an expression
// that cannot be evaluated.
absl::StatusOr<v1::Point> PointOf(const v1::Cover& cover, const Classes& classes, const Variables& variables);

}  // namespace diopi::cases

#endif  // CASES_CORE_COVER_POINT_H_
