// dropout: each element is kept with probability 1 - p and scaled by 1 / (1 - p); the mask marks those. When
// not training, the output is the input and the mask is all ones.
#include "baselines/ops/random/random_common.h"

namespace diopi::ops {
namespace {

void Dropout(const Tensor& out, const Tensor& mask, const Tensor& input, double p, bool train,
             diopiGeneratorHandle_t generator) {
  Check(p >= 0 && p <= 1, "p must lie in [0, 1], got ", p);
  CheckShape(out, input.shape(), "out");
  CheckShape(mask, input.shape(), "mask");
  Random random(generator);
  std::vector<int64_t> kept(static_cast<size_t>(input.numel()), 1);
  if (train) {
    for (int64_t& keep : kept) keep = random.Uniform() >= p ? 1 : 0;
    random.Advance(generator);
  }
  DispatchFloating(input.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(input);
    if (train) {
      const C scale = p < 1 ? Rounded<C>(1.0 / (1.0 - p)) : Exact<C>(0);
      for (size_t i = 0; i < values.size(); ++i) values[i] = kept[i] != 0 ? values[i] * scale : Exact<C>(0);
    }
    Store(out, values);
  });
  Store(mask, kept);
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiDropout, a) {
  using namespace diopi::ops;
  Dropout(a.out, a.mask, a.input, a.p, a.train, a.generator);
}

DIOPI_KERNEL(diopiDropoutInp, a) {
  using namespace diopi::ops;
  Dropout(a.input, a.mask, a.input, a.p, a.train, a.generator);
}
