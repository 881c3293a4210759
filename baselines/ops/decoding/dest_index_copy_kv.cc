// Keys or values of new tokens, copied into their slots of a cache.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct CopyToSlot {
  Out<C> out;
  In<C> k;
  In<int64_t> slots;
  int64_t size, count;  // elements of a slot, number of slots
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t slot = slots[i / size];
    if (slot >= 0 && slot < count) out.Set(slot * size + i % size, k[i]);
  }
};

}  // namespace

DIOPI_KERNEL(diopiDestIndexCopyKV, a) {
  const Tensor out(a.out), k(a.k), slots(a.dest_loc);
  Check(k.rank() >= 1 && out.rank() == k.rank(), "k of shape ", ShapeText(k.shape()),
        " does not fit out of shape ", ShapeText(out.shape()));
  CheckShape(slots, {k.size(0)}, "dest_loc");
  Shape shape = k.shape();
  shape[0] = out.size(0);
  CheckShape(out, shape, "out");
  if (k.numel() == 0) return;
  DispatchAny(out.dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), k.numel(),
            CopyToSlot<C>{Out<C>(out), In<C>(k), In<int64_t>(slots), k.numel() / k.size(0), out.size(0)});
  });
}

}  // namespace diopi::ops::both
