// x with op(mat) x = b, where op is the transpose or nothing and mat's other triangle is not read, nor its
// diagonal where it is unit triangular. Backward: the gradient of b solves the transposed system for the
// gradient of x, and that of mat is the triangle of -grad_b x^T (transposed: of -x grad_b^T) plus the
// gradient of mat's clone.
#include "baselines/ops/linalg/matrices.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

struct Triangle {
  bool upper, transpose, unit;

  // Whether op(mat) is an upper triangular matrix, which is solved from the last row on.
  DIOPI_HD bool backwards() const { return upper != transpose; }
};

// Each solves one column of a right-hand side.
template <typename C>
struct SolveTriangle {
  Out<C> x;
  In<C> mat, b;
  Matrices s;
  Triangle triangle;
  int64_t columns;
  DIOPI_HD int64_t At(int64_t m, int64_t row, int64_t column) const {
    return (m * s.n + row) * columns + column;
  }
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t column = at % columns, m = at / columns;
    for (int64_t step = 0; step < s.n; ++step) {
      const int64_t i = triangle.backwards() ? s.n - 1 - step : step;
      Sum<C> rest;
      rest += b[At(m, i, column)];
      for (int64_t before = 0; before < step; ++before) {
        const int64_t k = triangle.backwards() ? s.n - 1 - before : before;
        rest += -(mat[s.At(m, i, k, triangle.transpose)] * x[At(m, k, column)]);
      }
      x.Set(At(m, i, column), triangle.unit ? rest.total() : rest.total() / mat[s.At(m, i, i)]);
    }
  }
};

template <typename C>
struct MatrixGradient {
  Out<C> out;
  In<C> x, grad_b, grad_clone;
  Matrices s;
  Triangle triangle;
  int64_t columns;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t j = at % s.n, i = at / s.n % s.n, m = at / s.n / s.n;
    const int64_t row = triangle.transpose ? j : i, column = triangle.transpose ? i : j;
    const bool inside = i == j ? !triangle.unit : (i < j) == triangle.upper;
    Sum<C> sum;
    for (int64_t k = 0; k < columns && inside; ++k) {
      sum += -(grad_b[(m * s.n + row) * columns + k] * x[(m * s.n + column) * columns + k]);
    }
    out.Set(at, sum.total() + grad_clone[at]);
  }
};

// `batch` before the last two sizes of the tensor.
Shape InBatch(Shape batch, const Tensor& tensor) {
  batch.insert(batch.end(), tensor.shape().end() - 2, tensor.shape().end());
  return batch;
}

}  // namespace

DIOPI_KERNEL(diopiTriangularSolve, a) {
  const Tensor out(a.out), clone(a.cloned_mat), b(a.b), mat(a.mat);
  const Shape batch = BroadcastShapes(BatchOf(b), BatchOf(mat));
  const Matrices s{Numel(batch), SquareMatrices(mat).n};
  const int64_t columns = b.size(-1);
  Check(b.size(-2) == s.n, "b has ", b.size(-2), " rows, the matrix ", s.n);
  CheckShape(out, InBatch(batch, b), "out");
  CheckShape(clone, InBatch(batch, mat), "cloned_mat");
  DispatchFloating(ResultType(out, {b, mat}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<C> matrices(mat, clone.shape());
    ForEach(queue, s.count * columns,
            SolveTriangle<C>{Out<C>(out), matrices, In<C>(b, out.shape()), s,
                             Triangle{a.upper, a.transpose, a.unitriangular}, columns});
    Map(queue, clone.numel(), Out<C>(clone), Same(), matrices);
  });
}

DIOPI_KERNEL(diopiTriangularSolveBackward, a) {
  const Tensor grad_b(a.grad_b), grad_mat(a.grad_mat), grad_x(a.grad_x), grad_clone(a.grad_cloned_mat),
      x(a.x), mat(a.mat);
  const Matrices s = SquareMatrices(mat);
  const int64_t columns = x.size(-1);
  CheckShape(x, InBatch(BatchOf(mat), x), "x");
  CheckShape(grad_x, x.shape(), "grad_x");
  CheckShape(grad_b, x.shape(), "grad_b");
  CheckShape(grad_mat, mat.shape(), "grad_mat");
  CheckShape(grad_clone, mat.shape(), "grad_cloned_mat");
  DispatchFloating(ResultType(grad_b, {grad_x, mat}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const Triangle triangle{a.upper, a.transpose, a.unitriangular};
    ForEach(queue, s.count * columns,
            SolveTriangle<C>{Out<C>(grad_b), In<C>(mat), In<C>(grad_x), s,
                             Triangle{a.upper, !a.transpose, a.unitriangular}, columns});
    ForEach(queue, s.numel(),
            MatrixGradient<C>{Out<C>(grad_mat), In<C>(x), In<C>(grad_b), In<C>(grad_clone), s, triangle,
                              columns});
  });
}

}  // namespace diopi::ops::both
