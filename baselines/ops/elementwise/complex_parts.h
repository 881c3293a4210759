// The parts of complex numbers. A complex number is its real and its imaginary part, one after the other in
// memory.
#ifndef BASELINES_OPS_ELEMENTWISE_COMPLEX_PARTS_H_
#define BASELINES_OPS_ELEMENTWISE_COMPLEX_PARTS_H_

#include <type_traits>

#include "baselines/ops/both.h"
#include "baselines/ops/support/cuda/element.h"
#include "baselines/ops/support/cuda/layout.h"

namespace diopi::ops::both {

// The parts of a tensor: every `step`-th number of the parts' type.
template <typename T>
struct Parts {
  T* first = nullptr;
  int64_t step = 1;
  ops::cuda::Layout layout;

  DIOPI_HD std::remove_const_t<T> operator[](int64_t i) const {
    return ops::cuda::Peek<std::remove_const_t<T>>(first, layout.Offset(i) * step);
  }
  DIOPI_HD void Set(int64_t i, T x) const { ops::cuda::Poke<T>(first, layout.Offset(i) * step, x); }
};

inline bool IsComplex(diopiDtype_t dtype) {
  return dtype == diopi_dtype_complex64 || dtype == diopi_dtype_complex128;
}

inline diopiDtype_t PartOf(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_complex64) return diopi_dtype_float32;
  if (dtype == diopi_dtype_complex128) return diopi_dtype_float64;
  FailDtype("not implemented for '", DtypeName(dtype), "'");
}

// `part`: 0 is the real one, 1 the imaginary one. For a real tensor, its elements.
template <typename T>
Parts<T> PartsOf(const Tensor& tensor, int part, const Shape& shape) {
  Parts<T> parts;
  const bool real = IsFloating(tensor.dtype());
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_const_v<T>)
    parts.first = reinterpret_cast<const Plain*>(tensor.data()) + (real ? 0 : part);
  else
    parts.first = reinterpret_cast<Plain*>(tensor.writable()) + (real ? 0 : part);
  parts.step = real ? 1 : 2;
  parts.layout = ops::cuda::MakeLayout(shape, ops::cuda::StridesAt(tensor, shape));
  return parts;
}

// The parts of an output. There are no complex noise numbers: the oracle gives a dense tensor of noise
// numbers with the parts in a last dimension of 2, which lie in memory as those of complex numbers do.
template <typename C>
Parts<C> PartsToCompute(const Tensor& out, int part, const Shape& shape) {
  if (!IsNoise(out.dtype())) return PartsOf<C>(out, part, shape);
  return {reinterpret_cast<C*>(out.writable()) + part, 2, ops::cuda::MakeLayout(shape, DenseStrides(shape))};
}

template <typename T>
struct MovePart {
  Parts<T> out;
  Parts<const T> in;
  bool negate = false;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, negate ? -in[i] : in[i]); }
};

template <typename F>
void DispatchPart(diopiDtype_t dtype, F&& f) {
  if (dtype == diopi_dtype_float32) return f.template operator()<float>();
  f.template operator()<double>();
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_ELEMENTWISE_COMPLEX_PARTS_H_
