// gather: out[i][j][k] = input[index[i][j][k]][j][k] for dim 0, and so on.
#include "baselines/ops/index/index_common.h"

extern "C" diopiError_t diopiGather(diopiContextHandle_t, diopiTensorHandle_t out,
                                    diopiConstTensorHandle_t input, int64_t dim,
                                    diopiConstTensorHandle_t index) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), x(input), at(index);
    CheckShape(result, at.shape(), "out");
    const std::vector<int64_t> positions =
        PositionsAlong(x.shape(), at.shape(), WrapDim(dim, x.rank()), Load<int64_t>(at));
    DispatchAny(x.dtype(), [&]<typename C>() {
      const std::vector<C> values = Load<C>(x);
      std::vector<C> picked(positions.size());
      for (size_t i = 0; i < picked.size(); ++i) picked[i] = values[static_cast<size_t>(positions[i])];
      Store(result, picked);
    });
  });
}

// What was picked several times gets the sum of the gradients.
extern "C" diopiError_t diopiGatherBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output,
                                            diopiConstTensorHandle_t input, int64_t dim,
                                            diopiConstTensorHandle_t index) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(grad_input), grad(grad_output), x(input), at(index);
    CheckShape(result, x.shape(), "grad_input");
    CheckShape(grad, at.shape(), "grad_output");
    const std::vector<int64_t> positions =
        PositionsAlong(x.shape(), at.shape(), WrapDim(dim, x.rank()), Load<int64_t>(at));
    DispatchAny(ResultType(result, {grad}), [&]<typename C>() {
      const std::vector<C> g = Load<C>(grad);
      std::vector<C> sums(static_cast<size_t>(x.numel()), Exact<C>(0));
      for (size_t i = 0; i < g.size(); ++i) {
        C& sum = sums[static_cast<size_t>(positions[i])];
        sum = WrapAdd(sum, g[i]);
      }
      Store(result, sums);
    });
  });
}
