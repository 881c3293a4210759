// How an output's elements are grouped: G of gate R, and the slices along one dimension.
#ifndef BASELINES_COMPARE_GROUPS_H_
#define BASELINES_COMPARE_GROUPS_H_

#include <cstdint>
#include <vector>

#include "baselines/compare/judging.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// A tensor seen as outer x middle x inner around one dimension: neighbours along it are `inner` elements
// apart.
struct Slices {
  int64_t outer = 1;
  int64_t middle = 1;
  int64_t inner = 1;
};

// A negative `dim` counts from the end. Where the shape has no such dimension, every element is outer.
Slices SlicesAround(const std::vector<int64_t>& shape, int64_t dim);

// Slices along the dimension that the case's attribute "dim" names, or else the last one.
Slices SlicesOf(const v1::Case& c, const std::vector<int64_t>& shape);

// The number of groups by the judge's `groups`: "" and "element": every element; "channel": dimension 1;
// "all": one; "row": the elements over those of one row. A row is the dimension of the case's attribute
// "dim", the dimensions of its "normalized_shape" or those from its "begin_norm_axis" on, or else the last
// dimension. At least 1 where there are elements, 0 where there are none. A number, for elements picked out
// of an output: as many groups as it says.
int64_t GroupsOf(const v1::Case& c, const JudgedOutput& output, const std::vector<int64_t>& shape);

// The number of the group to which the element at a flat index belongs.
int64_t GroupOf(const v1::Case& c, const JudgedOutput& output, const std::vector<int64_t>& shape,
                int64_t index);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_GROUPS_H_
