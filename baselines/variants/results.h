// Changes that devices may make to a finished result: flush its subnormal numbers, make other NaNs.
#ifndef BASELINES_VARIANTS_RESULTS_H_
#define BASELINES_VARIANTS_RESULTS_H_

#include <cstdint>
#include <cstring>

#include "baselines/ops/support/tensor.h"

namespace diopi::variants {

// Rewrites the elements of one stored type: f takes its bits.
template <typename Bits, typename F>
void Rewrite(const ops::Tensor& out, F&& f) {
  const ops::Shape& shape = out.shape();
  const ops::Shape dense = ops::DenseStrides(shape);
  for (int64_t i = 0; i < out.numel(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) at += i / dense[d] % shape[d] * out.strides()[d];
    Bits bits;
    std::memcpy(&bits, out.writable() + at * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
    bits = f(bits);
    std::memcpy(out.writable() + at * static_cast<int64_t>(sizeof(Bits)), &bits, sizeof(Bits));
  }
}

// The bits of a format with this exponent mask, below the sign.
template <typename Bits>
Bits Flushed(Bits bits, Bits exponent) {
  const Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  return (bits & exponent) == 0 ? static_cast<Bits>(bits & sign) : bits;
}

template <typename Bits>
Bits OtherNan(Bits bits, Bits exponent) {
  const Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const bool is_nan = (bits & static_cast<Bits>(~sign)) > exponent;
  return is_nan ? static_cast<Bits>(~Bits{0}) : bits;  // all ones is a quiet NaN in every format
}

// Flushes float32 and bfloat16 results below 2^-126 to zeros of their sign; other types stay.
inline void FlushSubnormals(const ops::Tensor& out) {
  if (out.dtype() == diopi_dtype_float32)
    Rewrite<uint32_t>(out, [](uint32_t b) { return Flushed(b, 0x7F800000U); });
  if (out.dtype() == diopi_dtype_bfloat16)
    Rewrite<uint16_t>(out, [](uint16_t b) { return Flushed(b, uint16_t{0x7F80}); });
}

// Sets all bits of every NaN.
inline void ReplaceNans(const ops::Tensor& out) {
  switch (static_cast<int>(out.dtype())) {
    case diopi_dtype_float16:
      return Rewrite<uint16_t>(out, [](uint16_t b) { return OtherNan(b, uint16_t{0x7C00}); });
    case diopi_dtype_bfloat16:
      return Rewrite<uint16_t>(out, [](uint16_t b) { return OtherNan(b, uint16_t{0x7F80}); });
    case diopi_dtype_float32:
      return Rewrite<uint32_t>(out, [](uint32_t b) { return OtherNan(b, 0x7F800000U); });
    case diopi_dtype_float64:
      return Rewrite<uint64_t>(out, [](uint64_t b) { return OtherNan(b, uint64_t{0x7FF} << 52); });
    default:
      return;
  }
}

}  // namespace diopi::variants

#endif  // BASELINES_VARIANTS_RESULTS_H_
