// Values and shapes at which element-wise kernels take another path: numbers at the ends of types and at the
// knots of piecewise functions, scalars that a narrower type rounds, operands that repeat along dimensions.
#ifndef CASES_EXPLORE_EDGES_H_
#define CASES_EXPLORE_EDGES_H_

#include <string>
#include <vector>

#include "cases/base/dtype.h"
#include "cases/fill/random.h"
#include "diopi/v1/operator.pb.h"
#include "proto/abi/abi.h"

namespace diopi::explore {

// Whether a zero among other numbers would meet the point's own -0 in a function that selects among numbers:
// which of them is the larger one is open.
bool MayMeetZeros(const v1::FunctionRules& rules, const v1::Point& point);

// Writes a few special numbers over elements of a floating tensor: zeros, a few small integers and
// `thresholds` that the type has, of either sign, NaN and infinities. Where the function only `moves` or
// compares numbers, also the largest and subnormal ones, which no arithmetic overflows or flushes; where it
// calculates, -0, whose sign is then defined. Says which.
std::string AddSpecials(Dtype floating, bool moves, const std::vector<double>& thresholds, Draws* draws,
                        v1::PointTensor* tensor);

// Gives an integer attribute a number next to the power of two at which a narrower type ends, 2^7 to 2^62, of
// either sign, and as often as not gives `tensor` numbers around it. `integral`: their dtype. Says which;
// empty where it is not an integer.
std::string SetToEdge(Dtype integral, Draws* draws, v1::PointAttribute* attribute, v1::PointTensor* tensor);

// One of both, at a point of an element-wise function in this dtype: such functions are defined for every
// number, except that which zero is the larger one is open, so functions that select among numbers get zeros
// of one sign. An integer operand whose elements are moved gets the ends of its type. `tensor`: of the point,
// in the case's dtype; null leaves all as they are. Empty: what was drawn does not suit the point.
std::string EdgeOf(const v1::FunctionRules& rules, const abi::Function& function, Dtype dtype, Draws* draws,
                   v1::Point* point, v1::PointTensor* tensor);

// Makes an operand repeat along some neighbouring dimensions, or along all others: their sizes become 1, and
// as often as not the first dimensions are left out as far as they are 1. Empty: it does so already.
std::string Repeat(Draws* draws, v1::PointTensor* tensor);

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_EDGES_H_
