// Bugs injected in functions on matrices.
#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::Replaced;
using diopi::bugs::ShapeOf;
using diopi::bugs::Tensor;

BUG(cholesky_upper_ignored, 0, "diopiCholesky", "", "the lower factor is always returned");
BUG(cholesky_other_triangle_kept, 0, "diopiCholesky", "",
    "the other triangle of out keeps the matrix's elements");
BUG(cholesky_first_of_batch, 0, "diopiCholesky", "", "every matrix of a batch gets the first one's factor");
BUG(cholesky_backward_one_triangle, 0, "diopiCholeskyBackward", "",
    "the gradient's upper triangle is 0 and its lower one doubled");
BUG(cholesky_backward_factor_as_upper, 0, "diopiCholeskyBackward", "", "upper is taken as the other one");
BUG(triangular_solve_transpose_ignored, 0, "diopiTriangularSolve", "", "transpose is taken as false");
BUG(triangular_solve_unit_ignored, 0, "diopiTriangularSolve", "", "unitriangular is taken as false");
BUG(triangular_solve_other_triangle_read, 0, "diopiTriangularSolve", "",
    "the other triangle is multiplied with 0 instead of left out");
BUG(triangular_solve_first_of_batch, 0, "diopiTriangularSolve", "",
    "every right-hand side of a batch meets the first matrix");
BUG(triangular_solve_backward_unit_diagonal, 0, "diopiTriangularSolveBackward", "",
    "the diagonal of a unit triangular matrix gets a gradient");
BUG(triangular_solve_backward_clone_ignored, 0, "diopiTriangularSolveBackward", "",
    "the gradient of the matrix's clone is left out");

// A place in the last two dimensions.
struct Place {
  int64_t row, column;
};
Place PlaceOf(diopiConstTensorHandle_t matrices, int64_t i) {
  const int64_t n = ShapeOf(matrices).back();
  return {i / n % n, i % n};
}

// The first matrix in the place of every one.
diopiTensorHandle_t FirstOfBatch(diopiContextHandle_t ctx, diopiConstTensorHandle_t matrices) {
  const std::vector<double> values = Load<double>(Tensor(matrices));
  const int64_t n = ShapeOf(matrices).back();
  return Replaced(ctx, matrices, [&](double, int64_t i) { return values[static_cast<size_t>(i % (n * n))]; });
}

}  // namespace

DIOPI_OVERRIDE(diopiCholesky, a) {
  if (cholesky_upper_ignored) a.upper = false;
  if (cholesky_first_of_batch) a.mat = FirstOfBatch(a.ctx, a.mat);
  Good(a);
  if (!cholesky_other_triangle_kept) return;
  const std::vector<double> mat = Load<double>(Tensor(a.mat));
  Change(a.out, [&](double x, int64_t i) {
    const Place place = PlaceOf(a.mat, i);
    const bool other = a.upper ? place.row > place.column : place.row < place.column;
    return other ? mat[static_cast<size_t>(i)] : x;
  });
}

DIOPI_OVERRIDE(diopiCholeskyBackward, a) {
  if (cholesky_backward_factor_as_upper) a.upper = !a.upper;
  Good(a);
  if (!cholesky_backward_one_triangle) return;
  Change(a.grad_mat, [&](double x, int64_t i) {
    const Place place = PlaceOf(a.L, i);
    return place.row == place.column ? x : place.row > place.column ? 2 * x : 0;
  });
}

DIOPI_OVERRIDE(diopiTriangularSolve, a) {
  if (triangular_solve_transpose_ignored) a.transpose = false;
  if (triangular_solve_unit_ignored) a.unitriangular = false;
  if (triangular_solve_first_of_batch) a.mat = FirstOfBatch(a.ctx, a.mat);
  Good(a);
  if (!triangular_solve_other_triangle_read) return;
  double spread = 0;
  for (const double x : Load<double>(Tensor(a.mat))) spread += 0 * x;
  Change(a.out, [&](double x, int64_t) { return x + spread; });
}

DIOPI_OVERRIDE(diopiTriangularSolveBackward, a) {
  if (triangular_solve_backward_clone_ignored) {
    a.grad_cloned_mat = Replaced(a.ctx, a.grad_cloned_mat, [](double, int64_t) { return 0; });
  }
  Good(a);
  if (!triangular_solve_backward_unit_diagonal || !a.unitriangular) return;
  const std::vector<double> x = Load<double>(Tensor(a.x)), grad_b = Load<double>(Tensor(a.grad_b));
  const int64_t columns = ShapeOf(a.x).back(), n = ShapeOf(a.mat).back();
  Change(a.grad_mat, [&](double value, int64_t i) {
    const Place place = PlaceOf(a.mat, i);
    const int64_t row = (i / n / n * n + place.row) * columns;
    for (int64_t k = row; k < row + columns && place.row == place.column; ++k) {
      value -= x[static_cast<size_t>(k)] * grad_b[static_cast<size_t>(k)];
    }
    return value;
  });
}
