// A bias for each channel, an activation (linear or leaky) or its derivative, and a scale, in one pass.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct BiasedActivation {
  Out<C> out;
  In<C> x, bias, refer;
  int64_t biases, per_channel;  // biases 0: none
  bool leaky, by_refer, zero;
  C alpha, scale;

  DIOPI_HD void operator()(int64_t i) const {
    C y = x[i];
    if (biases > 0) y = y + bias[i / per_channel % biases];
    const bool positive = by_refer ? refer[i] > C(0) : y > C(0);
    if (leaky && !positive) y = y * alpha;
    out.Set(i, zero ? C(0) : y * scale);
  }
};

}  // namespace

DIOPI_KERNEL(diopiFusedBiasLeakyreluMmcv, a) {
  const Tensor x(a.input), bias(a.bias), refer(a.refer);
  Check(a.act == 1 || a.act == 3, "expected act 1 or 3, got ", a.act);
  Check(a.grad >= 0 && a.grad <= 2, "expected grad 0, 1 or 2, got ", a.grad);
  Check(x.rank() >= 2, "expected an input of at least 2 dimensions, got shape ", ShapeText(x.shape()));
  if (bias.numel() > 0) CheckShape(bias, {x.size(1)}, "bias");
  const bool by_refer = a.grad == 1 && a.act == 3;
  if (by_refer) CheckShape(refer, x.shape(), "refer");
  *a.out = RequireTensor(a.ctx, x.shape(), x.dtype());
  const Tensor out(*a.out);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const int64_t per_channel = x.numel() == 0 ? 1 : x.numel() / x.size(0) / x.size(1);
    ForEach(Queue(a.ctx), x.numel(),
            BiasedActivation<C>{Out<C>(out), In<C>(x), bias.numel() > 0 ? In<C>(bias) : In<C>::Constant(C(0)),
                                by_refer ? In<C>(refer) : In<C>::Constant(C(0)), bias.numel(), per_channel,
                                a.act == 3, by_refer, a.grad == 2, Rounded<C>(a.alpha), Rounded<C>(a.scale)});
  });
}

}  // namespace diopi::ops::both
