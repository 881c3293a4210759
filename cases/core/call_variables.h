// The arguments of a call as variables of expressions (expression.h), for the rules of an operator's file
// about whole calls: their work (v1::Work), and which calls are asked (v1::FunctionRules).
//
// For every tensor, list of tensors and attribute NAME of the function, or its alias:
//   NAME        elements of the tensor or of the list together, 0 for null and where the library allocates
//               it; the value of an integer or boolean attribute, truncated for a number; the product of a
//               list of sizes
//   NAME_rank   its dimensions, or the entries of a list of sizes
//   NAME_0      its first size, or the list's first entry; NAME_1, ...
//   NAME_m1     its last; NAME_m2, ...
//   NAME_dim    its size along the dimension that the attribute dim or axis names; its elements without one
//   NAME_count  tensors of a list that are not null; 1 or 0 for a tensor
//   NAME_least  the least value of a list of sizes, or of a tensor whose fill says it (constant, values,
//               range, permutation, integers, uniform), truncated; below any limit where it does not
//   NAME_greatest  likewise
//   NAME_sum    likewise; -1 where the fill does not say it
//   NAME_step   the greatest of the first value and the differences between neighbours, in a list of sizes or
//               where the fill is `values` or `range`: the longest of cumulative lengths; 0 elsewhere
//   NAME_full_lines  how many lines of a generated tensor, along its last dimension, have no 0; 0 for a
//                    tensor of more than 2^20 elements
//   NAME_specials  how many elements are NaN, infinite, or other numbers that the fill lists as `specials`; 1
//               where all are NaN or infinite
// These are 1 or 0:
//   NAME_VALUE        a text has that value
//   NAME_inf          a number or scalar is infinite
//   NAME_fits         truncated, it lies in the range of the case's dtype, if that is uint8, int8 or int16
//   NAME_whole        it has no fraction
//   NAME_power2       it is a power of two, or minus one
//   NAME_integers     a tensor's fill is `integers`
//   NAME_listed       a tensor's fill is `values`
//   NAME_lognormal    a tensor's fill is `lognormal`
//   NAME_permutation  a tensor's fill is `permutation`: no two elements of a line along the last dimension
//   NAME_distinct     no two elements of a line of a generated tensor along dim or axis are equal; 0 for a
//                     tensor of more than 2^20 elements
//   NAME_patterned    a tensor's values are all the same, a range, or a shorter list, repeated
//   NAME_expanded     a tensor has elements in one place
//   NAME_expanded_m1  a tensor has the same elements at all indices, of which there are several, of its last
//                     dimension; NAME_expanded_m2, ...
//   dtype_float16     the case's dtype; dtype_float32, ...
// And in, out: elements of all inputs, of all outputs; largest: elements of the largest tensor.
#ifndef CASES_CORE_CALL_VARIABLES_H_
#define CASES_CORE_CALL_VARIABLES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/expression.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cases {

// What is known of values without drawing them.
inline constexpr double kBeyondValues = 1e15;
struct FillFacts {
  double least = -kBeyondValues, greatest = kBeyondValues, sum = -1, step = 0;
};

// An argument that is a tensor or a list of them.
struct CallTensors {
  const v1::Argument* argument;
  std::vector<const v1::TensorSpec*> specs;  // without those that are null

  int64_t elements() const;
  bool read() const;
  bool written() const;
};

// Refers to the case.
class CallVariables {
 public:
  explicit CallVariables(const v1::Case& c);

  const std::vector<CallTensors>& tensors() const { return tensors_; }
  int64_t largest() const { return largest_; }
  // InvalidArgument, with the expression, for one that cannot be evaluated.
  absl::StatusOr<int64_t> Value(const std::string& expression) const;

 private:
  void Add(const v1::Argument& argument);
  void Name(const v1::Argument& argument, const std::string& name);
  void NameTensor(const std::string& name, const v1::TensorSpec& spec);
  void NameFacts(const std::string& name, const FillFacts& facts, bool expanded);
  void NameNumber(const std::string& name, double value);
  void NameTruncated(const std::string& name, int64_t value);
  template <typename Sizes>
  void NameSizes(const std::string& name, const Sizes& sizes);
  void NameText(const std::string& name, const std::string& text);
  void Set(const std::string& name, int64_t value);
  const v1::Argument* GeneratedTensor(const std::string& name) const;
  std::optional<std::vector<double>> Draw(const v1::Argument& argument) const;
  int64_t FullLines(const std::string& name) const;
  bool IsDistinct(const std::string& name) const;

  const v1::Case& case_;
  std::vector<CallTensors> tensors_;
  std::optional<int64_t> dim_;  // the attribute dim or axis
  int64_t largest_ = 0;
  Variables variables_;
  std::vector<std::string> texts_;  // the names of texts, with "_"
};

}  // namespace diopi::cases

#endif  // CASES_CORE_CALL_VARIABLES_H_
