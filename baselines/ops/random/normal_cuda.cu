// normal: mean + std * z, with mean and std as numbers or as tensors (broadcast to out). A negative deviation
// in a tensor gives NaN, because a check would have to wait for the device.
#include "baselines/ops/random/random_cuda.h"

namespace diopi::ops::cuda {
namespace {

// A number or a tensor.
struct Parameter {
  Parameter(double x) : is_number(true), number(x) {}   // NOLINT
  Parameter(diopiConstTensorHandle_t x) : tensor(x) {}  // NOLINT
  bool is_number = false;
  double number = 0;
  Tensor tensor;

  template <typename C>
  In<C> At(const Shape& shape) const {
    return is_number ? In<C>::Constant(static_cast<C>(number)) : In<C>(tensor, shape);
  }
};

template <typename C>
struct DrawNormal {
  Stream stream;
  int64_t n;
  In<C> mean, std;
  Out<C> out;
  DIOPI_HD void operator()(int64_t thread) const {
    C normals[kLanes<C>];
    NormalsOf<C>(stream.Draw(thread), normals);
    for (int lane = 0; lane < kLanes<C>; ++lane) {
      const int64_t i = thread * kLanes<C> + lane;
      if (i >= n) return;
      const C deviation = std[i];
      out.Set(i, deviation < C(0) ? C(NAN) : mean[i] + deviation * normals[lane]);
    }
  }
};

void Normal(diopiContextHandle_t ctx, const Tensor& out, const Parameter& mean, const Parameter& std,
            diopiGeneratorHandle_t generator) {
  Check(std.number >= 0, "std must not be negative, got ", std.number);
  const Queue queue(ctx);
  const int64_t n = out.numel();
  DispatchFloating(out.dtype(), [&]<typename C>() {
    const In<C> means = mean.At<C>(out.shape()), deviations = std.At<C>(out.shape());
    const Out<C> result(out);
    ForEach(queue, Threads(n, kLanes<C>), DrawNormal<C>{TakeBlock(generator), n, means, deviations, result});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiNormal, a) {
  using namespace diopi::ops;
  cuda::Normal(a.ctx, a.out, a.mean, a.std, a.generator);
}
DIOPI_KERNEL(diopiNormalInp, a) {
  using namespace diopi::ops;
  cuda::Normal(a.ctx, a.inout, a.mean, a.std, a.generator);
}
DIOPI_KERNEL(diopiNormalTensorScalar, a) {
  using namespace diopi::ops;
  cuda::Normal(a.ctx, a.out, a.mean, a.std, a.generator);
}
DIOPI_KERNEL(diopiNormalScalarTensor, a) {
  using namespace diopi::ops;
  cuda::Normal(a.ctx, a.out, a.mean, a.std, a.generator);
}
DIOPI_KERNEL(diopiNormalTensor, a) {
  using namespace diopi::ops;
  cuda::Normal(a.ctx, a.out, a.mean, a.std, a.generator);
}
