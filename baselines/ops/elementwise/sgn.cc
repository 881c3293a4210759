#include "baselines/ops/elementwise/complex_parts.h"
#include "baselines/ops/elementwise/unary.h"

namespace diopi::ops::both {
namespace {

// x / |x|, and 0 of 0.
template <typename C, typename T>
struct ComplexSign {
  Parts<C> real, imag;
  Parts<const T> x, y;
  DIOPI_HD void operator()(int64_t i) const {
    using std::sqrt;
    const C a = C(x[i]), b = C(y[i]);
    const bool zero = x[i] == 0 && y[i] == 0;
    const C length = zero ? C(1) : sqrt(a * a + b * b);
    real.Set(i, a / length);
    imag.Set(i, b / length);
  }
};

void AnySign(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const auto& real_sign) {
  if (!IsComplex(x.dtype())) return AnyUnary(ctx, out, x, real_sign);
  const bool noise = IsNoise(out.dtype());
  Shape whole = x.shape();
  if (noise) whole.push_back(2);
  CheckShape(out, whole, "out");
  Check(noise || out.dtype() == x.dtype(), "out and input differ in dtype");
  DispatchPart(PartOf(x.dtype()), [&]<typename T>() {
    DispatchFloating(noise ? out.dtype() : PartOf(x.dtype()), [&]<typename C>() {
      ForEach(Queue(ctx), x.numel(),
              ComplexSign<C, T>{PartsToCompute<C>(out, 0, x.shape()), PartsToCompute<C>(out, 1, x.shape()),
                                PartsOf<const T>(x, 0, x.shape()), PartsOf<const T>(x, 1, x.shape())});
    });
  });
}

}  // namespace
}  // namespace diopi::ops::both

DIOPI_UNARY(Sgn, AnySign, C((x > C(0)) - (x < C(0))))
