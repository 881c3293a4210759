// Functions that choose and move elements: masked_fill, where, cast_dtype, fill, zeros, ones.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

struct Choose {
  template <typename C>
  DIOPI_HD C operator()(int64_t chosen, const C& x, const C& y) const {
    return chosen != 0 ? x : y;
  }
};

template <typename Args>
void MaskedFill(const Args& a) {
  const Tensor out(OutOf(a)), x(a.input), mask(a.mask);
  const Operand value(a.value);
  CheckMask(mask, "mask");
  Check(value.shape().empty(), "value must be a 0-dimensional tensor, got shape ", ShapeText(value.shape()));
  const Shape shape = BroadcastShapes(x.shape(), mask.shape());
  CheckShape(out, shape, "out");
  DispatchAny(x.dtype(), [&]<typename C>() {
    Map(Queue(a.ctx), out.numel(), Out<C>(out), Choose(), In<int64_t>(mask, shape),
        OperandAt<C>(value, shape), In<C>(x, shape));
  });
}

void FillWith(diopiContextHandle_t ctx, const Tensor& out, const diopiScalar_t* value) {
  DispatchAny(out.dtype(), [&]<typename C>() {
    Map(Queue(ctx), out.numel(), Out<C>(out), Same(), In<C>::Constant(ScalarAs<C>(value)));
  });
}
void FillWithInteger(diopiContextHandle_t ctx, const Tensor& out, int64_t value) {
  const diopiScalar_t scalar = IntegerScalar(value);
  FillWith(ctx, out, &scalar);
}

}  // namespace

DIOPI_FORMS(MaskedFill, diopiMaskedFill, diopiMaskedFillInp, diopiMaskedFillScalar, diopiMaskedFillInpScalar)

DIOPI_KERNEL(diopiWhere, a) {
  const Tensor out(a.out), condition(a.condition), x(a.input), y(a.other);
  CheckMask(condition, "condition");
  const Shape shape = BroadcastShapes(BroadcastShapes(condition.shape(), x.shape()), y.shape());
  CheckShape(out, shape, "out");
  DispatchAny(ResultType(out, {x, y}), [&]<typename C>() {
    Map(Queue(a.ctx), out.numel(), Out<C>(out), Choose(), In<int64_t>(condition, shape), In<C>(x, shape),
        In<C>(y, shape));
  });
}

DIOPI_KERNEL(diopiCastDtype, a) {
  const Tensor out(a.out), x(a.input);
  DispatchAny(x.dtype(), [&]<typename C>() { MapTo<C>(Queue(a.ctx), out, Same(), x); });
}

DIOPI_KERNEL(diopiFill, a) {
  FillWith(a.ctx, a.input, a.value);
}
DIOPI_KERNEL(diopiZeroInp, a) {
  FillWithInteger(a.ctx, a.self, 0);
}
DIOPI_KERNEL(diopiZeros, a) {
  FillWithInteger(a.ctx, a.out, 0);
}
DIOPI_KERNEL(diopiOnes, a) {
  FillWithInteger(a.ctx, a.out, 1);
}

}  // namespace diopi::ops::both
