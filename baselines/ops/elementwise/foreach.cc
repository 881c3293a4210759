// A number added to every tensor of a list, or multiplied with it; the number may be a 0-d tensor.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

struct SumOfTwo {
  template <typename C>
  DIOPI_HD C operator()(const C& x, const C& y) const {
    return WrapAdd(x, y);
  }
};
struct ProductOfTwo {
  template <typename C>
  DIOPI_HD C operator()(const C& x, const C& y) const {
    return WrapMul(x, y);
  }
};

// out = f(x, number).
template <typename F>
void MapOne(const Queue& queue, const Tensor& out, const F& f, const Tensor& x, const Operand& number) {
  const diopiDtype_t dtype =
      number.scalar != nullptr ? ResultType(out, {x}, {number.scalar}) : ResultType(out, {x, number.tensor});
  CheckStorable(dtype, out);
  DispatchAny(dtype, [&]<typename C>() {
    CheckShape(out, x.shape(), "an output");
    Map(queue, out.numel(), Out<C>(out), f, In<C>(x), OperandAt<C>(number, x.shape()));
  });
}

// Applies `f` to each input, into its output or in place.
template <typename Args, typename F>
void MapEach(const Args& a, const F& f) {
  const Operand number(a.other);
  Check(number.shape().empty(), "other must have no dimensions, got shape ", ShapeText(number.shape()));
  const Queue queue(a.ctx);
  for (int64_t i = 0; i < a.inputSize; ++i) {
    const Tensor x(a.inputs[i]);
    if constexpr (requires { a.outs; })
      MapOne(queue, a.outs[i], f, x, number);
    else
      MapOne(queue, x, f, x, number);
  }
}

template <typename Args>
void ForeachAdd(const Args& a) {
  MapEach(a, SumOfTwo());
}
template <typename Args>
void ForeachMul(const Args& a) {
  MapEach(a, ProductOfTwo());
}

}  // namespace

DIOPI_FORMS(ForeachAdd, diopiForeachaddScalar, diopiForeachaddInpScalar)
DIOPI_FORMS(ForeachMul, diopiForeachmulScalar, diopiForeachmulInpScalar, diopiForeachmulTensor,
            diopiForeachmulInpTensor)

}  // namespace diopi::ops::both
