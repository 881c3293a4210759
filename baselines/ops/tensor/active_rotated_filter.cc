// Filters turned by permuting their entries, one for each rotation, and the gradient of the filter.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

// Where each entry of a filter goes.
struct Turned {
  In<int64_t> indices;  // counted from 1
  int64_t planes, entries, rotations;

  // In the turned filters, of entry i of the filters; -1 for an index outside the entries.
  DIOPI_HD int64_t operator()(int64_t i, int64_t rotation) const {
    const int64_t entry = i % entries, plane = i / entries % planes, filter = i / entries / planes;
    const int64_t index = indices[entry * rotations + rotation];
    if (index < 1 || index > entries) return -1;
    return ((filter * rotations + rotation) * planes + plane) * entries + index - 1;
  }
};

template <typename C>
struct TurnFilters {
  Out<C> out;
  In<C> in;
  Turned turned;
  DIOPI_HD void operator()(int64_t i) const {
    for (int64_t k = 0; k < turned.rotations; ++k) {
      const int64_t at = turned(i, k);
      if (at >= 0) out.Set(at, in[i]);
    }
  }
};

template <typename C>
struct TurnBack {
  Out<C> out;
  In<C> grad;
  Turned turned;
  DIOPI_HD void operator()(int64_t i) const {
    Sum<C> sum;
    for (int64_t k = 0; k < turned.rotations; ++k) {
      const int64_t at = turned(i, k);
      if (at >= 0) sum += grad[at];
    }
    out.Set(i, sum.total());
  }
};

Turned TurnedBy(const Tensor& filter, const Tensor& output, const Tensor& indices) {
  Check(filter.rank() == 5 && indices.rank() == 4, "expected filters of 5 and indices of 4 dimensions, got ",
        ShapeText(filter.shape()), " and ", ShapeText(indices.shape()));
  const int64_t rotations = indices.size(3);
  CheckShape(indices, {filter.size(2), filter.size(3), filter.size(4), rotations}, "indices");
  CheckShape(output,
             {filter.size(0) * rotations, filter.size(1) * filter.size(2), filter.size(3), filter.size(4)},
             "the turned filters");
  return {In<int64_t>(indices), filter.size(1), filter.size(2) * filter.size(3) * filter.size(4), rotations};
}

}  // namespace

DIOPI_KERNEL(diopiActiveRotatedFilterMmcv, a) {
  const Tensor out(a.output), filter(a.input);
  const Turned turned = TurnedBy(filter, out, Tensor(a.indices));
  DispatchFloating(ResultType(out, {filter}), [&]<typename C>() {
    ForEach(Queue(a.ctx), filter.numel(), TurnFilters<C>{Out<C>(out), In<C>(filter), turned});
  });
}

DIOPI_KERNEL(diopiActiveRotatedFilterBackwardMmcv, a) {
  const Tensor out(a.grad_in), grad(a.grad_out);
  const Turned turned = TurnedBy(out, grad, Tensor(a.indices));
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), TurnBack<C>{Out<C>(out), In<C>(grad), turned});
  });
}

}  // namespace diopi::ops::both
