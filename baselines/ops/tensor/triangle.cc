// tril and triu: what lies below or above a diagonal of each matrix, and zeros.
#include "baselines/ops/tensor/moving.h"

namespace diopi::ops::both {
namespace {

struct Triangle {
  int64_t rows;
  int64_t columns;
  int64_t diagonal;
  bool upper;
  DIOPI_HD int64_t operator()(int64_t i) const {
    const int64_t beyond = i % columns - i / columns % rows - diagonal;
    return (upper ? beyond >= 0 : beyond <= 0) ? i : -1;
  }
};

template <bool kUpper, typename Args>
void KeepTriangle(const Args& a) {
  const Tensor out(OutOf(a)), x(a.input);
  Check(x.rank() >= 2, "a tensor of at least 2 dimensions is needed, got shape ", ShapeText(x.shape()));
  CheckShape(out, x.shape(), "out");
  Move(a.ctx, out, x, Triangle{x.size(-2), x.size(-1), a.diagonal, kUpper});
}

}  // namespace

DIOPI_KERNEL(diopiTril, a) {
  KeepTriangle<false>(a);
}
DIOPI_FORMS(KeepTriangle<true>, diopiTriu, diopiTriuInp)

}  // namespace diopi::ops::both
