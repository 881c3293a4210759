#include "baselines/ops/elementwise/unary.h"

namespace diopi::ops::both {

// Of truth values too.
template <typename F>
void AnyUnary(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const F& f) {
  DispatchAny(ResultType(out, {x}), [&]<typename C>() { MapTo<C>(Queue(ctx), out, f, x); });
}

}  // namespace diopi::ops::both

DIOPI_UNARY(Sgn, AnyUnary, C((x > C(0)) - (x < C(0))))
