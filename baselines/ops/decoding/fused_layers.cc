// The other layers of lmdeploy's decoder: root mean square norms, and the feed-forward network.
#include "baselines/ops/decoding/attention.h"

namespace diopi::ops::both {
namespace {

// x / sqrt(mean(x^2) + eps) * scale for each row, after the residual and the bias were added.
template <typename C>
struct FusedRmsRow {
  Out<C> x, residual;
  In<C> bias, scale;
  int64_t length;
  bool adds;
  double eps;

  DIOPI_HD C At(int64_t i, int64_t column) const { return adds ? residual[i] + x[i] + bias[column] : x[i]; }
  DIOPI_HD void operator()(int64_t row) const {
    using std::sqrt;
    Sum<C> squares;
    for (int64_t j = 0; j < length; ++j) squares += At(row * length + j, j) * At(row * length + j, j);
    const C root = sqrt(squares.total() / C(static_cast<double>(length)) + Rounded<C>(eps));
    for (int64_t j = 0; j < length; ++j) {
      const int64_t i = row * length + j;
      const C sum = At(i, j);
      if (adds) residual.Set(i, sum);
      x.Set(i, sum / root * scale[j]);
    }
  }
};

template <typename C>
struct GateRow {
  Out<C> x;
  In<C> gate, up;
  int64_t hidden, inter;
  diopiDtype_t stored;
  Scratch<C> gated;
  DIOPI_HD void operator()(int64_t at) const {
    using std::exp;
    const int64_t row = at / inter, column = at % inter;
    Sum<C> first, second;
    for (int64_t h = 0; h < hidden; ++h) {
      first += x[row * hidden + h] * gate[h * inter + column];
      second += x[row * hidden + h] * up[h * inter + column];
    }
    const C g = MayRound(first.total(), stored);
    const C silu = MayRound(g / (C(1) + exp(-g)), stored);
    gated[at] = MayRound(silu * MayRound(second.total(), stored), stored);
  }
};

template <typename C>
struct DownRow {
  Out<C> x;
  In<C> down;
  int64_t hidden, inter;
  Scratch<C> gated;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t row = at / hidden, column = at % hidden;
    Sum<C> sum;
    for (int64_t i = 0; i < inter; ++i) sum += gated[row * inter + i] * down[i * hidden + column];
    x.Set(at, sum.total());
  }
};

void FusedRmsNorm(diopiContextHandle_t ctx, const Tensor& x, const Tensor& residual, const Tensor& bias,
                  const Tensor& scale, double eps) {
  const int64_t length = x.size(-1);
  CheckShape(scale, {length}, "scale");
  if (residual) CheckShape(residual, x.shape(), "residual");
  DispatchFloating(ResultType(x, {x, scale}), [&]<typename C>() {
    const Out<C> values(x), sums = residual ? Out<C>(residual) : values;
    ForEach(Queue(ctx), x.numel() / (length > 0 ? length : 1),
            FusedRmsRow<C>{values, sums, bias ? In<C>(bias, Shape{length}) : In<C>::Constant(C(0)),
                           In<C>(scale), length, static_cast<bool>(residual), eps});
  });
}

}  // namespace

DIOPI_KERNEL(diopiRootMeanSquareNormInp, a) {
  FusedRmsNorm(a.ctx, Tensor(a.inoutput), Tensor(), Tensor(), Tensor(a.scale), a.eps);
}

DIOPI_KERNEL(diopiFusedAddRootMeanSquareNormInp, a) {
  FusedRmsNorm(a.ctx, Tensor(a.inoutput), Tensor(a.residual), Tensor(a.bias), Tensor(a.scale), a.eps);
}

// (silu(x weight1) * (x weight3)) weight2
DIOPI_KERNEL(diopiFusedSiluFfnInp, a) {
  if (*a.workspace_size < 0) {
    *a.workspace_size = 0;
    return;
  }
  const Tensor x(a.inoutput), gate(a.weight1), down(a.weight2), up(a.weight3);
  const int64_t rows = x.size(0), hidden = x.size(1), inter = gate.size(1);
  CheckShape(gate, {hidden, inter}, "weight1");
  CheckShape(up, {hidden, inter}, "weight3");
  CheckShape(down, {inter, hidden}, "weight2");
  DispatchFloating(ResultType(x, {x, gate}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const Out<C> values(x);
    const Scratch<C> gated(queue, rows * inter);
    ForEach(queue, rows * inter,
            GateRow<C>{values, In<C>(gate), In<C>(up), hidden, inter, Tensor(a.workspace).dtype(), gated});
    ForEach(queue, rows * hidden, DownRow<C>{values, In<C>(down), hidden, inter, gated});
  });
}

}  // namespace diopi::ops::both
