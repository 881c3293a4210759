// Tensor and scalar operands of add, sub, mul, div and pow on a GPU.
#ifndef BASELINES_OPS_ELEMENTWISE_ARITHMETIC_CUDA_H_
#define BASELINES_OPS_ELEMENTWISE_ARITHMETIC_CUDA_H_

#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/support/cuda/map.h"

namespace diopi::ops::cuda {

// The operand broadcast to `shape`.
template <typename C>
In<C> OperandAt(const Operand& operand, const Shape& shape) {
  if (operand.scalar != nullptr) return In<C>::Constant(ScalarAs<C>(operand.scalar));
  return In<C>(operand.tensor, shape);
}

// out = f(a, b), broadcast, in compute type C.
template <typename C, typename F>
void MapOperands(diopiContextHandle_t ctx, const Tensor& out, const F& f, const Operand& a,
                 const Operand& b) {
  const Shape shape = BroadcastShapes(a.shape(), b.shape());
  CheckShape(out, shape, "out");
  Map(Queue(ctx), out.numel(), Out<C>(out), f, OperandAt<C>(a, shape), OperandAt<C>(b, shape));
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_ELEMENTWISE_ARITHMETIC_CUDA_H_
