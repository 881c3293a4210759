// cdist: the p-norm distances between the rows of two batches of matrices, and their gradient for the first
// one.
#include "baselines/ops/both.h"
#include "baselines/ops/reduction/norm_formula.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

// `rows` of one matrix against `columns` rows of the other, all `length` long; the batches broadcast.
struct Pairs {
  Shape batch, x_shape, y_shape;
  int64_t rows = 0, columns = 0, length = 0;

  Pairs(const Tensor& x, const Tensor& y) {
    Check(x.rank() >= 2 && y.rank() >= 2, "inputs must have two dimensions at least");
    rows = x.size(-2);
    columns = y.size(-2);
    length = x.size(-1);
    Check(length == y.size(-1), "rows of ", length, " and of ", y.size(-1), " elements");
    batch = BroadcastShapes(Shape(x.shape().begin(), x.shape().end() - 2),
                            Shape(y.shape().begin(), y.shape().end() - 2));
    x_shape = With(rows, length);
    y_shape = With(columns, length);
  }
  Shape With(int64_t a, int64_t b) const {
    Shape shape = batch;
    shape.insert(shape.end(), {a, b});
    return shape;
  }
};

template <typename C>
struct Distance {
  Out<C> out;
  In<C> x, y;
  int64_t rows, columns, length;
  double p;
  bool by_product;

  DIOPI_HD C Greatest(int64_t from, int64_t to) const {
    C greatest = C(0);
    for (int64_t m = 0; m < length; ++m) {
      const C d = Magnitude(C(x[from + m] - y[to + m]));
      if (d > greatest || d != d) greatest = d;
    }
    return greatest;
  }
  // |x|^2 + |y|^2 - 2 x y, as a matrix product gives it.
  DIOPI_HD C ByProduct(int64_t from, int64_t to) const {
    using std::sqrt;
    Sum<C> x_squares, y_squares, all;
    for (int64_t m = 0; m < length; ++m) {
      x_squares += x[from + m] * x[from + m];
      y_squares += y[to + m] * y[to + m];
      all += C(-2) * x[from + m] * y[to + m];
    }
    all += x_squares.total();
    all += y_squares.total();
    const C square = all.total();
    return square < C(0) ? C(0) : C(sqrt(square));
  }
  DIOPI_HD C Direct(int64_t from, int64_t to) const {
    Sum<C> sum;
    for (int64_t m = 0; m < length; ++m) sum += NormTerm(C(x[from + m] - y[to + m]), p);
    return NormOfSum(sum.total(), p);
  }
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / columns;
    const int64_t from = row * length, to = (row / rows * columns + i % columns) * length;
    out.Set(i, InfinitePower(p) ? Greatest(from, to) : by_product ? ByProduct(from, to) : Direct(from, to));
  }
};

// The gradient that one pair of rows gives one element of the first; 0 where they coincide.
template <typename C>
DIOPI_HD C DistanceGrad(const C& difference, const C& grad, const C& distance, double p) {
  using std::pow;
  if (p == 0 || distance == C(0)) return C(0);
  if (InfinitePower(p)) return Magnitude(difference) == distance ? grad * Sign(difference) : C(0);
  if (p == 1) return grad * Sign(difference);
  if (p == 2) return grad * difference / distance;
  if (difference == C(0)) return C(0);
  const C own = p < 2 ? C(Sign(difference) * pow(Magnitude(difference), Rounded<C>(p - 1)))
                      : C(difference * pow(Magnitude(difference), Rounded<C>(p - 2)));
  return own * grad / pow(distance, Rounded<C>(p - 1));
}

template <typename C>
struct Spread {
  Out<C> out;
  In<C> grad, x, y, distance;
  int64_t rows, columns, length;
  double p;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / length, m = i % length;
    Sum<C> sum;
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t pair = row * columns + j;
      const C difference = x[i] - y[(row / rows * columns + j) * length + m];
      sum += DistanceGrad(difference, C(grad[pair]), C(distance[pair]), p);
    }
    out.Set(i, sum.total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiCdist, a) {
  const Tensor out(a.out), x(a.input1), y(a.input2);
  Check(a.p >= 0, "p must not be negative, got ", a.p);
  const Pairs pairs(x, y);
  CheckShape(out, pairs.With(pairs.rows, pairs.columns), "out");
  // PyTorch's modes: 0 (or none) uses the product for many rows, 1 always, 2 never.
  const int64_t mode = a.compute_mode == nullptr ? 0 : *a.compute_mode;
  Check(mode >= 0 && mode <= 2, "compute_mode must be 0, 1 or 2, got ", mode);
  const bool many = pairs.rows > 25 || pairs.columns > 25;
  const bool by_product = a.p == 2 && (mode == 1 || (mode == 0 && many));
  DispatchFloating(ResultType(out, {x, y}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            Distance<C>{Out<C>(out), In<C>(x, pairs.x_shape), In<C>(y, pairs.y_shape), pairs.rows,
                        pairs.columns, pairs.length, a.p, by_product});
  });
}

DIOPI_KERNEL(diopiCdistBackward, a) {
  const Tensor out(a.grad_input), grad(a.grad_output), x(a.input1), y(a.input2), distance(a.cdist);
  const Pairs pairs(x, y);
  const Shape shape = pairs.With(pairs.rows, pairs.columns);
  CheckShape(out, pairs.x_shape, "grad_input");
  CheckShape(grad, shape, "grad_output");
  CheckShape(distance, shape, "cdist");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            Spread<C>{Out<C>(out), In<C>(grad), In<C>(x), In<C>(y, pairs.y_shape), In<C>(distance),
                      pairs.rows, pairs.columns, pairs.length, a.p});
  });
}

}  // namespace diopi::ops::both
