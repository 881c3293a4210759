// The fused bias and activation as other correct libraries compute it.
#include "baselines/injected/injected.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(leakyrelu_slope_scaled_first, "diopiFusedBiasLeakyreluMmcv", "", "alpha times scale is one factor");
VARIANT(leakyrelu_in_tensor_type, "diopiFusedBiasLeakyreluMmcv", "",
        "every step is rounded to the tensors' type, as in mmcv's CUDA kernel");

template <typename C>
std::vector<C> FusedSteps(const diopiFusedBiasLeakyreluMmcvArgs& a) {
  const Tensor x(a.input), bias(a.bias);
  const auto kept = [&](C v) { return Stored(x.dtype(), v); };
  std::vector<C> values = Load<C>(x);
  const std::vector<C> biases = Load<C>(bias);
  const std::vector<C> refer = a.grad == 1 ? Load<C>(Tensor(a.refer)) : std::vector<C>();
  const C alpha = static_cast<C>(a.alpha), scale = static_cast<C>(a.scale);
  const size_t per_channel = values.size() / static_cast<size_t>(x.size(0) * x.size(1));
  for (size_t i = 0; i < values.size(); ++i) {
    C y = values[i];
    if (!biases.empty()) y = kept(y + biases[i / per_channel % biases.size()]);
    const bool down = a.act == 3 && (a.grad == 1 ? refer[i] : y) <= 0;
    if (leakyrelu_slope_scaled_first) {
      y = y * (down ? alpha * scale : scale);
    } else {
      y = kept(down ? kept(y * alpha) : y) * scale;
    }
    values[i] = a.grad == 2 ? C(0) : y;
  }
  return values;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiFusedBiasLeakyreluMmcv, a) {
  Good(a);  // makes the output
  if (!leakyrelu_slope_scaled_first && !leakyrelu_in_tensor_type) return;
  const Tensor out(*a.out);
  if (out.dtype() == diopi_dtype_float64) return Store(out, FusedSteps<double>(a));
  Store(out, FusedSteps<float>(a));
}
