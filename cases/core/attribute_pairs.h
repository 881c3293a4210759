// Cases that differ in one attribute alone. A library that prepares a call (a plan, a compiled kernel) and
// finds it again by the tensors' types, shapes and strides gives the second of two such cases the first one's
// result if the attribute is missing from its key.
#ifndef CASES_CORE_ATTRIBUTE_PAIRS_H_
#define CASES_CORE_ATTRIBUTE_PAIRS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// The attributes of one function, as its cases give them.
class AttributePairs {
 public:
  void Add(const v1::Case& c);

  // Attributes that have two values in the function's cases.
  std::vector<std::string> Varied() const;
  // Sets of cases that differ in the attribute alone.
  int64_t CountOf(const std::string& attribute) const;
  // Whether another case differs from `c` in the attribute alone.
  bool HasPartner(const v1::Case& c, const std::string& attribute) const;
  // Whether no value of the attribute is more frequent than that of `c`. Where it is another one, the
  // operator's file chose it, so that it matters there: a dampening beside a momentum.
  bool IsUsual(const v1::Case& c, const std::string& attribute) const;
  // Values of the attribute in other cases of this dtype, under its name in points.
  std::vector<v1::PointAttribute> OthersThan(const v1::Case& c, const std::string& attribute) const;

 private:
  struct Attribute {
    std::map<std::string, std::set<std::string>> values;                  // by what else a call is found by
    std::map<v1::Dtype::Code, std::map<std::string, v1::Argument>> seen;  // by value
    std::map<std::string, int64_t> uses;                                  // of each value
  };
  std::map<std::string, Attribute> attributes_;
};

// Whether the cases differ in the attribute alone: same dtypes, shapes, strides and other attributes.
bool DifferAlone(const v1::Case& a, const v1::Case& b, const std::string& attribute);

}  // namespace diopi::cases

#endif  // CASES_CORE_ATTRIBUTE_PAIRS_H_
