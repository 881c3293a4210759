// The p-norm over dimensions (none given: all), and its gradient. p 0 counts what is not zero, +-inf is the
// largest and smallest magnitude.
#include "baselines/ops/reduction/vector_norm_cuda.h"
#include "baselines/ops/support/cuda/for_each.h"

namespace diopi::ops::cuda {
namespace {

// How many elements have the norm's magnitude.
template <typename C>
struct CountExtremes {
  using State = int64_t;
  In<C> x, norms;
  int64_t* counts;
  int64_t length;
  DIOPI_HD State Empty() const { return 0; }
  DIOPI_HD State Load(int64_t row, int64_t j) const {
    return IsExtreme(x[row * length + j], norms[row]) ? 1 : 0;
  }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State count) const { counts[row] = count; }
};

template <typename C>
struct NormGradient {
  Out<C> dx;
  In<C> x, grads, norms;
  const int64_t* extremes;  // null for a finite p
  int64_t length;
  double p;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / length;
    const C norm = norms[row];
    if (FlatNorm(norm, p)) {
      dx.Set(i, C(0));
    } else {
      const int64_t count = extremes != nullptr ? extremes[row] : 0;
      dx.Set(i, OwnFactor(x[i], norm, p) * SharedFactor(norm, grads[row], p, count));
    }
  }
};

void NormBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& grad, const Tensor& x,
                  const Tensor& norms, const Shape& dims, const diopiScalar_t* p) {
  const RowView rows = RowsOf(x, dims);
  CheckShape(dx, x.shape(), "grad_input");
  CheckReduced(norms, rows);
  CheckReduced(grad, rows);
  const double power = ScalarAsDouble(p);
  DispatchFloating(ResultType(dx, {grad, x, norms}), [&]<typename C>() {
    const Queue queue(ctx);
    const In<C> in(x, rows), norm(norms);
    int64_t* extremes = nullptr;
    if (InfinitePower(power)) {
      extremes = queue.Buffer<int64_t>(rows.count);
      ReduceRows(queue, rows.count, rows.length, CountExtremes<C>{in, norm, extremes, rows.length},
                 OrderOf(rows));
    }
    ForEach(
        queue, x.numel(),
        NormGradient<C>{Out<C>(dx, RowsOf(dx, dims)), in, In<C>(grad), norm, extremes, rows.length, power});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiNorm, a) {
  using namespace diopi::ops;
  cuda::VectorNorm(cuda::Queue(a.ctx), a.out, a.input, a.p, Sizes(a.dim));
}

DIOPI_KERNEL(diopiNormBackward, a) {
  using namespace diopi::ops;
  cuda::NormBackward(a.ctx, a.grad_input, a.grad_output, a.self, a.norm, Sizes(a.dim), a.p);
}
