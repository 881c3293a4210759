// out = input + value * tensor1 * tensor2, of integers too (a fractional value is truncated), and
// out = input + value * tensor1 / tensor2.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct AddProduct {
  C value;
  DIOPI_HD C operator()(const C& x, const C& a, const C& b) const {
    return WrapAdd(x, WrapMul(WrapMul(value, a), b));
  }
};
template <typename C>
struct AddQuotient {
  C value;
  DIOPI_HD C operator()(const C& x, const C& a, const C& b) const { return x + value * a / b; }
};

// out = f(input, tensor1, tensor2), broadcast, where f has the number `value`, in compute type C.
template <typename C, template <typename> typename F, typename Args>
void MapThree(const Args& args) {
  const Tensor out(OutOf(args)), x(args.input), a(args.tensor1), b(args.tensor2);
  const Shape shape = BroadcastShapes(BroadcastShapes(x.shape(), a.shape()), b.shape());
  CheckShape(out, shape, "out");
  Map(Queue(args.ctx), out.numel(), Out<C>(out), F<C>{ScalarAs<C>(args.value)}, In<C>(x, shape),
      In<C>(a, shape), In<C>(b, shape));
}

template <typename Args>
diopiDtype_t TypeOf(const Args& args) {
  return ResultType(OutOf(args), {args.input, args.tensor1, args.tensor2});
}

template <typename Args>
void Addcmul(const Args& a) {
  DispatchNumeric(TypeOf(a), [&]<typename C>() { MapThree<C, AddProduct>(a); });
}
template <typename Args>
void Addcdiv(const Args& a) {
  DispatchFloating(TypeOf(a), [&]<typename C>() { MapThree<C, AddQuotient>(a); });
}

}  // namespace

DIOPI_FORMS(Addcmul, diopiAddcmul, diopiAddcmulInp)
DIOPI_FORMS(Addcdiv, diopiAddcdiv, diopiAddcdivInp)

}  // namespace diopi::ops::both
