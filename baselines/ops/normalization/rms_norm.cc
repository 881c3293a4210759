// x / sqrt(mean(x^2) + eps) * weight + bias over the last dimensions, with the root mean square of each row.
#include "baselines/ops/both.h"
#include "baselines/ops/normalization/normalization_common.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct RmsRow {
  Out<C> out, inv_rms;
  In<C> x, weight, bias;
  int64_t width;
  double eps;
  DIOPI_HD void operator()(int64_t row) const {
    Sum<C> squares;
    for (int64_t i = row * width; i < (row + 1) * width; ++i) squares += x[i] * x[i];
    const C inverse = InverseStd(squares.total() / C(width), eps);
    inv_rms.Set(row, inverse);
    for (int64_t j = 0; j < width; ++j)
      out.Set(row * width + j, weight[j] * (x[row * width + j] * inverse) + bias[j]);
  }
};

template <typename C>
struct RmsInputs {
  In<C> grad, x, weight, inv_rms;
  int64_t rows, width;

  DIOPI_HD C Normalized(int64_t row, int64_t j) const { return x[row * width + j] * inv_rms[row]; }
  DIOPI_HD C Scaled(int64_t row, int64_t j) const { return weight[j] * grad[row * width + j]; }
};

template <typename C>
struct RmsRowGradient {
  Out<C> out;
  RmsInputs<C> in;
  DIOPI_HD void operator()(int64_t row) const {
    Sum<C> projected;
    for (int64_t j = 0; j < in.width; ++j) projected += in.Scaled(row, j) * in.Normalized(row, j);
    const C width = C(in.width), projection = projected.total();
    for (int64_t j = 0; j < in.width; ++j) {
      const C centred = width * in.Scaled(row, j) - in.Normalized(row, j) * projection;
      out.Set(row * in.width + j, centred * (in.inv_rms[row] / width));
    }
  }
};

template <typename C>
struct RmsColumnGradients {
  Out<C> weight, bias;
  RmsInputs<C> in;
  bool with_weight, with_bias;
  DIOPI_HD void operator()(int64_t j) const {
    Sum<C> of_weight, of_bias;
    for (int64_t row = 0; row < in.rows; ++row) {
      const C g = in.grad[row * in.width + j];
      of_weight += g * in.Normalized(row, j);
      of_bias += g;
    }
    if (with_weight) weight.Set(j, of_weight.total());
    if (with_bias) bias.Set(j, of_bias.total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiRMSNorm, a) {
  const Tensor out(a.out), inv_rms(a.inv_rms), x(a.input), w(a.weight), b(a.bias);
  const Shape normalized = Sizes(a.normalized_shape);
  const RowShape r = PlanLayerNorm(out, inv_rms, inv_rms, x, w, b, normalized);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), r.rows,
            RmsRow<C>{Out<C>(out), Out<C>(inv_rms), In<C>(x), w ? In<C>(w) : In<C>::Constant(C(1)),
                      b ? In<C>(b) : In<C>::Constant(C(0)), r.width, a.eps});
  });
}

DIOPI_KERNEL(diopiRMSNormBackward, a) {
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight), inv_rms(a.inv_rms);
  const RowShape r =
      PlanLayerNormBackward(dx, dw, db, grad, x, w, inv_rms, inv_rms, Sizes(a.normalized_shape));
  DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const RmsInputs<C> in{In<C>(grad),    In<C>(x), w ? In<C>(w) : In<C>::Constant(C(1)),
                          In<C>(inv_rms), r.rows,   r.width};
    if (dx) ForEach(queue, r.rows, RmsRowGradient<C>{Out<C>(dx), in});
    if (!dw && !db) return;
    ForEach(queue, r.width,
            RmsColumnGradients<C>{dw ? Out<C>(dw) : Out<C>(), db ? Out<C>(db) : Out<C>(), in,
                                  static_cast<bool>(dw), static_cast<bool>(db)});
  });
}

}  // namespace diopi::ops::both
