// Shared sets of points and axes, cases/sets/*.textproto, which are built into the program.
#ifndef CASES_CORE_POINT_SETS_H_
#define CASES_CORE_POINT_SETS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cases/base/textproto.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// Puts the functions of every `functions` into the file, the points of every `use` into its grid, what a grid
// gives all its points into them, and the axes of every `set` into its cover, so that the file is
// self-contained. InvalidArgument, a line per error, for an unknown set, label, axis, class or role.
absl::Status ResolveSets(const SourceLines& lines, v1::OperatorFile* op);

// "elementwise_shapes", ...: sorted.
std::vector<std::string> SetNames();

// Copies the fields that `from` has; a fill's kind and its specials count as one field each.
void MergeTensor(const v1::PointTensor& from, v1::PointTensor* into);

}  // namespace diopi::cases

#endif  // CASES_CORE_POINT_SETS_H_
