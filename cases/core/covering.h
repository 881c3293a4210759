// Covering arrays of strength two: rows that together hold every pair of classes of two axes.
//
// The classes of an axis fall into groups. A pair of axes is covered group by group: every pair of groups has
// a row with some class of each; a pair with an axis that is `each` (the dtype) is covered class by class.
// Every class has a row. Classes that are `once` have one row each, and are in no other.
//
// The algorithm is greedy: it starts a row with the first pair that has none, and gives each further axis the
// class that covers most pairs that have none. No randomness: the same rows everywhere.
#ifndef CASES_CORE_COVERING_H_
#define CASES_CORE_COVERING_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace diopi::cases {

struct CoverAxis {
  std::vector<int> group;  // of each class, from 0
  std::vector<bool> once;  // each class
  bool each = false;
};

// The class of each axis; kOpen where none is chosen yet.
using Row = std::vector<int>;
inline constexpr int kOpen = -1;

// Whether a row may be chosen: kNo when its classes exclude each other, whatever is chosen for open axes. Of
// a complete row whose classes do not, kRefused says that it cannot be all the same; a class that is refused
// while all other axes have their first class is in no row.
enum class Answer { kYes, kNo, kRefused };
using Accepts = std::function<Answer(const Row&)>;

// One pair (or class, when axis_b is kOpen) that no acceptable row holds. Classes, or groups where the pair
// is covered by groups.
struct Impossible {
  int axis_a, a, axis_b, b;
};

struct Covering {
  std::vector<Row> rows;
  int64_t pairs = 0;  // that have a row
  std::vector<Impossible> impossible;
};

// `first`: rows that are taken, in order, where they are acceptable and cover something new.
Covering CoverPairs(const std::vector<CoverAxis>& axes, const Accepts& accepts,
                    const std::vector<Row>& first);

}  // namespace diopi::cases

#endif  // CASES_CORE_COVERING_H_
