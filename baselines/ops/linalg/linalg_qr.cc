// QR decompositions by Householder's reflections, with the signs of LAPACK: a reflection turns the rest of a
// column into a multiple of a unit vector, with the sign opposite to its first element's. Where there is
// nothing below that element, nothing is reflected.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "baselines/ops/linalg/matrices.h"

namespace diopi::ops::both {
namespace {

// The columns to which the reflections are applied: those of each matrix, then those of its Q.
struct Columns {
  int64_t count, rows, of_a, of_q;

  DIOPI_HD int64_t steps() const { return rows < of_a ? rows : of_a; }
  int64_t numel() const { return count * (of_a + of_q) * rows; }
  DIOPI_HD int64_t At(int64_t matrix, int64_t row, int64_t column) const {
    return (matrix * (of_a + of_q) + column) * rows + row;
  }
};

template <typename C>
struct FillColumns {
  Out<C> work;
  In<C> a;
  Columns s;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t row = at % s.rows, column = at / s.rows % (s.of_a + s.of_q);
    const int64_t matrix = at / s.rows / (s.of_a + s.of_q);
    const bool of_a = column < s.of_a;
    work.Set(at, of_a ? a[(matrix * s.rows + row) * s.of_a + column] : column - s.of_a == row ? C(1) : C(0));
  }
};

// Whole matrices. The reflection of column j is I - factor v v^T with v[j] = 1 and the rest of v below the
// diagonal.
template <typename C>
struct Decompose {
  Out<C> work, factors;
  Columns s;

  DIOPI_HD void operator()(int64_t matrix) const {
    for (int64_t j = 0; j < s.steps(); ++j) {
      factors.Set(matrix * s.steps() + j, MakeReflection(matrix, j));
      for (int64_t column = j + 1; column < s.of_a; ++column) Reflect(matrix, j, column);
    }
    for (int64_t j = s.steps() - 1; j >= 0; --j) {
      for (int64_t column = j; column < s.of_q; ++column) Reflect(matrix, j, s.of_a + column);
    }
  }

 private:
  DIOPI_HD C MakeReflection(int64_t matrix, int64_t j) const {
    using std::sqrt;
    C squares = C(0);
    for (int64_t i = j + 1; i < s.rows; ++i) {
      const C x = work[s.At(matrix, i, j)];
      squares = squares + x * x;
    }
    if (squares == C(0)) return C(0);
    const C first = work[s.At(matrix, j, j)];
    const C norm = sqrt(first * first + squares);
    const C result = first < C(0) ? norm : -norm;
    for (int64_t i = j + 1; i < s.rows; ++i) {
      work.Set(s.At(matrix, i, j), work[s.At(matrix, i, j)] / (first - result));
    }
    work.Set(s.At(matrix, j, j), result);
    return (result - first) / result;
  }

  // A reflection gathers a column in its element j, and with it the errors that the column's elements have in
  // common: those of an earlier reflection's `product`. At most, as a row of a reflection has the norm 1,
  // they make the sum of the column's variances; a quarter of that lets gate P accept errors of four times
  // its root.
  DIOPI_HD C Gathered(const C& head, int64_t matrix, int64_t j, int64_t column) const {
    if constexpr (kIsNoise<C>) {
      auto variance = head.s2;
      for (int64_t i = j; i < s.rows; ++i) variance += work[s.At(matrix, i, column)].s2 / 4;
      return C::Clean(head.v, variance);
    }
    return head;
  }

  DIOPI_HD void Reflect(int64_t matrix, int64_t j, int64_t column) const {
    const C factor = factors[matrix * s.steps() + j];
    if (factor == C(0)) return;
    C product = work[s.At(matrix, j, column)];
    for (int64_t i = j + 1; i < s.rows; ++i) {
      product = product + work[s.At(matrix, i, j)] * work[s.At(matrix, i, column)];
    }
    product = factor * product;
    const C head = work[s.At(matrix, j, column)] - product;
    work.Set(s.At(matrix, j, column), Gathered(head, matrix, j, column));
    for (int64_t i = j + 1; i < s.rows; ++i) {
      work.Set(s.At(matrix, i, column), work[s.At(matrix, i, column)] - work[s.At(matrix, i, j)] * product);
    }
  }
};

// The first rows of some columns, from `first` on; of an upper triangle, zeros below it.
template <typename C>
struct TakeColumns {
  Out<C> out, work;
  Columns s;
  int64_t rows, columns, first;
  bool upper;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t column = at % columns, row = at / columns % rows, matrix = at / columns / rows;
    out.Set(at, upper && row > column ? C(0) : work[s.At(matrix, row, first + column)]);
  }
};

}  // namespace

DIOPI_KERNEL(diopiLinalgQR, a) {
  const Tensor matrices(a.A), q(a.Q), r(a.R);
  const std::string_view mode(a.mode);
  Check(mode == "reduced" || mode == "complete" || mode == "r", "expected mode reduced, complete or r, got '",
        mode, "'");
  const Shape batch = BatchOf(matrices);
  const int64_t m = matrices.size(-2), n = matrices.size(-1);
  const int64_t k = mode == "complete" ? m : std::min(m, n);  // columns of Q, rows of R
  const auto shaped = [&batch](int64_t rows, int64_t columns) {
    Shape shape = batch;
    shape.insert(shape.end(), {rows, columns});
    return shape;
  };
  CheckShape(q, mode == "r" ? Shape{0} : shaped(m, k), "Q");
  CheckShape(r, shaped(k, n), "R");
  const Columns s{Numel(batch), m, n, mode == "r" ? 0 : k};
  const Tensor columns(RequireTensor(a.ctx, {s.numel()}, r.dtype()));
  const Tensor reflections(RequireTensor(a.ctx, {s.count * s.steps()}, r.dtype()));
  DispatchFloating(ResultType(r, {matrices}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const Out<C> work(columns);
    ForEach(queue, s.numel(), FillColumns<C>{work, In<C>(matrices), s});
    ForEach(queue, s.count, Decompose<C>{work, Out<C>(reflections), s});
    ForEach(queue, q.numel(), TakeColumns<C>{Out<C>(q), work, s, m, k, n, false});
    ForEach(queue, r.numel(), TakeColumns<C>{Out<C>(r), work, s, k, n, 0, true});
  });
}

}  // namespace diopi::ops::both
