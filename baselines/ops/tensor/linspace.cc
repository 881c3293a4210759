// linspace: steps numbers from start to end. The second half is counted down from end, so that the last
// number is end itself.
#include <type_traits>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct LinspaceAt {
  Out<C> out;
  C start;
  C end;
  C step;
  int64_t steps;
  DIOPI_HD void operator()(int64_t i) const {
    out.Set(i, i < steps / 2 ? start + step * Exact<C>(i) : end - step * Exact<C>(steps - i - 1));
  }
};

}  // namespace

DIOPI_KERNEL(diopiLinspace, a) {
  const Tensor out(a.out);
  Check(a.steps >= 0, "the number of steps must not be negative, got ", a.steps);
  CheckShape(out, Shape{a.steps}, "out");
  DispatchNumeric(out.dtype(), [&]<typename C>() {
    // Integers are truncated from numbers in double.
    using Real = std::conditional_t<kIsInteger<C>, double, C>;
    const auto start = static_cast<Real>(ScalarAs<C>(a.start)), end = static_cast<Real>(ScalarAs<C>(a.end));
    // A single number is start.
    const Real step = a.steps > 1 ? (end - start) / Exact<Real>(a.steps - 1) : Exact<Real>(0);
    ForEach(Queue(a.ctx), a.steps,
            LinspaceAt<Real>{Out<Real>(out), start, a.steps > 1 ? end : start, step, a.steps});
  });
}

}  // namespace diopi::ops::both
