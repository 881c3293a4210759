// out = input + value * tensor1 * tensor2, and out = input + value * tensor1 / tensor2.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct AddProduct {
  C value;
  DIOPI_HD C operator()(const C& x, const C& a, const C& b) const { return x + value * a * b; }
};
template <typename C>
struct AddQuotient {
  C value;
  DIOPI_HD C operator()(const C& x, const C& a, const C& b) const { return x + value * a / b; }
};

// out = f(input, tensor1, tensor2), broadcast, where f has the number `value`.
template <template <typename> typename F, typename Args>
void MapThree(const Args& args) {
  const Tensor out(OutOf(args)), x(args.input), a(args.tensor1), b(args.tensor2);
  const Shape shape = BroadcastShapes(BroadcastShapes(x.shape(), a.shape()), b.shape());
  CheckShape(out, shape, "out");
  DispatchFloating(ResultType(out, {x, a, b}), [&]<typename C>() {
    Map(Queue(args.ctx), out.numel(), Out<C>(out), F<C>{ScalarAs<C>(args.value)}, In<C>(x, shape),
        In<C>(a, shape), In<C>(b, shape));
  });
}

template <typename Args>
void Addcmul(const Args& a) {
  MapThree<AddProduct>(a);
}
template <typename Args>
void Addcdiv(const Args& a) {
  MapThree<AddQuotient>(a);
}

}  // namespace

DIOPI_FORMS(Addcmul, diopiAddcmul, diopiAddcmulInp)
DIOPI_FORMS(Addcdiv, diopiAddcdiv, diopiAddcdivInp)

}  // namespace diopi::ops::both
