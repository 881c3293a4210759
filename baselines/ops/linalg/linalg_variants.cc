// QR decompositions with other signs.
#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(qr_positive_diagonal, "diopiLinalgQR", "", "the signs that make the diagonal of R positive");
VARIANT(qr_all_signs_opposite, "diopiLinalgQR", "", "every column of Q and row of R negated");

// Negates the rows of R that `negated` chooses by their element on the diagonal, and their columns of Q.
template <typename C, typename F>
void ChangeSigns(const Tensor& q, const Tensor& r, F&& negated) {
  const int64_t rows = r.size(-2), columns = r.size(-1);
  std::vector<C> of_q = Load<C>(q), of_r = Load<C>(r);
  const int64_t height = of_q.empty() ? 0 : q.size(-2);
  for (int64_t line = 0; line * columns < r.numel(); ++line) {
    const int64_t matrix = line / rows, row = line % rows;
    if (row >= columns || !negated(of_r[static_cast<size_t>(line * columns + row)])) continue;
    for (int64_t j = 0; j < columns; ++j) {
      C& x = of_r[static_cast<size_t>(line * columns + j)];
      x = -x;
    }
    for (int64_t i = 0; i < height; ++i) {
      C& x = of_q[static_cast<size_t>((matrix * height + i) * rows + row)];
      x = -x;
    }
  }
  if (height > 0) Store(q, of_q);
  Store(r, of_r);
}

}  // namespace
}  // namespace diopi::variants

DIOPI_OVERRIDE(diopiLinalgQR, a) {
  using namespace diopi;  // NOLINT: this file is kernels
  Good(a);
  const ops::Tensor q(a.Q), r(a.R);
  if (r.numel() == 0) return;
  variants::DispatchReal(r.dtype(), [&]<typename C>() {
    if (variants::qr_positive_diagonal) variants::ChangeSigns<C>(q, r, [](C x) { return x < C(0); });
    if (variants::qr_all_signs_opposite) variants::ChangeSigns<C>(q, r, [](C) { return true; });
  });
}
