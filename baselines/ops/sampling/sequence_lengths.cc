// Lengths of sequences: plus_scalar, update_padding_count, length_criterion.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

struct AddTo {
  Out<int64_t> x;
  int64_t value;
  DIOPI_HD void operator()(int64_t i) const { x.Set(i, WrapAdd(x[i], value)); }
};

struct PaddingOf {
  int64_t longest;
  DIOPI_HD int64_t operator()(int64_t length) const { return WrapSub(longest, length); }
};

// One call for the whole batch, because the sequences are counted.
struct EndByLength {
  Out<int64_t> finished, should_stop, sum;
  In<int64_t> limits;
  int64_t batch, step;
  DIOPI_HD void operator()(int64_t) const {
    int64_t count = 0;
    for (int64_t b = 0; b < batch; ++b) {
      const bool ended = finished[b] != 0 || step >= limits[b];
      finished.Set(b, ended ? 1 : 0);
      count += ended ? 1 : 0;
    }
    sum.Set(0, count);
    should_stop.Set(0, count == batch ? 1 : 0);
  }
};

}  // namespace

DIOPI_KERNEL(diopiPlusScalarInp, a) {
  const Tensor x(a.inoutput);
  Check(x.rank() == 1, "inoutput must have one dimension, got shape ", ShapeText(x.shape()));
  Check(a.size >= 0 && a.size <= x.numel(), "size ", a.size, " exceeds shape ", ShapeText(x.shape()));
  ForEach(Queue(a.ctx), a.size, AddTo{Out<int64_t>(x), a.val});
}

DIOPI_KERNEL(diopiUpdatePaddingCount, a) {
  const Tensor out(a.total_padding_count), lengths(a.input_lengths);
  CheckShape(lengths, Shape{a.batch_size}, "input_lengths");
  MapTo<int64_t>(Queue(a.ctx), out, PaddingOf{a.max_input_length}, lengths);
}

DIOPI_KERNEL(diopiLengthCriterion, a) {
  const Tensor finished(a.finished), stop(a.should_stop), sum(a.finished_sum),
      limits(a.sequence_limit_length);
  CheckShape(finished, Shape{a.batch_size}, "finished");
  CheckShape(limits, Shape{a.batch_size}, "sequence_limit_length");
  Check(stop.numel() == 1 && sum.numel() == 1, "should_stop and finished_sum must have one element");
  ForEach(Queue(a.ctx), 1,
          EndByLength{Out<int64_t>(finished), Out<int64_t>(stop), Out<int64_t>(sum), In<int64_t>(limits),
                      a.batch_size, a.step});
}

}  // namespace diopi::ops::both
