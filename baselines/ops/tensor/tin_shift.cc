// Frames of groups of channels moved along time. What nothing moves into keeps the zeros that the caller put
// there. The backward moves the gradient by the same shift, as mmcv does
// (cases/ops/tensor/tin_shift.textproto).
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct MoveFrames {
  Out<C> out;
  In<C> in;
  In<int64_t> shift;
  int64_t frames, channels, places, groups;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t clip = i / places / channels / frames, frame = i / places / channels % frames;
    const int64_t group = i / places % channels / (channels / groups), by = shift[clip * groups + group];
    if (frame + by < 0 || frame + by >= frames) return;
    out.Set(i + by * channels * places, in[i]);
  }
};

void MoveAlongTime(diopiContextHandle_t ctx, const Tensor& out, const Tensor& in, const Tensor& shift) {
  Check(in.rank() == 4, "expected 4 dimensions, got shape ", ShapeText(in.shape()));
  CheckShape(out, in.shape(), "output");
  const int64_t groups = shift.rank() == 2 ? shift.size(1) : 0;
  CheckShape(shift, {in.size(0), groups}, "shift");
  Check(groups > 0 && in.size(2) % groups == 0, in.size(2), " channels in ", groups, " groups");
  DispatchFloating(ResultType(out, {in}), [&]<typename C>() {
    ForEach(Queue(ctx), in.numel(),
            MoveFrames<C>{Out<C>(out), In<C>(in), In<int64_t>(shift), in.size(1), in.size(2), in.size(3),
                          groups});
  });
}

}  // namespace

DIOPI_KERNEL(diopiTinShiftMmcv, a) {
  MoveAlongTime(a.ctx, a.output, Tensor(a.input), Tensor(a.shift));
}
DIOPI_KERNEL(diopiTinShiftBackwardMmcv, a) {
  MoveAlongTime(a.ctx, a.grad_input, Tensor(a.grad_output), Tensor(a.shift));
}

}  // namespace diopi::ops::both
