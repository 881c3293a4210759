// How many of an output's roundings are independent: G of gate R.
#ifndef BASELINES_COMPARE_GROUPS_H_
#define BASELINES_COMPARE_GROUPS_H_

#include <cstdint>
#include <vector>

#include "baselines/compare/judging.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// By the judge's `groups`: "" and "element": every element; "channel": dimension 1; "all": one; "row": the
// elements over those of one row. A row is the dimension of the case's attribute "dim", the dimensions of its
// "normalized_shape", or else the last dimension. At least 1 where there are elements, 0 where there are
// none.
int64_t GroupsOf(const v1::Case& c, const JudgedOutput& output, const std::vector<int64_t>& shape);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_GROUPS_H_
