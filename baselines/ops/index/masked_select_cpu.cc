// masked_select: the elements where the mask is true, in their order; and their gradients put back.
#include "baselines/ops/index/index_common.h"

DIOPI_KERNEL(diopiMaskedSelect, a) {
  using namespace diopi::ops;
  const Tensor x(a.input), mask(a.mask);
  Check(IsMask(mask), "mask must be bool or uint8, got ", DtypeName(mask.dtype()));
  const Shape shape = BroadcastShapes(x.shape(), mask.shape());
  const std::vector<uint8_t> truth = LoadBool(mask, shape);
  DispatchAny(x.dtype(), [&]<typename C>() {
    const std::vector<C> values = LoadAs<C>(x, shape);
    std::vector<C> chosen;
    for (size_t i = 0; i < values.size(); ++i) {
      if (truth[i] != 0) chosen.push_back(values[i]);
    }
    *a.out = RequireTensor(a.ctx, Shape{static_cast<int64_t>(chosen.size())}, x.dtype());
    Store(Tensor(*a.out), chosen);
  });
}

DIOPI_KERNEL(diopiMaskedSelectBackward, a) {
  using namespace diopi::ops;
  const Tensor out(a.grad_input), grad(a.grad_output), x(a.input), mask(a.mask);
  const Shape shape = BroadcastShapes(x.shape(), mask.shape());
  CheckShape(out, shape, "grad_input");
  const std::vector<uint8_t> truth = LoadBool(mask, shape);
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const std::vector<C> gradients = Load<C>(grad);
    std::vector<C> values(truth.size(), Exact<C>(0));
    size_t next = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (truth[i] == 0) continue;
      Check(next < gradients.size(), "grad_output has fewer elements than the mask chooses");
      values[i] = gradients[next++];
    }
    Store(out, values);
  });
}
