// What relates the sizes of a function's calls: what holds in all of its cases whose arguments have the same
// ranks is taken for a condition of the function. An operator's rules say how outputs follow from inputs, but
// not always how inputs follow from each other.
#ifndef CASES_CORE_SHAPE_FACTS_H_
#define CASES_CORE_SHAPE_FACTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::cases {

// A dimension of a tensor, an integer attribute, or an entry of an attribute that is a list of sizes.
struct CallSize {
  std::string argument;
  v1::Role role;
  int tensor;  // its place in a list of tensors
  int place;   // the dimension or entry
  int64_t value;
};
std::vector<CallSize> SizesOf(const v1::Case& c);

// The facts of one function.
class ShapeFacts {
 public:
  void Add(const v1::Case& c);

  // Whether the sizes of `c` are related as in all cases of the same ranks: equal, equal unless one of them
  // is 1, not larger, always the same. False if there are no such cases.
  bool Hold(const v1::Case& c) const;
  // The places in SizesOf(c) whose sizes are equal in all cases of the same ranks to that of `size`; empty if
  // that is the same in all of them.
  std::vector<size_t> EqualTo(const v1::Case& c, size_t size) const;
  // The least that any case of the same ranks has there.
  int64_t LeastOf(const v1::Case& c, size_t size) const;

 private:
  using Rows = std::vector<std::vector<int64_t>>;
  const Rows* RowsLike(const v1::Case& c) const;

  std::map<std::string, Rows> rows_;  // the sizes of each case, by the ranks of its arguments
};

}  // namespace diopi::cases

#endif  // CASES_CORE_SHAPE_FACTS_H_
