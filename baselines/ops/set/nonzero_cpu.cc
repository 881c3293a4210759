// nonzero: the coordinates of the elements that are not zero, one row each, in row-major order.
#include "baselines/ops/support/tensor.h"

DIOPI_KERNEL(diopiNonzero, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  const std::vector<uint8_t> truth = LoadBool(x, x.shape());
  const Shape strides = DenseStrides(x.shape());
  std::vector<int64_t> rows;
  int64_t count = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == 0) continue;
    ++count;
    for (size_t d = 0; d < strides.size(); ++d) {
      rows.push_back(static_cast<int64_t>(i) / strides[d] % x.shape()[d]);
    }
  }
  *a.out = RequireTensor(a.ctx, Shape{count, x.rank()}, diopi_dtype_int64);
  Store(Tensor(*a.out), rows);
}
