// Bugs injected in the softmax of attention scores.
#include <algorithm>

#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is bugs

constexpr char kForward[] = "diopiScaledMaskedSoftmax";
constexpr char kBackward[] = "diopiScaledMaskedSoftmaxBackward";
BUG(masked_softmax_mask_ignored, 0, kForward, "", "the mask is not read");
BUG(masked_softmax_mask_inverted, 0, kForward, "", "true means that an element counts");
BUG(masked_softmax_triangle_ignored, 0, kForward, "", "fixed_triu_mask is taken as false");
BUG(masked_softmax_diagonal_masked, 0, kForward, "",
    "the triangle includes the diagonal, except in the first row");
BUG(masked_softmax_triangle_at_end, 0, kForward, "", "the triangle ends at the last column");
BUG(masked_softmax_scale_ignored, 0, kForward, "", "the scale is taken as 1");
BUG(masked_softmax_masked_is_zero, 0, kForward, "", "masked scores are 0 instead of very small");
BUG(masked_softmax_weak_mask, 0, kForward, "", "masked scores are smaller by 10 only");
BUG(masked_softmax_tail_lost, 0, kForward, "", "the sum lacks what follows the last whole block of 32");
BUG(masked_softmax_unshifted, 0, kForward, "", "the maximum is not subtracted: exp overflows");
BUG(masked_softmax_backward_scale_ignored, 0, kBackward, "", "the gradient is not scaled");
BUG(masked_softmax_backward_without_sum, 0, kBackward, "", "grad_input is scale * y * g");
BUG(masked_softmax_backward_scale_twice, 0, kBackward, "", "the sum is scaled, too, before it is subtracted");

bool Masked(const std::vector<int64_t>& mask, size_t at, int64_t row, int64_t rows, int64_t j, int64_t width,
            bool triangle) {
  if (!triangle)
    return masked_softmax_mask_ignored ? false : mask[at] != (masked_softmax_mask_inverted ? 1 : 0);
  const int64_t i = row % rows;
  if (masked_softmax_diagonal_masked && i > 0) return j >= i;
  return masked_softmax_triangle_at_end ? j > i + width - rows : j > i;
}

void WrongSoftmax(const diopiScaledMaskedSoftmaxArgs& a) {
  const Tensor x(a.input);
  const int64_t width = x.size(-1), rows = x.size(-2);
  const std::vector<double> values = Load<double>(x);
  const std::vector<int64_t> mask = Load<int64_t>(Tensor(a.mask));
  const bool triangle = a.fixed_triu_mask && !masked_softmax_triangle_ignored;
  const double scale = masked_softmax_scale_ignored ? 1 : a.scale;
  std::vector<double> y(values.size());
  for (int64_t row = 0; row < x.numel() / width; ++row) {
    std::vector<double> terms;
    for (int64_t j = 0; j < width; ++j) {
      const auto at = static_cast<size_t>(row * width + j);
      const bool masked = Masked(mask, at, row, rows, j, width, triangle);
      const double score = scale * values[at];
      const double filled = masked_softmax_masked_is_zero ? 0
                            : masked_softmax_weak_mask    ? score - 10
                                                          : -10000;
      terms.push_back(masked ? filled : score);
    }
    const double greatest = masked_softmax_unshifted ? 0 : *std::max_element(terms.begin(), terms.end());
    const double most = IsHalf(a.input) || IsBfloat16(a.input) || IsFloat32(a.input) ? 88 : 700;
    double sum = 0;
    for (size_t j = 0; j < terms.size(); ++j) {
      terms[j] = terms[j] - greatest > most ? HUGE_VAL : std::exp(terms[j] - greatest);
      if (!masked_softmax_tail_lost || width < 32 || static_cast<int64_t>(j) < width / 32 * 32)
        sum += terms[j];
    }
    for (size_t j = 0; j < terms.size(); ++j) y[static_cast<size_t>(row * width) + j] = terms[j] / sum;
  }
  Store(Tensor(a.output), y);
}

}  // namespace

DIOPI_OVERRIDE(diopiScaledMaskedSoftmax, a) {
  const bool wrong = masked_softmax_mask_ignored || masked_softmax_mask_inverted ||
                     masked_softmax_triangle_ignored || masked_softmax_diagonal_masked ||
                     masked_softmax_triangle_at_end || masked_softmax_scale_ignored ||
                     masked_softmax_masked_is_zero || masked_softmax_weak_mask || masked_softmax_tail_lost ||
                     masked_softmax_unshifted;
  if (wrong && NumElements(a.input) > 0) return WrongSoftmax(a);
  Good(a);
}

DIOPI_OVERRIDE(diopiScaledMaskedSoftmaxBackward, a) {
  const double scale = a.scale;
  if (masked_softmax_backward_scale_ignored || masked_softmax_backward_scale_twice) a.scale = 1;
  Good(a);
  const std::vector<double> g = Load<double>(Tensor(a.grad_output)), y = Load<double>(Tensor(a.output));
  if (masked_softmax_backward_without_sum) {
    Change(a.grad_input,
           [&](double, int64_t i) { return scale * y[static_cast<size_t>(i)] * g[static_cast<size_t>(i)]; });
  }
  if (masked_softmax_backward_scale_twice) {
    Change(a.grad_input, [&](double d, int64_t i) {
      const double own = y[static_cast<size_t>(i)] * g[static_cast<size_t>(i)];
      return scale * (own + scale * (d - own));
    });
  }
}
