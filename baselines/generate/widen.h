// Converts between a case's own element types and the oracle's wider ones.
#ifndef BASELINES_GENERATE_WIDEN_H_
#define BASELINES_GENERATE_WIDEN_H_

#include "absl/status/statusor.h"
#include "cases/base/tensor.h"

namespace diopi::baselines {

// The result of an oracle's call: r, one sigma of the noise that an ordinary evaluation in the compute type
// would have, and what r lost when it was rounded to float64. All have one shape.
struct Expected {
  HostTensor r;      // float64
  HostTensor sigma;  // float32; float64 when `low` is kept
  HostTensor low;    // float64; empty shape and data unless the output is float64
  bool has_low = false;
};

// Every floating tensor as noise numbers (noise64 or noise80), each leaf with the variance (u*v)^2/3 of one
// rounding of backward error, u = 2^-24 for noise64 and 2^-53 for noise80. Other tensors are unchanged.
TensorMap WidenToNoise(const TensorMap& tensors, Dtype noise);

// Every floating tensor as float64, each element passed through: itself, its square, one, its magnitude, and
// an integer between -8 and 8 that has nothing to do with it (kProbe).
enum class Power { kZero, kOne, kTwo, kAbs, kProbe };
TensorMap WidenToFloat64(const TensorMap& tensors, Power power);

// A float64 tensor, rounded.
HostTensor ToFloat32(const HostTensor& float64);

// An output in a noise type, taken apart. `output` is the element type the case's output has.
absl::StatusOr<Expected> SplitNoise(const HostTensor& noise, Dtype output);

// Sigma of a multilinear function from three evaluations (docs/method.md, section 3.2): r = f(x), q2 =
// f(x^2), n = f(1), all float64 but r, which may be noise80; u is the compute type's unit roundoff:
//   sigma^2 = u^2/3 * [(n-1) * (q2/2 + r^2/3) + q2] + n h^2/3, h: half a subnormal step
absl::StatusOr<Expected> LinearNoise(const HostTensor& r, const HostTensor& q2, const HostTensor& n,
                                     Dtype output);

// The larger sigma of both, element by element.
void WidenSigma(const Expected& other, Expected* expected);

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_WIDEN_H_
