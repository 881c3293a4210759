// Functions that choose and move elements: masked_fill, where, cast_dtype, fill, zeros, ones.
#include "baselines/ops/elementwise/arithmetic_cuda.h"

namespace diopi::ops::cuda {
namespace {

struct Choose {
  template <typename C>
  DIOPI_HD C operator()(int64_t chosen, C x, C y) const {
    return chosen != 0 ? x : y;
  }
};

void MaskedFill(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                diopiConstTensorHandle_t mask, const Operand& value) {
  const Tensor result(out), x(input), m(mask);
  CheckMask(m, "mask");
  Check(value.shape().empty(), "value must be a 0-dimensional tensor, got shape ", ShapeText(value.shape()));
  const Shape shape = BroadcastShapes(x.shape(), m.shape());
  CheckShape(result, shape, "out");
  DispatchAny(x.dtype(), [&]<typename C>() {
    Map(Queue(ctx), result.numel(), Out<C>(result), Choose(), In<int64_t>(m, shape),
        OperandAt<C>(value, shape), In<C>(x, shape));
  });
}

void Where(diopiContextHandle_t ctx, const Tensor& result, const Tensor& condition, const Tensor& x,
           const Tensor& y) {
  CheckMask(condition, "condition");
  const Shape shape = BroadcastShapes(BroadcastShapes(condition.shape(), x.shape()), y.shape());
  CheckShape(result, shape, "out");
  DispatchAny(ResultType(result, {x, y}), [&]<typename C>() {
    Map(Queue(ctx), result.numel(), Out<C>(result), Choose(), In<int64_t>(condition, shape), In<C>(x, shape),
        In<C>(y, shape));
  });
}

void Cast(diopiContextHandle_t ctx, const Tensor& result, const Tensor& x) {
  CheckShape(result, x.shape(), "out");
  DispatchAny(x.dtype(), [&]<typename C>() { Copy(Queue(ctx), result.numel(), Out<C>(result), In<C>(x)); });
}

void Fill(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* value) {
  const Tensor result(out);
  DispatchAny(result.dtype(), [&]<typename C>() {
    Copy(Queue(ctx), result.numel(), Out<C>(result), In<C>::Constant(ScalarAs<C>(value)));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::Guard;
using diopi::ops::IntegerScalar;
using diopi::ops::cuda::Fill;
using diopi::ops::cuda::MaskedFill;

DIOPI_KERNEL(diopiMaskedFill, a) {
  MaskedFill(a.ctx, a.out, a.input, a.mask, a.value);
}
DIOPI_KERNEL(diopiMaskedFillInp, a) {
  MaskedFill(a.ctx, a.input, a.input, a.mask, a.value);
}
DIOPI_KERNEL(diopiMaskedFillScalar, a) {
  MaskedFill(a.ctx, a.out, a.input, a.mask, a.value);
}
DIOPI_KERNEL(diopiMaskedFillInpScalar, a) {
  MaskedFill(a.ctx, a.input, a.input, a.mask, a.value);
}

DIOPI_KERNEL(diopiWhere, a) {
  diopi::ops::cuda::Where(a.ctx, a.out, a.condition, a.input, a.other);
}

DIOPI_KERNEL(diopiCastDtype, a) {
  diopi::ops::cuda::Cast(a.ctx, a.out, a.input);
}

DIOPI_KERNEL(diopiFill, a) {
  Fill(a.ctx, a.input, a.value);
}
DIOPI_KERNEL(diopiZeroInp, a) {
  const diopiScalar_t zero = IntegerScalar(0);
  Fill(a.ctx, a.self, &zero);
}
DIOPI_KERNEL(diopiZeros, a) {
  const diopiScalar_t zero = IntegerScalar(0);
  Fill(a.ctx, a.out, &zero);
}
DIOPI_KERNEL(diopiOnes, a) {
  const diopiScalar_t one = IntegerScalar(1);
  Fill(a.ctx, a.out, &one);
}
