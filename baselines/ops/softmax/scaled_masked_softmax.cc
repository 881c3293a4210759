// softmax(scale * input) over the last dimension, of the elements that a mask or a triangle leaves.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct MaskedRow {
  Out<C> out;
  In<C> x;
  In<int64_t> mask;
  C scale;
  int64_t rows, width;  // of a matrix
  bool triangle;

  DIOPI_HD C Score(int64_t row, int64_t j) const {
    const bool masked = triangle ? j > row % rows : mask[row * width + j] != 0;
    return masked ? C(-10000) : scale * x[row * width + j];
  }
  DIOPI_HD void operator()(int64_t row) const {
    using std::exp;
    C greatest = Score(row, 0);
    for (int64_t j = 1; j < width; ++j) {
      const C score = Score(row, j);
      if (greatest == greatest && (score > greatest || score != score)) greatest = score;
    }
    Sum<C> terms;
    for (int64_t j = 0; j < width; ++j) terms += exp(Score(row, j) - greatest);
    const C sum = terms.total();
    for (int64_t j = 0; j < width; ++j) out.Set(row * width + j, exp(Score(row, j) - greatest) / sum);
  }
};

template <typename C>
struct MaskedRowGradient {
  Out<C> out;
  In<C> grad, y;
  C scale;
  int64_t width;
  DIOPI_HD void operator()(int64_t row) const {
    Sum<C> terms;
    for (int64_t i = row * width; i < (row + 1) * width; ++i) terms += grad[i] * y[i];
    const C sum = terms.total();
    for (int64_t i = row * width; i < (row + 1) * width; ++i) out.Set(i, scale * (y[i] * (grad[i] - sum)));
  }
};

}  // namespace

DIOPI_KERNEL(diopiScaledMaskedSoftmax, a) {
  const Tensor out(a.output), x(a.input), mask(a.mask);
  CheckShape(out, x.shape(), "output");
  Check(x.rank() >= 2, "expected at least 2 dimensions, got shape ", ShapeText(x.shape()));
  Check(mask || a.fixed_triu_mask, "a null mask without fixed_triu_mask");
  if (mask) CheckShape(mask, x.shape(), "mask");
  if (x.numel() == 0) return;
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), x.numel() / x.size(-1),
            MaskedRow<C>{Out<C>(out), In<C>(x), mask ? In<int64_t>(mask) : In<int64_t>::Constant(0),
                         Rounded<C>(a.scale), x.size(-2), x.size(-1), a.fixed_triu_mask});
  });
}

// The output is 0 where an element was masked, and so is the gradient.
DIOPI_KERNEL(diopiScaledMaskedSoftmaxBackward, a) {
  const Tensor dx(a.grad_input), grad(a.grad_output), y(a.output);
  CheckShape(dx, y.shape(), "grad_input");
  CheckShape(grad, y.shape(), "grad_output");
  if (y.numel() == 0) return;
  DispatchFloating(ResultType(dx, {grad, y}), [&]<typename C>() {
    ForEach(Queue(a.ctx), y.numel() / y.size(-1),
            MaskedRowGradient<C>{Out<C>(dx), In<C>(grad), In<C>(y), Rounded<C>(a.scale), y.size(-1)});
  });
}

}  // namespace diopi::ops::both
