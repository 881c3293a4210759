// sgd: see sgd_cpu.cc.
#include "baselines/ops/optimizer/sgd_common.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct SgdElements {
  SgdStep<C> update;
  In<C> gradient;
  Out<C> parameter, buffer;
  DIOPI_HD void operator()(int64_t i) const {
    C p = parameter[i], b = update.with_momentum ? buffer[i] : C(0);
    update(gradient[i], p, &b);
    parameter.Set(i, p);
    if (update.with_momentum) buffer.Set(i, b);
  }
};

void Step(diopiContextHandle_t ctx, const Tensor& parameter, const Tensor& gradient, const Tensor& buffer,
          const Sgd& options) {
  const bool with_momentum = CheckSgd(parameter, gradient, buffer, options);
  DispatchFloating(ResultType(parameter, {parameter, gradient}), [&]<typename C>() {
    const SgdElements<C> step{SgdStep<C>(options, with_momentum), In<C>(gradient), Out<C>(parameter),
                              with_momentum ? Out<C>(buffer) : Out<C>()};
    ForEach(Queue(ctx), parameter.numel(), step);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiSgd, a) {
  using namespace diopi::ops;
  cuda::Step(a.ctx, a.param, static_cast<diopiConstTensorHandle_t>(a.grad), a.buf,
             {a.lr, a.momentum, a.dampening, a.weight_decay, a.nesterov});
}
