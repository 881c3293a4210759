// dropout: each element is kept with probability 1 - p and scaled by 1 / (1 - p); the mask marks those. When
// not training, the output is the input and the mask is all ones.
#include "baselines/ops/random/random_cuda.h"
#include "baselines/ops/support/cuda/map.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct DropElements {
  Stream stream;
  int64_t n;
  uint64_t dropped;  // words below are
  C scale;
  In<C> x;
  Out<C> out;
  Out<int64_t> mask;
  bool quads;
  DIOPI_HD void operator()(int64_t thread) const {
    const Words4 words = stream.Draw(thread);
    if (quads && 4 * thread + 4 <= n) {
      Four<C> values = x.QuadAt(thread);
      Four<int64_t> marks;
      for (int lane = 0; lane < 4; ++lane) {
        marks.at[lane] = words.word[lane] >= dropped ? 1 : 0;
        values.at[lane] = marks.at[lane] != 0 ? values.at[lane] * scale : C(0);
      }
      out.SetQuad(thread, values);
      return mask.SetQuad(thread, marks);
    }
    for (int lane = 0; lane < 4; ++lane) {
      const int64_t i = thread * 4 + lane;
      if (i >= n) return;
      const bool keep = words.word[lane] >= dropped;
      out.Set(i, keep ? x[i] * scale : C(0));
      mask.Set(i, keep ? 1 : 0);
    }
  }
};

void Dropout(diopiContextHandle_t ctx, const Tensor& out, const Tensor& mask, const Tensor& input, double p,
             bool train, diopiGeneratorHandle_t generator) {
  Check(p >= 0 && p <= 1, "p must lie in [0, 1], got ", p);
  CheckShape(out, input.shape(), "out");
  CheckShape(mask, input.shape(), "mask");
  const Queue queue(ctx);
  const int64_t n = input.numel();
  DispatchFloating(input.dtype(), [&]<typename C>() {
    const In<C> x(input);
    const Out<C> result(out);
    const Out<int64_t> kept(mask);
    if (!train) {
      Copy(queue, n, result, x);
      Copy(queue, n, kept, In<int64_t>::Constant(1));
      return;
    }
    const auto dropped = static_cast<uint64_t>(std::ceil(p * 0x1p32));
    const C scale = p < 1 ? static_cast<C>(1.0 / (1.0 - p)) : C(0);
    const bool quads = x.Quads() && result.Quads() && kept.Quads();
    ForEach(queue, Threads(n, 4),
            DropElements<C>{TakeBlock(generator), n, dropped, scale, x, result, kept, quads});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiDropout, a) {
  using namespace diopi::ops;
  cuda::Dropout(a.ctx, a.out, a.mask, a.input, a.p, a.train, a.generator);
}

DIOPI_KERNEL(diopiDropoutInp, a) {
  using namespace diopi::ops;
  cuda::Dropout(a.ctx, a.input, a.mask, a.input, a.p, a.train, a.generator);
}
