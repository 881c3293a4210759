// Reduces a failing case: candidates, each one simplification away from a point, and the search among them.
#ifndef CLIENT_SHRINK_SHRINK_POINT_H_
#define CLIENT_SHRINK_SHRINK_POINT_H_

#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "diopi/v1/operator.pb.h"

namespace diopi::shrink {

struct Simplification {
  std::string what;  // "33 -> 9 in every shape", "input: zeros"
  v1::Point point;
};

// Each list begins with the simplest candidate. No candidate equals the point itself. Some may be invalid for
// the operator (shapes that do not broadcast): the caller finds out.

// Ranks: drops one dimension, counted from the last or from the first, from every tensor that has it; or
// merges two neighbouring dimensions into one of as many elements.
std::vector<Simplification> WithFewerDimensions(const v1::Point& point);

// Sizes: reduces each size wherever it occurs in shapes and size lists, then in shapes only, and then in one
// dimension of a tensor and of those of its shape. Tries 1 to 64 one by one, to find the smallest size; above
// 64, the neighbours of powers of two, and the next smaller size.
std::vector<Simplification> WithSmallerSizes(const v1::Point& point);

// Makes tensors and outputs contiguous.
std::vector<Simplification> WithPlainerLayouts(const v1::Point& point);

// Leaves out optional tensors and attributes, or makes them null.
std::vector<Simplification> WithFewerArguments(const v1::Point& point);

// Sets attributes to neutral values: false, 0, 1.
std::vector<Simplification> WithNeutralAttributes(const v1::Point& point);

// Values: zeros, ones, one non-zero element (the first, the last), 0 1 2 ..., small integers.
std::vector<Simplification> WithSimplerValues(const v1::Point& point);

struct ShrinkLimits {
  int most_tries = 2000;  // candidates tried
  // No candidate is tried later than this after the start.
  std::chrono::duration<double> most_time{std::numeric_limits<double>::infinity()};
};

struct ShrinkResult {
  v1::Point point;
  int steps = 0;          // simplifications kept
  int tries = 0;          // candidates tried, including those kept
  bool complete = false;  // no candidate of `point` fails; false: a limit was reached
};

// Keeps one simplification after the other for which `fails` returns true, until there is none or a limit
// is reached. Calls `fails` at most once for a point, and `taken` at each step.
ShrinkResult ShrinkPoint(const v1::Point& point, const std::function<bool(const v1::Point&)>& fails,
                         const std::function<void(const std::string& what)>& taken,
                         const ShrinkLimits& limits);

}  // namespace diopi::shrink

#endif  // CLIENT_SHRINK_SHRINK_POINT_H_
