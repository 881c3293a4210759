// Element types: names, sizes and the number formats behind the floating ones.
#ifndef CASES_BASE_DTYPE_H_
#define CASES_BASE_DTYPE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/tensor.pb.h"

namespace diopi {

// The code of an element type; equal to diopiDtype_t, plus the two internal noise types.
using Dtype = v1::Dtype::Code;

// Bytes per element; 0 for `unsupported`.
int64_t ElementSize(Dtype dtype);

// "float32". Every code has a name.
std::string_view DtypeName(Dtype dtype);

// The inverse of DtypeName for the types that a user may name, not the internal ones. InvalidArgument, with
// the known names, for anything else.
absl::StatusOr<Dtype> ParseDtype(std::string_view name);

bool IsFloating(Dtype dtype);  // float16, bfloat16, float32, float64 and the noise types
bool IsInteger(Dtype dtype);   // signed and unsigned, not bool
bool IsComplex(Dtype dtype);

// The members of a set, in the order in which cases list them.
std::vector<Dtype> MembersOf(v1::DtypeSet::Name set);

// PyTorch's result type of two tensors that are not zero-dimensional.
Dtype Promote(Dtype a, Dtype b);

// IEEE-style binary format of a floating type: `precision` counts the implicit bit; a normal number lies in
// [2^min_exponent, 2^(max_exponent+1)).
struct FloatFormat {
  int precision;
  int min_exponent;
  int max_exponent;
};
// float16 {11,-14,15}, bfloat16 {8,-126,127}, float32 {24,-126,127}, float64 {53,-1022,1023}.
FloatFormat FormatOf(Dtype floating);

}  // namespace diopi

#endif  // CASES_BASE_DTYPE_H_
