// uniform_: numbers in [from, to), in place.
#include "baselines/ops/random/mantissa_bits.h"
#include "baselines/ops/random/random_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct DrawUniform {
  Stream stream;
  int64_t n;
  int bits;
  C from, to;
  Out<C> out;
  DIOPI_HD void operator()(int64_t thread) const {
    const Words4 words = stream.Draw(thread);
    for (int lane = 0; lane < kLanes<C>; ++lane) {
      const int64_t i = thread * kLanes<C> + lane;
      if (i >= n) return;
      out.Set(i, from + (to - from) * UniformOf<C>(words, lane, bits));
      if (out[i] >= to) out.Set(i, from);  // it was rounded up to what the interval leaves out
    }
  }
};

void Uniform(diopiContextHandle_t ctx, const Tensor& out, double from, double to,
             diopiGeneratorHandle_t generator) {
  Check(from <= to, "from (", from, ") must not exceed to (", to, ")");
  const Queue queue(ctx);
  const int64_t n = out.numel();
  DispatchFloating(out.dtype(), [&]<typename C>() {
    const Out<C> result(out);
    ForEach(queue, Threads(n, kLanes<C>),
            DrawUniform<C>{TakeBlock(generator), n, MantissaBits(out.dtype()), static_cast<C>(from),
                           static_cast<C>(to), result});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiUniformInp, a) {
  using namespace diopi::ops;
  cuda::Uniform(a.ctx, a.inout, a.from, a.to, a.generator);
}
