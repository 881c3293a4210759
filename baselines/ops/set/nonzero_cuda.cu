// nonzero: the coordinates of the elements that are not zero, one row each, in row-major order.
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/sort.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct FlagNonzero {
  In<C> x;
  uint8_t* flags;
  DIOPI_HD void operator()(int64_t i) const { flags[i] = x[i] != C(0) ? 1 : 0; }
};

// One coordinate of every position.
struct Coordinates {
  const int64_t* positions;
  Out<int64_t> out;
  int64_t stride, size, dim, rank;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i * rank + dim, positions[i] / stride % size); }
};

void Nonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out, const Tensor& x) {
  const Queue queue(ctx);
  const int64_t n = x.numel();
  uint8_t* const flags = queue.Buffer<uint8_t>(n);
  int64_t* const positions = queue.Buffer<int64_t>(n);
  DispatchAny(x.dtype(), [&]<typename C>() { ForEach(queue, n, FlagNonzero<C>{In<C>(x), flags}); });
  const int64_t count = Select(queue, flags, n, positions);
  *out = RequireTensor(ctx, Shape{count, x.rank()}, diopi_dtype_int64);
  const Shape strides = DenseStrides(x.shape());
  for (size_t d = 0; d < strides.size(); ++d) {
    ForEach(queue, count,
            Coordinates{positions, Out<int64_t>(Tensor(*out)), strides[d], x.shape()[d],
                        static_cast<int64_t>(d), x.rank()});
  }
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiNonzero, a) {
  using namespace diopi::ops;
  cuda::Nonzero(a.ctx, a.out, a.input);
}
