// Classes of inputs that are the same for every function: how each tensor lies in memory, and numbers that a
// type through which a kernel takes a detour cannot hold. No operator's file lists them: the build counts how
// many of the operator's cases have each class of each argument, and adds points, made of the operator's own,
// until kEnoughCases have it.
//
//   transposed, strided, offset, expanded, nhwc   of every tensor that the case's own values fill, and of
//                                                 every output (which no element of may be shared)
//   near24, near31, near53                        int32 and int64 tensors and scalars that are values, not
//                                                 indices, where integers or bools come out: the neighbours
//                                                 of +-2^24, 2^31, 2^53, which float32, int32 and float64
//                                                 lack
//   wide                                          the same with the type's whole range, its ends included
//   nonfinite with ATTRIBUTE                      NaN and infinities, where the argument has them in some
//                                                 case, with each path that an integer, a bool or a word
//                                                 chooses; one case each
//   detour                                        float32 and float64 numbers of which the next narrower type
//                                                 has only some, where they are compared, rounded or chosen
//   payload                                       NaN whose payload is its lowest bit, so that a conversion
//                                                 that cuts bits off makes it infinite
//   zerotimes                                     NaN and infinities in a product with many exact zeros
//   far                                           boxes translated by 2^14, whose overlaps are the same
//   permuted                                      five dimensions in any order in memory, element by element
//   mixed, mixed0d                                an operand of another type than the case's, or such a
//                                                 tensor without dimensions, where the types are promoted
//   alone                                         of every attribute that has two values: cases that differ
//   in
//                                                 it alone, which a library takes for one call if it prepares
//                                                 calls and the attribute is missing from its key
//   long0, long_m1, ...                           each dimension of each input, from the first and from the
//                                                 last, longer than 65,535, where the operator's own cases
//                                                 show which sizes belong together (shape_facts.h); one case
//   fine24, fine53                                floating attributes in float32 and float64 that a 16-bit
//                                                 type and float32 cannot hold
#ifndef CASES_CORE_COMMON_CLASSES_H_
#define CASES_CORE_COMMON_CLASSES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

inline constexpr int64_t kEnoughCases = 3;  // fewer are a hole: a single case may miss a defect by chance

// A class that some case of the function has, or could have.
struct CommonClass {
  std::string function, argument, name;
  int64_t cases = 0;  // that have it
  std::string why;    // where there are fewer than kEnoughCases: what prevented another one
};

// Appends to the operator a grid for each point that is added, and to `cases`, which are all the operator's,
// the finished cases of these points. Deterministic; does nothing where all classes have enough cases.
std::vector<CommonClass> AddCommonPoints(v1::OperatorFile* op, std::vector<v1::Case>* cases);

// A line for each argument of the function: "  input: transposed 4, strided 3, expanded 0 (WHY)".
std::vector<std::string> CommonLines(const std::vector<CommonClass>& classes, const std::string& function);

}  // namespace diopi::cases

#endif  // CASES_CORE_COMMON_CLASSES_H_
