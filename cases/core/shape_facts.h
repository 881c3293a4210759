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

// What holds between the sizes of all calls whose arguments have the same ranks.
class SizeRelations {
 public:
  // All calls have as many sizes.
  void Add(const std::vector<CallSize>& sizes);

  // Whether the sizes are related as in all calls: equal, equal unless one of them is 1, not larger, always
  // the same.
  bool Hold(const std::vector<CallSize>& sizes) const;
  // The places whose sizes are equal to that of `size` in all calls; empty if that is the same in all of
  // them.
  std::vector<size_t> EqualTo(size_t size) const;
  // The least that any call has there.
  int64_t LeastOf(size_t size) const { return least_[size]; }

 private:
  std::vector<int64_t> first_, least_;
  std::vector<bool> constant_;
  std::vector<uint8_t> related_;  // for each pair of places, a bit for each relation that all calls have
};

// The relations of one function.
class ShapeFacts {
 public:
  void Add(const v1::Case& c);
  // Null if no case that was added has the ranks of `c`.
  const SizeRelations* Of(const v1::Case& c) const;

 private:
  std::map<std::string, SizeRelations> relations_;  // by the ranks of the arguments
};

}  // namespace diopi::cases

#endif  // CASES_CORE_SHAPE_FACTS_H_
