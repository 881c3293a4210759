// copy: src, broadcast and converted, into dest.
#include "baselines/ops/both.h"

namespace diopi::ops::both {

DIOPI_KERNEL(diopiCopyInp, a) {
  const Tensor dest(a.dest), src(a.src);
  DispatchAny(src.dtype(), [&]<typename C>() {
    Map(Queue(a.ctx), dest.numel(), Out<C>(dest), Same(), In<C>(src, dest.shape()));
  });
}

}  // namespace diopi::ops::both
