// index: see index_cpu.cc.
#include "baselines/ops/index/index_list_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct PickPositions {
  In<C> x;
  const int64_t* positions;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const {
    out.Set(i, positions[i] < 0 ? OutOfBounds<C>() : C(x[positions[i]]));
  }
};

void Index(diopiContextHandle_t ctx, diopiTensorHandle_t* out, const Tensor& x,
           diopiConstTensorHandle_t* handles, int64_t count) {
  const Queue queue(ctx);
  const Picked picked = ResolveIndices(queue, x.shape(), handles, count);
  *out = RequireTensor(ctx, picked.shape, x.dtype());
  DispatchAny(x.dtype(), [&]<typename C>() {
    ForEach(queue, picked.n, PickPositions<C>{In<C>(x), picked.positions, Out<C>(Tensor(*out))});
  });
}

void IndexBackward(diopiContextHandle_t ctx, const Tensor& out, const Tensor& zeros, const Tensor& grad,
                   diopiConstTensorHandle_t* handles, int64_t count) {
  CheckShape(out, zeros.shape(), "grad_input");
  const Queue queue(ctx);
  const Picked picked = ResolveIndices(queue, zeros.shape(), handles, count);
  CheckShape(grad, picked.shape, "grad_output");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    ScatterElements(queue, out, zeros, picked.n, PositionAt{picked.positions}, In<C>(grad),
                    ScatterReduce::kAdd);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiIndex, a) {
  using namespace diopi::ops;
  cuda::Index(a.ctx, a.out, a.input, a.indices, a.nums);
}

DIOPI_KERNEL(diopiIndexBackward, a) {
  using namespace diopi::ops;
  cuda::IndexBackward(a.ctx, a.grad_input, a.zeros_like_input, a.grad_output, a.indices, a.nums);
}
