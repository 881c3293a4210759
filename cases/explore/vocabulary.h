// What an operator's own points and covers give its arguments. Exploration draws from it, because the authors
// of the operator's file have chosen values that its functions are defined for.
#ifndef CASES_EXPLORE_VOCABULARY_H_
#define CASES_EXPLORE_VOCABULARY_H_

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cases/base/dtype.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::explore {

// Values that suit one kind need not suit another: integers must not be divided by zero.
enum class DtypeKind { kFloating, kIntegral, kBool, kComplex };
DtypeKind KindOf(Dtype dtype);

struct Vocabulary {
  // Keyed by the argument's name in points and the kind of the cases' dtype. No two entries of a list are
  // equal. A fill without a kind is the default one.
  std::map<std::pair<std::string, DtypeKind>, std::vector<v1::Fill>> fills;
  std::map<std::pair<std::string, DtypeKind>, std::vector<v1::PointAttribute>> attributes;
  // Some tensor has a stride of 0. Where equal elements decide what comes first, is kept or is drawn, that is
  // asked of no other operator.
  bool expanded = false;
  std::set<std::pair<std::string, std::string>> same;  // a tensor, and the one that is passed in its place
  std::set<std::string> nulls;                         // tensors that may be null
  std::set<std::string> repeated;                      // tensors that repeat along dimensions of another one
  // These follow from the operator's family.
  bool elementwise = false;
  bool pairwise = false;  // elements go with elements, whichever of them are equal
  bool smooth = false;    // no result depends on which of equal elements comes first
  bool reduces = false;   // it adds up many elements, or their squares
  bool placed = false;    // it reads at places between elements
  bool decides = false;   // it compares ratios with a number, which decides what it keeps
  bool open = false;      // NaN is defined wherever it is at all, and so is every mask
  // Where a size may be 0: the tensor, its number of dimensions, and the dimension.
  std::set<std::tuple<std::string, int, int>> empty;
};

// Reads grids and covers; expressions of covers, whose values depend on the row, are left out.
Vocabulary VocabularyOf(const v1::OperatorFile& op);

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_VOCABULARY_H_
