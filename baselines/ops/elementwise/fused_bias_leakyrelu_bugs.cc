// Bugs injected in the fused bias and activation.
#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

constexpr char kFused[] = "diopiFusedBiasLeakyreluMmcv";
BUG(leakyrelu_bias_of_rows, 0, kFused, "", "the bias goes along the last dimension");
BUG(leakyrelu_bias_ignored, 0, kFused, "", "the bias is left out");
BUG(leakyrelu_scale_ignored, 0, kFused, "", "scale is taken as 1");
BUG(leakyrelu_slope_by_input, 0, kFused, "", "the derivative looks at the input's sign instead of refer's");
BUG(leakyrelu_always, 0, kFused, "", "act 1 is taken for 3");

}  // namespace

DIOPI_OVERRIDE(diopiFusedBiasLeakyreluMmcv, a) {
  const Tensor x(a.input), bias(a.bias);
  if (leakyrelu_bias_ignored) {
    a.bias = NewTensor(a.ctx, {0}, x.dtype());
  }
  if (leakyrelu_bias_of_rows && bias.numel() > 0) {  // added beforehand
    const std::vector<double> values = Load<double>(bias);
    a.input = Replaced(a.ctx, a.input, [&](double e, int64_t i) {
      return e + values[static_cast<size_t>(i) % values.size()];
    });
    a.bias = NewTensor(a.ctx, {0}, x.dtype());
  }
  if (leakyrelu_scale_ignored) a.scale = 1;
  if (leakyrelu_slope_by_input && a.grad == 1) a.refer = a.input;
  if (leakyrelu_always && a.grad == 0) a.act = 3;
  Good(a);
}
