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

diopiError_t MaskedFill(const char* function, diopiContextHandle_t ctx, diopiTensorHandle_t out,
                        diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask, const Operand& value) {
  return Guard(function, [&] {
    const Tensor result(out), x(input), m(mask);
    CheckMask(m, "mask");
    Check(value.shape().empty(), "value must be a 0-dimensional tensor, got shape ",
          ShapeText(value.shape()));
    const Shape shape = BroadcastShapes(x.shape(), m.shape());
    CheckShape(result, shape, "out");
    DispatchAny(x.dtype(), [&]<typename C>() {
      Map(Queue(ctx), result.numel(), Out<C>(result), Choose(), In<int64_t>(m, shape),
          OperandAt<C>(value, shape), In<C>(x, shape));
    });
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

diopiError_t Fill(const char* function, diopiContextHandle_t ctx, diopiTensorHandle_t out,
                  const diopiScalar_t* value) {
  return Guard(function, [&] {
    const Tensor result(out);
    DispatchAny(result.dtype(), [&]<typename C>() {
      Copy(Queue(ctx), result.numel(), Out<C>(result), In<C>::Constant(ScalarAs<C>(value)));
    });
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::Guard;
using diopi::ops::IntegerScalar;
using diopi::ops::cuda::Fill;
using diopi::ops::cuda::MaskedFill;

diopiError_t diopiMaskedFill(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                             diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask,
                             diopiConstTensorHandle_t value) {
  return MaskedFill(__func__, ctx, out, input, mask, value);
}
diopiError_t diopiMaskedFillInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                diopiConstTensorHandle_t mask, diopiConstTensorHandle_t value) {
  return MaskedFill(__func__, ctx, input, input, mask, value);
}
diopiError_t diopiMaskedFillScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                   diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask,
                                   const diopiScalar_t* value) {
  return MaskedFill(__func__, ctx, out, input, mask, value);
}
diopiError_t diopiMaskedFillInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                      diopiConstTensorHandle_t mask, const diopiScalar_t* value) {
  return MaskedFill(__func__, ctx, input, input, mask, value);
}

diopiError_t diopiWhere(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t condition,
                        diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  return Guard(__func__, [&] { diopi::ops::cuda::Where(ctx, out, condition, input, other); });
}

diopiError_t diopiCastDtype(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                            diopiConstTensorHandle_t input) {
  return Guard(__func__, [&] { diopi::ops::cuda::Cast(ctx, out, input); });
}

diopiError_t diopiFill(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* value) {
  return Fill(__func__, ctx, input, value);
}
diopiError_t diopiZeroInp(diopiContextHandle_t ctx, diopiTensorHandle_t self) {
  const diopiScalar_t zero = IntegerScalar(0);
  return Fill(__func__, ctx, self, &zero);
}
diopiError_t diopiZeros(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiSize_t) {
  const diopiScalar_t zero = IntegerScalar(0);
  return Fill(__func__, ctx, out, &zero);
}
diopiError_t diopiOnes(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiSize_t) {
  const diopiScalar_t one = IntegerScalar(1);
  return Fill(__func__, ctx, out, &one);
}
