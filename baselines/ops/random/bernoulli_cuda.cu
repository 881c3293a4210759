// bernoulli: 1 with a probability, else 0. Probabilities in a tensor are not checked, because the check would
// have to wait for the device.
#include "baselines/ops/random/random_cuda.h"

namespace diopi::ops::cuda {
namespace {

struct DrawTruth {
  Stream stream;
  int64_t n;
  In<double> p;
  Out<int64_t> out;
  DIOPI_HD void operator()(int64_t thread) const {
    const Words4 words = stream.Draw(thread);
    for (int64_t lane = 0; lane < 4 && thread * 4 + lane < n; ++lane) {
      const int64_t i = thread * 4 + lane;
      out.Set(i, static_cast<double>(words.word[lane]) * 0x1p-32 < p[i] ? 1 : 0);
    }
  }
};

void Bernoulli(diopiContextHandle_t ctx, const Tensor& out, const In<double>& p,
               diopiGeneratorHandle_t generator) {
  ForEach(Queue(ctx), Threads(out.numel(), 4),
          DrawTruth{TakeBlock(generator), out.numel(), p, Out<int64_t>(out)});
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiBernoulli, a) {
  using namespace diopi::ops;
  const Tensor out(a.out), p(a.input);
  CheckShape(out, p.shape(), "out");
  cuda::Bernoulli(a.ctx, out, cuda::In<double>(p), a.generator);
}

DIOPI_KERNEL(diopiBernoulliInp, a) {
  using namespace diopi::ops;
  const Tensor out(a.inout);
  cuda::Bernoulli(a.ctx, out, cuda::In<double>(out), a.generator);
}

DIOPI_KERNEL(diopiBernoulliScalar, a) {
  using namespace diopi::ops;
  Check(a.p >= 0 && a.p <= 1, "p must lie in [0, 1], got ", a.p);
  cuda::Bernoulli(a.ctx, Tensor(a.out), cuda::In<double>::Constant(a.p), a.generator);
}
