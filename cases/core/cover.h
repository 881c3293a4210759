// Expands the covers of an operator's file (proto/diopi/v1/operator.proto, Cover) into cases. For each
// function, covering.h chooses which classes are combined, over the axes of the cover and the dtype.
#ifndef CASES_CORE_COVER_H_
#define CASES_CORE_COVER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// How far the cases of one function reach along one axis of a cover. The first axis is the dtype.
struct AxisReach {
  std::string axis;
  std::vector<std::string> reached;   // classes that have a case
  std::vector<std::string> excluded;  // "CLASS: why it has none"
};

struct Reach {
  std::string function;
  std::vector<AxisReach> axes;
  int64_t pairs = 0;           // pairs of classes (or groups) that have a case
  int64_t excluded_pairs = 0;  // pairs that no case of this function can have
  // Pairs, and classes, for which the search for a case was given up.
  std::vector<std::string> undecided;
};

// Which of an operator's cases to make. Its file is known to be correct and is not checked again.
struct Part {
  bool smoke = false;               // only cases of suite smoke
  std::set<std::string> functions;  // only of these; empty: of all
  bool Has(const std::string& function) const { return functions.empty() || functions.contains(function); }
};

struct CoverCases {
  std::vector<v1::Case> cases;  // finished: with judges, id and hash; ExpandOperator moves them out
  std::vector<Reach> reach;     // of each function that takes the cover; empty ones for `chosen` rows
  // The rows to store in Cover.chosen, so that the search need not be repeated.
  std::vector<v1::ChosenRows> chosen;
};

// The cases of a cover whose sets are resolved. InvalidArgument when no function takes it, when an expression
// is wrong, or when arguments that the conditions let through cannot be: the message starts with the row.
// With `part`, functions with chosen rows have only its cases.
absl::StatusOr<CoverCases> ExpandCover(const v1::OperatorFile& op, const v1::Cover& cover,
                                       const Part* part = nullptr);

// The point from which a cover of the file makes this case. NotFound when none does.
absl::StatusOr<v1::Point> PointOfCase(const v1::OperatorFile& op, const v1::Case& c);

}  // namespace diopi::cases

#endif  // CASES_CORE_COVER_H_
