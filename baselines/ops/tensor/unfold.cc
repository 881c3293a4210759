#include <algorithm>

#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

struct Windows {
  int64_t inner = 1, length = 1, count = 1, size = 1, step = 1;

  Windows(const Tensor& input, int64_t dim, int64_t window, int64_t stride) : size(window), step(stride) {
    const auto rank = std::max<int64_t>(1, static_cast<int64_t>(input.shape().size()));  // a number has one
    if (dim < 0) dim += rank;
    Check(dim >= 0 && dim < rank && stride > 0, "no dimension ", dim, " or no step");
    for (int64_t i = dim + 1; i < rank; ++i) inner *= input.shape()[static_cast<size_t>(i)];
    if (!input.shape().empty()) length = input.shape()[static_cast<size_t>(dim)];
    Check(window >= 0 && window <= length, "a window of ", window, " of ", length);
    count = (length - window) / stride + 1;
  }
  // The shape of all windows of `whole` together.
  Shape Unfolded(const Tensor& whole, int64_t dim) const {
    Shape shape = whole.shape();
    if (!shape.empty()) shape[static_cast<size_t>(WrapDim(dim, whole.rank()))] = count;
    shape.push_back(size);
    return shape;
  }
};

template <typename C>
struct Gather {
  Out<C> out;
  In<C> x;
  Windows w;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t k = i % w.size, rest = i / w.size, inner = rest % w.inner, outer = rest / w.inner / w.count;
    out.Set(i, x[(outer * w.length + rest / w.inner % w.count * w.step + k) * w.inner + inner]);
  }
};

template <typename C>
struct Spread {
  Out<C> out;
  In<C> grad;
  Windows w;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t inner = i % w.inner, at = i / w.inner % w.length, outer = i / w.inner / w.length;
    Sum<C> sum;
    for (int64_t n = 0; n < w.count; ++n) {
      const int64_t k = at - n * w.step;
      if (k >= 0 && k < w.size) sum += grad[((outer * w.count + n) * w.inner + inner) * w.size + k];
    }
    out.Set(i, sum.total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiUnfold, a) {
  const Tensor out(a.out), x(a.input);
  const Windows windows(x, a.dim, a.size, a.step);
  CheckShape(out, windows.Unfolded(x, a.dim), "out");
  DispatchAny(x.dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), Gather<C>{Out<C>(out), In<C>(x), windows});
  });
}

DIOPI_KERNEL(diopiUnfoldBackward, a) {
  const Tensor out(a.grad_input), grad(a.grad_output);
  const Windows windows(out, a.dim, a.size, a.step);
  CheckShape(grad, windows.Unfolded(out, a.dim), "grad_output");
  DispatchFloating(grad.dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), Spread<C>{Out<C>(out), In<C>(grad), windows});
  });
}

}  // namespace diopi::ops::both
