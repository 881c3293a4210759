// Values from a part of the range that the operator's own points give a tensor: numbers of one sign, all
// large, all alike, or whole, which tie, cancel and divide without a rest.
#ifndef CASES_EXPLORE_RANGES_H_
#define CASES_EXPLORE_RANGES_H_

#include <string>
#include <vector>

#include "cases/fill/random.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::explore {

// `known`: the fills that points give the tensor; those that draw each element alone count, as each number of
// their range is then one that the function is defined for. All say what they did; empty: there is no such
// fill, and the tensor is unchanged.

// Numbers of a part of one of the ranges or, where `ties` is true, one number inside it.
std::string Narrow(const std::vector<v1::Fill>& known, bool ties, Draws* draws, v1::PointTensor* tensor);

// Whole numbers inside one of the ranges, at most `reach` from 0.
std::string MakeWhole(const std::vector<v1::Fill>& known, int64_t reach, Draws* draws,
                      v1::PointTensor* tensor);

// Numbers of the signs that one of the ranges has, up to ones whose squares overflow in float16.
std::string Enlarge(const std::vector<v1::Fill>& known, Draws* draws, v1::PointTensor* tensor);

// Writes a few of the numbers that any of the fills lists over the tensor's elements, or makes all elements
// one of them. `finite`: of the finite ones; otherwise of NaN and the infinities. Empty: the fills have none.
std::string AddKnownSpecials(const std::vector<v1::Fill>& known, bool finite, Draws* draws,
                             v1::PointTensor* tensor);

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_RANGES_H_
