// one_hot: a row of num_classes zeros for every class, with a one in the class's place.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

struct OneAtClass {
  Out<int64_t> out;
  In<int64_t> classes;
  int64_t count;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, classes[i / count] == i % count ? 1 : 0); }
};

}  // namespace

DIOPI_KERNEL(diopiOneHot, a) {
  const Tensor out(a.out), x(a.input);
  Check(IsInteger(x.dtype()), "classes must be integers");
  Check(out.rank() == x.rank() + 1, "out needs one dimension more than the input");
  // -1: one more than the largest class, which is what the host has made the output for.
  const int64_t count = a.num_classes == -1 ? out.size(-1) : a.num_classes;
  Shape shape = x.shape();
  shape.push_back(count);
  CheckShape(out, shape, "out");
  ForEach(Queue(a.ctx), out.numel(), OneAtClass{Out<int64_t>(out), In<int64_t>(x), count});
}

}  // namespace diopi::ops::both
