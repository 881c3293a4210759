// Covering arrays of strength two: rows that together have every pair of classes of two axes.
//
// The classes of an axis fall into groups. A pair of axes is covered group by group: every pair of groups has
// a row with some class of each; a pair with an axis that is `each` (the dtype) is covered class by class.
// Every class has a row. Classes that are `once` have exactly one row each.
//
// The algorithm is greedy: it starts a row with the first uncovered pair, and gives each further axis, those
// with the fewest possible classes first, the class that covers most uncovered pairs. It is not random, so
// the rows are the same everywhere.
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

// Whether classes of these axes, in ascending order, may be combined. Called once for each combination.
struct Constraint {
  std::vector<int> axes;
  std::function<bool(const Row&)> holds;
};

// Whether a complete row that fulfils the constraints can be. A class that cannot while all other axes have
// their first class is in no row.
using Accepts = std::function<bool(const Row&)>;

// One pair (or class, when axis_b is kOpen) that no acceptable row holds. Classes, or groups where the pair
// is covered by groups.
struct Impossible {
  int axis_a, a, axis_b, b;
  bool undecided;  // the search was given up: there may be such a row after all
};

struct Covering {
  std::vector<Row> rows;
  int64_t pairs = 0;  // that have a row
  std::vector<Impossible> impossible;
};

// `first`: rows that are tried first, in order, and kept if they are acceptable and cover something new.
Covering CoverPairs(const std::vector<CoverAxis>& axes, const std::vector<Constraint>& constraints,
                    const Accepts& accepts, const std::vector<Row>& first);

}  // namespace diopi::cases

#endif  // CASES_CORE_COVERING_H_
