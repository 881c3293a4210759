// copy: src, broadcast and converted, into dest.
#include "baselines/ops/elementwise/complex_parts.h"

namespace diopi::ops::both {
namespace {

void CopyComplex(diopiContextHandle_t ctx, const Tensor& dest, const Tensor& src) {
  Check(dest.dtype() == src.dtype(), "copies between complex numbers and others are not implemented");
  DispatchPart(PartOf(src.dtype()), [&]<typename T>() {
    for (const int part : {0, 1}) {
      ForEach(Queue(ctx), dest.numel(),
              MovePart<T>{PartsOf<T>(dest, part, dest.shape()), PartsOf<const T>(src, part, dest.shape())});
    }
  });
}

}  // namespace

DIOPI_KERNEL(diopiCopyInp, a) {
  const Tensor dest(a.dest), src(a.src);
  if (IsComplex(src.dtype()) || IsComplex(dest.dtype())) return CopyComplex(a.ctx, dest, src);
  DispatchAny(src.dtype(), [&]<typename C>() {
    Map(Queue(a.ctx), dest.numel(), Out<C>(dest), Same(), In<C>(src, dest.shape()));
  });
}

}  // namespace diopi::ops::both
