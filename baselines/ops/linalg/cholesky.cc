// The triangular matrix L with mat = L L^T (upper: U with mat = U^T U, U = L^T), and the gradient of mat,
// which is symmetric as mat is:
//   (S + S^T) / 2 with S = L^-T P L^-1, where P is the lower triangle of L^T grad, its diagonal halved
#include <cmath>

#include "baselines/ops/linalg/matrices.h"

namespace diopi::ops::both {
namespace {

// Whole matrices. `info`: 0, or the number of rows of the first leading part that is not positive definite.
template <typename C>
struct Factorize {
  Out<C> out;
  Out<int64_t> info;
  In<C> mat;
  Matrices s;
  bool upper;
  DIOPI_HD void operator()(int64_t m) const {
    using std::sqrt;
    int64_t failed = 0;
    for (int64_t j = 0; j < s.n; ++j) {
      for (int64_t i = 0; i < j; ++i) out.Set(s.At(m, i, j, upper), C(0));
      for (int64_t i = j; i < s.n; ++i) {
        C rest = mat[s.At(m, i, j, upper)];
        for (int64_t k = 0; k < j; ++k) rest = rest - out[s.At(m, i, k, upper)] * out[s.At(m, j, k, upper)];
        if (i == j) {
          if (!(rest > C(0)) && failed == 0) failed = j + 1;
          out.Set(s.At(m, j, j), sqrt(rest));
        } else {
          out.Set(s.At(m, i, j, upper), rest / out[s.At(m, j, j)]);
        }
      }
    }
    info.Set(m, failed);
  }
};

// P, of which the upper triangle is 0.
template <typename C>
struct ProjectElement {
  Out<C> out;
  In<C> factor, grad;
  Matrices s;
  bool upper;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t j = at % s.n, i = at / s.n % s.n, m = at / s.n / s.n;
    C sum = C(0);
    for (int64_t k = i; k < s.n && i >= j; ++k) {
      sum = sum + factor[s.At(m, k, i, upper)] * grad[s.At(m, k, j, upper)];
    }
    out.Set(at, i == j ? sum * C(0.5) : sum);
  }
};

// L^-T x in place, one column each.
template <typename C>
struct SolveColumn {
  Out<C> x;
  In<C> factor;
  Matrices s;
  bool upper;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t column = at % s.n, m = at / s.n;
    for (int64_t i = s.n - 1; i >= 0; --i) {
      C rest = x[s.At(m, i, column)];
      for (int64_t k = i + 1; k < s.n; ++k)
        rest = rest - factor[s.At(m, k, i, upper)] * x[s.At(m, k, column)];
      x.Set(s.At(m, i, column), rest / factor[s.At(m, i, i)]);
    }
  }
};

// x L^-1 in place, one row each.
template <typename C>
struct SolveRow {
  Out<C> x;
  In<C> factor;
  Matrices s;
  bool upper;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t row = at % s.n, m = at / s.n;
    for (int64_t j = s.n - 1; j >= 0; --j) {
      C rest = x[s.At(m, row, j)];
      for (int64_t k = j + 1; k < s.n; ++k) rest = rest - x[s.At(m, row, k)] * factor[s.At(m, k, j, upper)];
      x.Set(s.At(m, row, j), rest / factor[s.At(m, j, j)]);
    }
  }
};

template <typename C>
struct Symmetric {
  Out<C> out;
  In<C> x;
  Matrices s;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t j = at % s.n, i = at / s.n % s.n, m = at / s.n / s.n;
    out.Set(at, (x[at] + x[s.At(m, j, i)]) * C(0.5));
  }
};

}  // namespace

// The host, which reads `info`, does what `checkerror` asks for.
DIOPI_KERNEL(diopiCholesky, a) {
  const Tensor out(a.out), info(a.info), mat(a.mat);
  const Matrices s = SquareMatrices(mat);
  CheckShape(out, mat.shape(), "out");
  CheckShape(info, BatchOf(mat), "info");
  DispatchFloating(ResultType(out, {mat}), [&]<typename C>() {
    ForEach(Queue(a.ctx), s.count, Factorize<C>{Out<C>(out), Out<int64_t>(info), In<C>(mat), s, a.upper});
  });
}

DIOPI_KERNEL(diopiCholeskyBackward, a) {
  const Tensor out(a.grad_mat), grad(a.grad_output), factor(a.L);
  const Matrices s = SquareMatrices(factor);
  CheckShape(out, factor.shape(), "grad_mat");
  CheckShape(grad, factor.shape(), "grad_output");
  const Tensor steps(RequireTensor(a.ctx, factor.shape(), out.dtype()));
  DispatchFloating(ResultType(out, {grad, factor}), [&]<typename C>() {
    const Queue queue(a.ctx);
    ForEach(queue, s.numel(), ProjectElement<C>{Out<C>(steps), In<C>(factor), In<C>(grad), s, a.upper});
    ForEach(queue, s.count * s.n, SolveColumn<C>{Out<C>(steps), In<C>(factor), s, a.upper});
    ForEach(queue, s.count * s.n, SolveRow<C>{Out<C>(steps), In<C>(factor), s, a.upper});
    ForEach(queue, s.numel(), Symmetric<C>{Out<C>(out), In<C>(steps), s});
  });
}

}  // namespace diopi::ops::both
