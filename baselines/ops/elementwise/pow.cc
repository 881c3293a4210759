// out = input ^ exponent; integers by repeated multiplication modulo their width.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops::both {
namespace {

struct PowerOf {
  template <typename C>
  DIOPI_HD C operator()(const C& base, const C& exponent) const {
    return Power(base, exponent);
  }
};

template <typename Args>
void Pow(const Args& a) {
  const Tensor out(OutOf(a));
  const diopiDtype_t dtype = ResultType(out, a.input, a.exponent);
  CheckStorable(dtype, out);
  CheckExponent(a.exponent, dtype);
  DispatchNumeric(dtype,
                  [&]<typename C>() { MapOperands<C>(Queue(a.ctx), out, PowerOf(), a.input, a.exponent); });
}

}  // namespace

DIOPI_FORMS(Pow, diopiPow, diopiPowInp, diopiPowScalar, diopiPowTensor, diopiPowInpTensor)

}  // namespace diopi::ops::both
