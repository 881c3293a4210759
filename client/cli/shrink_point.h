// How a failing case is made smaller: candidates, each one simplification away from a point.
#ifndef CLIENT_CLI_SHRINK_POINT_H_
#define CLIENT_CLI_SHRINK_POINT_H_

#include <functional>
#include <string>
#include <vector>

#include "diopi/v1/operator.pb.h"

namespace diopi::cli {

struct Simplification {
  std::string what;  // "33 -> 9 in every shape", "input: zeros"
  v1::Point point;
};

// Each list has the simplest first. None of the candidates is the point itself; some may make no sense to the
// operator (shapes that do not broadcast): whoever asks finds out.

// Ranks: one dimension dropped from every tensor that has it, counted from the last or from the first; or two
// neighbours merged into one of as many elements.
std::vector<Simplification> WithFewerDimensions(const v1::Point& point);

// Sizes: each size that occurs made smaller, wherever it occurs in shapes and size lists, in shapes alone,
// and then in one
// dimension of a tensor and of those of its shape. 1 to 64 one by one, so that what is found is the smallest;
// above, the neighbours of powers of two, and the largest below.
std::vector<Simplification> WithSmallerSizes(const v1::Point& point);

// Contiguous tensors and outputs.
std::vector<Simplification> WithPlainerLayouts(const v1::Point& point);

// Optional tensors and attributes left out, or null.
std::vector<Simplification> WithFewerArguments(const v1::Point& point);

// Attributes at neutral values: false, 0, 1.
std::vector<Simplification> WithNeutralAttributes(const v1::Point& point);

// Values: zeros, ones, one non-zero element (the first, the last), 0 1 2 ..., small integers.
std::vector<Simplification> WithSimplerValues(const v1::Point& point);

struct ShrinkLimits {
  int most_tries = 2000;  // candidates tried
};

struct ShrinkResult {
  v1::Point point;
  int steps = 0;          // simplifications taken
  int tries = 0;          // candidates tried, those that were taken included
  bool complete = false;  // no candidate of `point` fails; false: the limit came first
};

// Takes one simplification after the other for which `fails` says true, until there is none (or the limit is
// reached). `fails` is called at most once for a point, `taken` for each step.
ShrinkResult ShrinkPoint(const v1::Point& point, const std::function<bool(const v1::Point&)>& fails,
                         const std::function<void(const std::string& what)>& taken,
                         const ShrinkLimits& limits);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_SHRINK_POINT_H_
