// index: input[indices]; its backward puts the gradients back and adds them up where a position was picked
// several times.
#include "baselines/ops/index/index_list.h"
#include "baselines/ops/support/sum.h"

DIOPI_KERNEL(diopiIndex, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  const Target target = ResolveIndices(x.shape(), a.indices, a.nums);
  DispatchAny(x.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> picked;
    picked.reserve(target.positions.size());
    for (const int64_t position : target.positions) picked.push_back(values[static_cast<size_t>(position)]);
    *a.out = RequireTensor(a.ctx, target.shape, x.dtype());
    Store(Tensor(*a.out), picked);
  });
}

DIOPI_KERNEL(diopiIndexBackward, a) {
  using namespace diopi::ops;
  const Tensor out(a.grad_input), zeros(a.zeros_like_input), grad(a.grad_output);
  CheckShape(out, zeros.shape(), "grad_input");
  const Target target = ResolveIndices(zeros.shape(), a.indices, a.nums);
  CheckShape(grad, target.shape, "grad_output");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const std::vector<C> gradients = Load<C>(grad), start = Load<C>(zeros);
    std::vector<Sum<C>> sums(start.size());
    for (size_t i = 0; i < start.size(); ++i) sums[i] += start[i];
    for (size_t i = 0; i < gradients.size(); ++i) {
      sums[static_cast<size_t>(target.positions[i])] += gradients[i];
    }
    Store(out, Totals(sums));
  });
}
