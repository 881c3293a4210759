// adamw: see adamw_cpu.cc.
#include "baselines/ops/optimizer/adamw_common.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct AdamWElements {
  AdamWStep<C> update;
  In<C> gradient;
  Out<C> parameter, first, second, greatest;
  DIOPI_HD void operator()(int64_t i) const {
    C p = parameter[i], m = first[i], v = second[i], most = update.amsgrad ? greatest[i] : C(0);
    update(gradient[i], p, m, v, &most);
    parameter.Set(i, p);
    first.Set(i, m);
    second.Set(i, v);
    if (update.amsgrad) greatest.Set(i, most);
  }
};

void Step(diopiContextHandle_t ctx, const AdamWTensors& t, const AdamW& options) {
  t.CheckShapes(options);
  DispatchFloating(ResultType(t.parameter, {t.parameter, t.gradient}), [&]<typename C>() {
    const AdamWElements<C> step{AdamWStep<C>(options), In<C>(t.gradient),
                                Out<C>(t.parameter),   Out<C>(t.first),
                                Out<C>(t.second),      options.amsgrad ? Out<C>(t.greatest) : Out<C>()};
    ForEach(Queue(ctx), t.parameter.numel(), step);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiAdamW, a) {
  using namespace diopi::ops;
  cuda::Step(a.ctx, {a.param, a.grad, a.exp_avg, a.exp_avg_sq, a.max_exp_avg_sq},
             {a.lr, a.beta1, a.beta2, a.eps, a.weight_decay, a.step, a.amsgrad});
}
