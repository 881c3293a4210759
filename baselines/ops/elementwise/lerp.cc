// out = input + weight * (end - input), in the form that is exact at both ends: from `end` back where the
// weight is a half or more.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

struct Between {
  template <typename C>
  DIOPI_HD C operator()(const C& start, const C& end, const C& weight) const {
    const C distance = end - start;
    if (weight < C(0.5)) return start + weight * distance;
    return end - distance * (C(1) - weight);
  }
};

template <typename Args>
void Lerp(const Args& a) {
  const Tensor out(a.out), start(a.input), end(a.end);
  const Operand weight(a.weight);
  const Shape shape = BroadcastShapes(BroadcastShapes(start.shape(), end.shape()), weight.shape());
  CheckShape(out, shape, "out");
  DispatchFloating(ResultType(out, {start, end}), [&]<typename C>() {
    Map(Queue(a.ctx), out.numel(), Out<C>(out), Between(), In<C>(start, shape), In<C>(end, shape),
        OperandAt<C>(weight, shape));
  });
}

}  // namespace

DIOPI_FORMS(Lerp, diopiLerpTensor, diopiLerpScalar)

}  // namespace diopi::ops::both
