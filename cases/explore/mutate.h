// One random change to a point: a size, a layout, a value, an attribute, ... What the operator's rules and
// the reference refuse afterwards is no valid call; the caller finds out.
#ifndef CASES_EXPLORE_MUTATE_H_
#define CASES_EXPLORE_MUTATE_H_

#include <cstdint>
#include <string>

#include "cases/base/dtype.h"
#include "cases/explore/vocabulary.h"
#include "cases/fill/random.h"
#include "diopi/v1/operator.pb.h"
#include "proto/abi/abi.h"

namespace diopi::explore {

// The point's owner: one function of an operator, called in one dtype. All must outlive the Mutator.
struct MutateOptions {
  const v1::FunctionRules* rules = nullptr;
  const abi::Function* function = nullptr;
  const Vocabulary* vocabulary = nullptr;
  Dtype dtype = v1::Dtype::float32;
  int64_t most_elements = 4096;  // of the point's largest tensor, approximately
  bool large = false;            // new sizes are near the largest that this allows
};

// Whether some output of the function is judged by its distribution. What such outputs must look like depends
// on the point, of which MutatePoint then changes only layouts and the generator's seed.
bool IsRandom(const v1::FunctionRules& rules);

// Changes the point in one way and says which: "17 -> 33 everywhere", "input: strided". Empty: what was drawn
// does not suit the point, which is unchanged.
std::string MutatePoint(const MutateOptions& options, Draws* draws, v1::Point* point);

// Changes the point in one way at which kernels take another path: an operand that repeats along dimensions,
// special numbers (edges.h), values of a part of their range (ranges.h), a degenerate attribute, a short
// dimension. Says which, or nothing, as above.
std::string MutateEdge(const MutateOptions& options, Draws* draws, v1::Point* point);

// Changes the point in one way that the key of what a library keeps from call to call may lack: a mode or
// another attribute, a layout, sizes that change places, an argument left out. Says which, or nothing.
std::string MutateForSequence(const MutateOptions& options, Draws* draws, v1::Point* point);

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_MUTATE_H_
