// Complex numbers from two real ones or from absolute values and angles, their parts, and their conjugates.
// A complex number is its real and its imaginary part, one after the other in memory.
#include <cmath>

#include "baselines/ops/both.h"
#include "baselines/ops/support/cuda/layout.h"

namespace diopi::ops::both {
namespace {

// The parts of a tensor: every `step`-th number of the parts' type.
template <typename T>
struct Parts {
  T* first = nullptr;
  int64_t step = 1;
  ops::cuda::Layout layout;

  DIOPI_HD T& operator[](int64_t i) const { return first[layout.Offset(i) * step]; }
};

diopiDtype_t PartOf(diopiDtype_t dtype) {
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

template <typename C>
struct FromPolar {
  Parts<C> real, imag;
  In<C> abs, angle;
  DIOPI_HD void operator()(int64_t i) const {
    using std::cos;
    using std::sin;
    const C radians = AsGiven(angle[i]);
    real[i] = abs[i] * cos(radians);
    imag[i] = abs[i] * sin(radians);
  }
};

template <typename T>
struct MovePart {
  Parts<T> out;
  Parts<const T> in;
  bool negate = false;
  DIOPI_HD void operator()(int64_t i) const { out[i] = negate ? -in[i] : in[i]; }
};

template <typename F>
void DispatchPart(diopiDtype_t dtype, F&& f) {
  if (dtype == diopi_dtype_float32) return f.template operator()<float>();
  f.template operator()<double>();
}

void TakePart(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, int part) {
  const diopiDtype_t dtype = PartOf(x.dtype());
  CheckShape(out, x.shape(), "out");
  Check(out.dtype() == dtype, "expected out of dtype ", DtypeName(dtype), ", got ", DtypeName(out.dtype()));
  DispatchPart(dtype, [&]<typename T>() {
    ForEach(Queue(ctx), out.numel(),
            MovePart<T>{PartsOf<T>(out, 0, x.shape()), PartsOf<const T>(x, part, x.shape())});
  });
}

}  // namespace

DIOPI_KERNEL(diopiReal, a) {
  TakePart(a.ctx, a.out, a.input, 0);
}

DIOPI_KERNEL(diopiImag, a) {
  TakePart(a.ctx, a.out, a.input, 1);
}

DIOPI_KERNEL(diopiConj, a) {
  const Tensor out(a.out), x(a.input);
  CheckShape(out, x.shape(), "out");
  Check(out.dtype() == x.dtype(), "out and input differ in dtype");
  DispatchPart(PartOf(x.dtype()), [&]<typename T>() {
    for (const int part : {0, 1}) {
      ForEach(Queue(a.ctx), out.numel(),
              MovePart<T>{PartsOf<T>(out, part, x.shape()), PartsOf<const T>(x, part, x.shape()), part == 1});
    }
  });
}

DIOPI_KERNEL(diopiComplex, a) {
  const Tensor out(a.out), real(a.real), imag(a.imag);
  const Shape shape = BroadcastShapes(real.shape(), imag.shape());
  const diopiDtype_t dtype = PartOf(out.dtype());
  CheckShape(out, shape, "out");
  Check(real.dtype() == dtype && imag.dtype() == dtype, "expected real and imag of dtype ", DtypeName(dtype));
  DispatchPart(dtype, [&]<typename T>() {
    for (const int part : {0, 1}) {
      ForEach(
          Queue(a.ctx), out.numel(),
          MovePart<T>{PartsOf<T>(out, part, shape), PartsOf<const T>(part == 0 ? real : imag, part, shape)});
    }
  });
}

DIOPI_KERNEL(diopiPolar, a) {
  const Tensor out(a.out), abs(a.abs), angle(a.angle);
  const Shape shape = BroadcastShapes(abs.shape(), angle.shape());
  const bool noise = IsNoise(out.dtype());
  const diopiDtype_t dtype = noise ? out.dtype() : PartOf(out.dtype());
  Shape whole = shape;
  if (noise) whole.push_back(2);
  CheckShape(out, whole, "out");
  Check(abs.dtype() == dtype && angle.dtype() == dtype, "expected abs and angle of dtype ", DtypeName(dtype));
  DispatchFloating(dtype, [&]<typename C>() {
    ForEach(Queue(a.ctx), Numel(shape),
            FromPolar<C>{PartsToCompute<C>(out, 0, shape), PartsToCompute<C>(out, 1, shape),
                         In<C>(abs, shape), In<C>(angle, shape)});
  });
}

}  // namespace diopi::ops::both
