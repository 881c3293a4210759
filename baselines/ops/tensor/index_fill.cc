// index_fill: the slices along dim that an index names become one value.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct FillNamed {
  Out<C> out;
  In<C> x;
  In<int64_t> index;
  In<C> value;
  Axis axis;
  int64_t count;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t at = i / axis.inner % axis.size;
    for (int64_t k = 0; k < count; ++k) {
      const int64_t named = index[k];
      if (named == at || named + axis.size == at) return out.Set(i, value[0]);
    }
    out.Set(i, x[i]);
  }
};

template <typename Args>
void IndexFill(const Args& a) {
  const Tensor out(OutOf(a)), x(a.input), index(a.index);
  const Operand value(a.value);
  Check(index.rank() <= 1, "index must be a vector, got shape ", ShapeText(index.shape()));
  Check(value.shape().empty(), "value must be a 0-dimensional tensor, got shape ", ShapeText(value.shape()));
  CheckShape(out, x.shape(), "out");
  const Axis axis = SplitAxis(x.shape(), WrapDim(a.dim, x.rank()));
  DispatchAny(x.dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            FillNamed<C>{Out<C>(out), In<C>(x), In<int64_t>(index), OperandAt<C>(value, Shape{1}), axis,
                         index.numel()});
  });
}

}  // namespace

DIOPI_FORMS(IndexFill, diopiIndexFill, diopiIndexFillInp, diopiIndexFillScalar, diopiIndexFillInpScalar)

}  // namespace diopi::ops::both
