// masked_scatter: the elements where the mask is true become those of the source, in its order.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

// How many true elements each run of kRun elements has; then how many the runs before it have; then each run
// goes through its elements with that number.
constexpr int64_t kRun = 256;

struct CountRun {
  Out<int64_t> before;
  In<int64_t> mask;
  int64_t n;
  DIOPI_HD void operator()(int64_t run) const {
    int64_t count = 0;
    for (int64_t i = run * kRun; i < n && i < (run + 1) * kRun; ++i) count += mask[i] != 0 ? 1 : 0;
    before.Set(run, count);
  }
};

struct SumRuns {
  Out<int64_t> before;
  int64_t runs;
  DIOPI_HD void operator()(int64_t) const {
    int64_t sum = 0;
    for (int64_t run = 0; run < runs; ++run) {
      const int64_t count = before[run];
      before.Set(run, sum);
      sum += count;
    }
  }
};

template <typename C>
struct ScatterRun {
  Out<C> out;
  In<C> x;
  In<C> source;
  In<int64_t> mask;
  In<int64_t> before;
  int64_t n;
  int64_t given;  // elements of the source
  DIOPI_HD void operator()(int64_t run) const {
    int64_t from = before[run];
    for (int64_t i = run * kRun; i < n && i < (run + 1) * kRun; ++i) {
      const bool chosen = mask[i] != 0 && from < given;
      out.Set(i, chosen ? C(source[from]) : C(x[i]));
      if (chosen) ++from;
    }
  }
};

}  // namespace

DIOPI_KERNEL(diopiMaskedScatter, a) {
  const Tensor out(a.out), x(a.input), mask(a.mask), source(a.source);
  CheckMask(mask, "mask");
  const Shape shape = BroadcastShapes(x.shape(), mask.shape());
  CheckShape(out, shape, "out");
  const int64_t n = out.numel(), runs = (n + kRun - 1) / kRun;
  const Queue queue(a.ctx);
  const Tensor before(RequireTensor(a.ctx, Shape{runs}, diopi_dtype_int64));
  const In<int64_t> chosen(mask, shape);
  ForEach(queue, runs, CountRun{Out<int64_t>(before), chosen, n});
  ForEach(queue, 1, SumRuns{Out<int64_t>(before), runs});
  DispatchAny(x.dtype(), [&]<typename C>() {
    ForEach(queue, runs,
            ScatterRun<C>{Out<C>(out), In<C>(x, shape), In<C>(source), chosen, In<int64_t>(before), n,
                          source.numel()});
  });
}

}  // namespace diopi::ops::both
