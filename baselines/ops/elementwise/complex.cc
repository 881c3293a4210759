// Complex numbers from two real ones or from absolute values and angles, their parts, and their conjugates.
#include <cmath>

#include "baselines/ops/elementwise/complex_parts.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct FromPolar {
  Parts<C> real, imag;
  In<C> abs, angle;
  DIOPI_HD void operator()(int64_t i) const {
    using std::cos;
    using std::sin;
    const C radians = AsGiven(angle[i]);
    real.Set(i, abs[i] * cos(radians));
    imag.Set(i, abs[i] * sin(radians));
  }
};

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
