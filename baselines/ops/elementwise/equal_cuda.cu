// equal: whether two tensors have one shape and equal elements. NaN equals nothing. The call waits for the
// device.
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/sort.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct FlagUnequal {
  In<C> x, y;
  uint8_t* flags;
  DIOPI_HD void operator()(int64_t i) const { flags[i] = x[i] == y[i] ? 0 : 1; }
};

bool Equal(diopiContextHandle_t ctx, const Tensor& x, const Tensor& y) {
  if (x.shape() != y.shape()) return false;
  const int64_t n = x.numel();
  if (n == 0) return true;
  const Queue queue(ctx);
  uint8_t* const flags = queue.Buffer<uint8_t>(n);
  int64_t* const positions = queue.Buffer<int64_t>(n);
  DispatchAny(ResultType(x, {x, y}), [&]<typename C>() {
    ForEach(queue, n, FlagUnequal<C>{In<C>(x), In<C>(y), flags});
  });
  return Select(queue, flags, n, positions) == 0;
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiEqual, a) {
  using namespace diopi::ops;
  Check(a.out != nullptr, "out is null");
  *a.out = cuda::Equal(a.ctx, a.input, a.other);
}
