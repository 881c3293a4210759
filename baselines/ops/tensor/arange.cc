// arange: start + i * step for as many elements as out has.
#include <cmath>
#include <type_traits>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

// The number of elements from `start` up to, without, `end`. Fail when the step does not lead there.
int64_t ArangeLength(const diopiArangeArgs& a) {
  const double from = ScalarAsDouble(a.start), to = ScalarAsDouble(a.end), by = ScalarAsDouble(a.step);
  Check(by != 0 && (by > 0 ? from <= to : from >= to), "step ", by, " does not lead from ", from, " to ", to);
  return static_cast<int64_t>(std::ceil((to - from) / by));
}

template <typename C>
struct ArangeAt {
  Out<C> out;
  C first;
  C step;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, WrapAdd(first, WrapMul(step, Exact<C>(i)))); }
};

}  // namespace

DIOPI_KERNEL(diopiArange, a) {
  const Tensor out(a.out);
  CheckShape(out, Shape{ArangeLength(a)}, "out");
  DispatchNumeric(out.dtype(), [&]<typename C>() {
    // PyTorch's accumulate type on the CPU: float32 and narrower types are computed in double.
    using Wide = std::conditional_t<std::is_same_v<C, float>, double, C>;
    ForEach(Queue(a.ctx), out.numel(),
            ArangeAt<Wide>{Out<Wide>(out), ScalarAs<Wide>(a.start), ScalarAs<Wide>(a.step)});
  });
}

}  // namespace diopi::ops::both
