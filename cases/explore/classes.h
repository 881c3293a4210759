// The classes of a call, of which exploration seeks new ones and new pairs.
#ifndef CASES_EXPLORE_CLASSES_H_
#define CASES_EXPLORE_CLASSES_H_

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::explore {

// One number for each class that the call is in: its dtype; the rank, each size, the layout and the fill of
// each tensor; the value of each attribute. No two are equal.
std::vector<uint64_t> ClassesOf(const v1::Case& c);

// The classes of one function's calls, and their pairs. Not thread-safe.
class SeenClasses {
 public:
  // How new a call with these classes would be: a new class counts as four new pairs.
  int64_t Novelty(const std::vector<uint64_t>& classes) const;
  void Add(const std::vector<uint64_t>& classes);

  int64_t classes() const { return static_cast<int64_t>(classes_.size()); }
  int64_t pairs() const { return pairs_; }

 private:
  size_t PlaceOf(uint64_t a, uint64_t b) const;

  std::unordered_set<uint64_t> classes_;
  // A bit for each pair, by its hash: so a run of hours takes no more memory, and counts a few pairs too
  // little.
  std::vector<bool> has_pair_ = std::vector<bool>(size_t{1} << 18);
  int64_t pairs_ = 0;
};

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_CLASSES_H_
