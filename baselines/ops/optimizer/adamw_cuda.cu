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

diopiError_t diopiAdamW(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiConstTensorHandle_t grad,
                        diopiTensorHandle_t exp_avg, diopiTensorHandle_t exp_avg_sq,
                        diopiTensorHandle_t max_exp_avg_sq, float lr, float beta1, float beta2, float eps,
                        float weight_decay, int64_t step, bool amsgrad) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    cuda::Step(ctx, {param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq},
               {lr, beta1, beta2, eps, weight_decay, step, amsgrad});
  });
}
