// out = input * other; the product of two bool tensors is their conjunction.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

struct Product {
  template <typename C>
  DIOPI_HD C operator()(const C& x, const C& y) const {
    return WrapMul(x, y);
  }
};

template <typename Args>
void Mul(const Args& a) {
  const Tensor out(OutOf(a));
  const diopiDtype_t dtype = ResultType(out, a.input, a.other);
  CheckStorable(dtype, out);
  DispatchAny(dtype, [&]<typename C>() { MapOperands<C>(Queue(a.ctx), out, Product(), a.input, a.other); });
}

}  // namespace

DIOPI_FORMS(Mul, diopiMul, diopiMulInp, diopiMulScalar, diopiMulInpScalar)

}  // namespace diopi::ops::both
