// Deformable convolution whose taps are weighted by a mask, and its gradients.
#include "baselines/ops/deformable/deformable.h"

namespace diopi::ops::both {
namespace {

template <typename Args>
DeformGeometry ModulatedGeometry(const Args& a) {
  DeformGeometry g;
  const int64_t kernel[] = {a.kernel_h, a.kernel_w}, stride[] = {a.stride_h, a.stride_w};
  const int64_t pad[] = {a.pad_h, a.pad_w}, dilation[] = {a.dilation_h, a.dilation_w};
  for (int d = 0; d < 2; ++d) {
    g.kernel[d] = kernel[d];
    g.stride[d] = stride[d];
    g.pad[d] = pad[d];
    g.dilation[d] = dilation[d];
  }
  g.groups = a.group;
  g.parts = a.deformable_group;
  g.Check(Tensor(a.input), Tensor(a.offset), Tensor(a.weight).shape());
  CheckShape(Tensor(a.mask), {g.batch, g.parts * g.Taps(), g.cells[0], g.cells[1]}, "mask");
  return g;
}

template <typename C, typename Args>
DeformView<C> ModulatedView(const Args& a, const DeformGeometry& g) {
  return {In<C>(Tensor(a.input)), In<C>(Tensor(a.offset)), In<C>(Tensor(a.mask)), true, g};
}

template <typename C>
struct ModulatedGradBias {
  Out<C> out;
  In<C> grad;
  DeformGeometry g;
  DIOPI_HD void operator()(int64_t filter) const {
    Sum<C> sum;
    for (int64_t image = 0; image < g.batch; ++image) {
      for (int64_t place = 0; place < g.Places(); ++place)
        sum += grad[(image * g.filters + filter) * g.Places() + place];
    }
    out.Set(filter, sum.total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiModulatedDeformConvMmcv, a) {
  const Tensor out(a.output), x(a.input), weight(a.weight), bias(a.bias);
  const DeformGeometry g = ModulatedGeometry(a);
  CheckShape(out, g.OutShape(), "output");
  if (a.with_bias) CheckShape(bias, {g.filters}, "bias");
  DispatchFloating(ResultType(out, {x, weight}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const Scratch<C> columns = DeformSampled(queue, ModulatedView<C>(a, g));
    const In<C> added = a.with_bias ? In<C>(bias) : In<C>::Constant(C(0));
    ForEach(queue, out.numel(), DeformProduct<C>{Out<C>(out), In<C>(weight), added, a.with_bias, columns, g});
  });
}

DIOPI_KERNEL(diopiModulatedDeformConvBackwardMmcv, a) {
  const Tensor grad_x(a.grad_input), grad_weight(a.grad_weight), grad_bias(a.grad_bias), x(a.input),
      grad(a.grad_output), weight(a.weight), grad_offset(a.grad_offset), grad_mask(a.grad_mask);
  const DeformGeometry g = ModulatedGeometry(a);
  CheckShape(grad, g.OutShape(), "grad_output");
  CheckShape(grad_x, x.shape(), "grad_input");
  CheckShape(grad_offset, Tensor(a.offset).shape(), "grad_offset");
  CheckShape(grad_mask, Tensor(a.mask).shape(), "grad_mask");
  if (grad_weight) CheckShape(grad_weight, weight.shape(), "grad_weight");
  if (a.with_bias && grad_bias) CheckShape(grad_bias, {g.filters}, "grad_bias");
  DispatchFloating(ResultType(grad_x, {x, weight}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const DeformView<C> of = ModulatedView<C>(a, g);
    const In<C> grads(grad);
    const Scratch<C> slopes = DeformGradOfColumns<C>(queue, g, weight, grad);
    ForEach(queue, grad_mask.numel(),
            DeformGradOffset<C>{Out<C>(grad_offset), Out<C>(grad_mask), of, slopes});
    ForEach(queue, grad_x.numel(), DeformGradInput<C>{Out<C>(grad_x), of, slopes});
    if (grad_weight) {
      ForEach(queue, grad_weight.numel(),
              DeformGradWeight<C>{Out<C>(grad_weight), DeformSampled(queue, of), grads, C(1), false, g});
    }
    if (a.with_bias && grad_bias)
      ForEach(queue, g.filters, ModulatedGradBias<C>{Out<C>(grad_bias), grads, g});
  });
}

}  // namespace diopi::ops::both
