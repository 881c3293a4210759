// permute: dimension i of out is dimension dims[i] of the input.
#include "baselines/ops/support/tensor.h"

DIOPI_KERNEL(diopiPermute, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  Shape order = Sizes(a.dims);
  const size_t distinct = WrapDims(order, x.rank()).size();  // refuses repetitions
  Check(order.empty() ? x.rank() == 0 : static_cast<int64_t>(distinct) == x.rank(),
        "dims must name every dimension once");
  for (int64_t& d : order) d = WrapDim(d, x.rank());
  const Shape strides = DenseStrides(x.shape());
  Shape shape, steps;
  for (const int64_t d : order) {
    shape.push_back(x.shape()[static_cast<size_t>(d)]);
    steps.push_back(strides[static_cast<size_t>(d)]);
  }
  CheckShape(result, shape, "out");
  const Shape out_strides = DenseStrides(shape);
  DispatchAny(x.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> permuted(values.size());
    for (size_t i = 0; i < permuted.size(); ++i) {
      int64_t from = 0;
      for (size_t d = 0; d < shape.size(); ++d) {
        from += static_cast<int64_t>(i) / out_strides[d] % shape[d] * steps[d];
      }
      permuted[i] = values[static_cast<size_t>(from)];
    }
    Store(result, permuted);
  });
}
