// Bugs injected in QR decompositions.
#include <algorithm>

#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::NumElements;
using diopi::bugs::Replaced;
using diopi::bugs::ShapeOf;
using diopi::bugs::Tensor;

BUG(qr_signs_of_q_alone, 0, "diopiLinalgQR", "", "the columns of Q are negated without the rows of R");
BUG(qr_signs_of_r_alone, 0, "diopiLinalgQR", "",
    "the diagonal of R is made positive without the columns of Q");
BUG(qr_reflections_kept, 0, "diopiLinalgQR", "", "the reflections are left below the diagonal of R");
BUG(qr_first_of_batch, 0, "diopiLinalgQR", "", "every matrix of a batch gets the first one's factors");
BUG(qr_element_of_r_negated, 0, "diopiLinalgQR", "", "the last element of R has the opposite sign");

}  // namespace

DIOPI_OVERRIDE(diopiLinalgQR, a) {
  const std::vector<int64_t> shape = ShapeOf(a.A);
  const int64_t columns = shape.back(), elements = columns * shape[shape.size() - 2];
  if (qr_first_of_batch) {
    const std::vector<double> values = Load<double>(Tensor(a.A));
    a.A = Replaced(a.ctx, a.A, [&](double, int64_t i) { return values[static_cast<size_t>(i % elements)]; });
  }
  Good(a);
  if (qr_signs_of_q_alone) Change(a.Q, [](double x, int64_t) { return -x; });
  const std::vector<double> r = Load<double>(Tensor(a.R));
  const int64_t rows = ShapeOf(a.R)[shape.size() - 2];
  const auto row = [&](int64_t i) { return i / columns % rows; };
  if (qr_signs_of_r_alone && NumElements(a.Q) > 0) {
    Change(a.R, [&](double x, int64_t i) {
      const bool square = row(i) < columns;
      return square && r[static_cast<size_t>(i - i % columns + row(i))] < 0 ? -x : x;
    });
  }
  if (qr_reflections_kept) Change(a.R, [&](double x, int64_t i) { return row(i) > i % columns ? 0.25 : x; });
  if (qr_element_of_r_negated && columns > 1) {
    Change(a.R, [&](double x, int64_t i) { return i + 1 == NumElements(a.R) ? -x : x; });
  }
}
