// Deformable convolution and its two backward functions.
#include "baselines/ops/deformable/deformable.h"

namespace diopi::ops::both {
namespace {

template <typename Args>
DeformGeometry DeformConvGeometry(const Args& a, const Shape& weight) {
  DeformGeometry g;
  const int64_t kernel[] = {a.kH, a.kW}, stride[] = {a.dH, a.dW}, pad[] = {a.padH, a.padW};
  const int64_t dilation[] = {a.dilationH, a.dilationW};
  for (int d = 0; d < 2; ++d) {
    g.kernel[d] = kernel[d];
    g.stride[d] = stride[d];
    g.pad[d] = pad[d];
    g.dilation[d] = dilation[d];
  }
  g.groups = a.groups;
  g.parts = a.deform_groups;
  g.Check(Tensor(a.input), Tensor(a.offset), weight);
  Check(a.im2col_step > 0 && g.batch % a.im2col_step == 0, "a batch of ", g.batch, " in steps of ",
        a.im2col_step);
  return g;
}

template <typename C, typename Args>
DeformView<C> DeformConvView(const Args& a, const DeformGeometry& g) {
  return {In<C>(Tensor(a.input)), In<C>(Tensor(a.offset)), In<C>::Constant(C(1)), false, g};
}

}  // namespace

DIOPI_KERNEL(diopiDeformConvMmcv, a) {
  const Tensor out(a.output), x(a.input), weight(a.weight);
  const DeformGeometry g = DeformConvGeometry(a, weight.shape());
  CheckShape(out, g.OutShape(), "output");
  DispatchFloating(ResultType(out, {x, weight}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const Scratch<C> columns = DeformSampled(queue, DeformConvView<C>(a, g));
    ForEach(queue, out.numel(),
            DeformProduct<C>{Out<C>(out), In<C>(weight), In<C>::Constant(C(0)), false, columns, g});
  });
}

DIOPI_KERNEL(diopiDeformConvBackwardInputMmcv, a) {
  const Tensor grad_x(a.gradInput), grad_offset(a.gradOffset), x(a.input), grad(a.gradOutput),
      weight(a.weight);
  const DeformGeometry g = DeformConvGeometry(a, weight.shape());
  CheckShape(grad, g.OutShape(), "gradOutput");
  CheckShape(grad_x, x.shape(), "gradInput");
  CheckShape(grad_offset, Tensor(a.offset).shape(), "gradOffset");
  DispatchFloating(ResultType(grad_x, {x, weight}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const DeformView<C> of = DeformConvView<C>(a, g);
    const Scratch<C> columns = DeformGradOfColumns<C>(queue, g, weight, grad);
    ForEach(queue, grad_offset.numel() / 2, DeformGradOffset<C>{Out<C>(grad_offset), Out<C>(), of, columns});
    ForEach(queue, grad_x.numel(), DeformGradInput<C>{Out<C>(grad_x), of, columns});
  });
}

DIOPI_KERNEL(diopiDeformConvBackwardParametersMmcv, a) {
  const Tensor grad_weight(a.gradWeight), x(a.input), grad(a.gradOutput);
  const DeformGeometry g = DeformConvGeometry(a, grad_weight.shape());
  CheckShape(grad, g.OutShape(), "gradOutput");
  DispatchFloating(ResultType(grad_weight, {x, grad}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const Scratch<C> columns = DeformSampled(queue, DeformConvView<C>(a, g));
    ForEach(queue, grad_weight.numel(),
            DeformGradWeight<C>{Out<C>(grad_weight), columns, In<C>(grad), Rounded<C>(a.scale), true, g});
  });
}

}  // namespace diopi::ops::both
