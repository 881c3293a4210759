// sort along one dimension; always stable here, which also serves callers that do not ask for it.
#include "baselines/ops/support/sort_lines.h"

extern "C" diopiError_t diopiSort(diopiContextHandle_t, diopiTensorHandle_t values,
                                  diopiTensorHandle_t indices, diopiConstTensorHandle_t input, int64_t dim,
                                  bool descending, const bool*) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor x(input);
    SortLines(values, indices, x, dim, SplitAxis(x.shape(), WrapDim(dim, x.rank())).size, descending);
  });
}

// grad_input[indices[i]] = grad_output[i] along dim.
extern "C" diopiError_t diopiSortBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                          diopiConstTensorHandle_t grad_output, int64_t dim,
                                          diopiConstTensorHandle_t indices, diopiSize_t sizes, bool) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(grad_input), grad(grad_output), index(indices);
    const Shape shape = Sizes(sizes);
    CheckShape(result, shape, "grad_input");
    CheckShape(index, grad.shape(), "indices");
    const int64_t wrapped = WrapDim(dim, static_cast<int64_t>(shape.size()));
    const Axis to = SplitAxis(shape, wrapped), from = SplitAxis(grad.shape(), wrapped);
    const std::vector<int64_t> positions = Load<int64_t>(index);
    DispatchFloating(ResultType(result, {grad}), [&]<typename C>() {
      const std::vector<C> g = Load<C>(grad);
      std::vector<C> values(static_cast<size_t>(result.numel()), Exact<C>(0));
      for (size_t i = 0; i < g.size(); ++i) {
        const int64_t at = static_cast<int64_t>(i);
        const int64_t outer = at / (from.size * from.inner), inner = at % from.inner;
        Check(positions[i] >= 0 && positions[i] < to.size, "index ", positions[i], " is out of bounds for ",
              to.size);
        values[static_cast<size_t>((outer * to.size + positions[i]) * to.inner + inner)] = g[i];
      }
      Store(result, values);
    });
  });
}
