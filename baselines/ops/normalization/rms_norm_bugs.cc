// Bugs injected in rms_norm.
#include "baselines/bugs/support.h"
#include "baselines/ops/normalization/normalization_common.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is bugs
using diopi::ops::LoadOr;
using diopi::ops::RowShape;
using diopi::ops::Sizes;
using diopi::ops::SplitRows;
using diopi::ops::StoreIfGiven;

constexpr char kForward[] = "diopiRMSNorm";
constexpr char kBackward[] = "diopiRMSNormBackward";
BUG(rms_eps_outside_root, 0, kForward, "", "eps is added to the root, not to the mean square");
BUG(rms_eps_built_in, 0, kForward, "", "eps is always 1e-5");
BUG(rms_mean_subtracted, 0, kForward, "", "the mean is subtracted, as in layer_norm");
BUG(rms_divided_by_one_less, 0, kForward, "", "the sum of squares is divided by the width less one");
BUG(rms_last_dim_only, 0, kForward, "", "a normalized_shape of several dims normalizes the last one");
BUG(rms_squares_drop_tail, 0, kForward, "",
    "the sum lacks the squares after the last whole vector of 4, in rows of more than one");
BUG(rms_squares_fp16, 0, kForward, "", "the squares are added up in float16 in float16");
BUG(rms_bias_ignored, 0, kForward, "", "the bias is left out");
BUG(rms_inv_rms_is_rms, 0, kForward, "", "inv_rms is the root mean square, not its inverse");
BUG(rms_weight_beyond_1024, 0, kForward, "", "the weight is 1 beyond element 1024");
BUG(rms_backward_without_projection, 0, kBackward, "", "inv_rms is taken for a constant in grad_input");
BUG(rms_backward_unscaled_projection, 0, kBackward, "", "the projection leaves the weight out");
BUG(rms_backward_first_inv_rms, 0, kBackward, "", "every row has the inv_rms of the first one");
BUG(rms_backward_drops_tail_rows, 0, kBackward, "",
    "grad_weight and grad_bias lack the rows after the last whole block of 64, or the last row");
BUG(rms_backward_dgamma_fp16, 0, kBackward, "", "grad_weight is added up in float16 in float16");

// What the injected bugs of the forward have in common.
double MeanSquare(const std::vector<double>& x, size_t start, int64_t width, bool narrow, double mean) {
  const int64_t counted = rms_squares_drop_tail && width > 4 ? width / 4 * 4 : width;
  double sum = 0;
  for (int64_t j = 0; j < counted; ++j) {
    const double distance = x[start + static_cast<size_t>(j)] - mean;
    sum = narrow ? ToHalf(sum + ToHalf(distance * distance)) : sum + distance * distance;
  }
  return sum / static_cast<double>(rms_divided_by_one_less && width > 1 ? width - 1 : width);
}

void WrongForward(const diopiRMSNormArgs& a) {
  const Tensor x(a.input);
  Shape normalized = Sizes(a.normalized_shape);
  const RowShape r = SplitRows(x, normalized);
  const int64_t width = rms_last_dim_only ? normalized.back() : r.width;
  const std::vector<double> values = Load<double>(x), weight = LoadOr<double>(a.weight, r.width, 1),
                            bias = LoadOr<double>(a.bias, r.width, 0);
  std::vector<double> y(values.size()), saved(static_cast<size_t>(r.rows));
  const bool narrow = rms_squares_fp16 && IsHalf(a.input);
  for (size_t start = 0; start < values.size(); start += static_cast<size_t>(width)) {
    double mean = 0;
    for (int64_t j = 0; rms_mean_subtracted && j < width; ++j)
      mean += values[start + static_cast<size_t>(j)] / static_cast<double>(width);
    const double square = MeanSquare(values, start, width, narrow, mean);
    const double inverse =
        rms_eps_outside_root ? 1 / (std::sqrt(square) + a.eps) : 1 / std::sqrt(square + a.eps);
    saved[start / static_cast<size_t>(r.width)] = rms_inv_rms_is_rms ? 1 / inverse : inverse;
    for (size_t i = start; i < start + static_cast<size_t>(width); ++i) {
      const size_t j = i % static_cast<size_t>(r.width);
      const double by = rms_weight_beyond_1024 && j >= 1024 ? 1 : weight[j];
      y[i] = (values[i] - mean) * inverse * by + bias[j];
    }
  }
  Store(Tensor(a.out), y);
  Store(Tensor(a.inv_rms), saved);
}

void WrongBackward(const diopiRMSNormBackwardArgs& a) {
  const Tensor x(a.input);
  const RowShape r = SplitRows(x, Sizes(a.normalized_shape));
  const std::vector<double> g = Load<double>(a.grad_output), values = Load<double>(x),
                            weight = LoadOr<double>(a.weight, r.width, 1), inverse = Load<double>(a.inv_rms);
  std::vector<double> d(g.size()), dw(weight.size()), db(weight.size());
  const bool narrow = rms_backward_dgamma_fp16 && IsHalf(a.input);
  const int64_t whole = r.rows > 64 ? r.rows / 64 * 64 : r.rows - 1;
  for (int64_t row = 0; row < r.rows; ++row) {
    const double inv = inverse[static_cast<size_t>(rms_backward_first_inv_rms ? 0 : row)];
    double projection = 0;
    for (int64_t j = 0; j < r.width; ++j) {
      const auto at = static_cast<size_t>(row * r.width + j), k = static_cast<size_t>(j);
      projection += g[at] * (rms_backward_unscaled_projection ? 1 : weight[k]) * values[at] * inv;
      if (rms_backward_drops_tail_rows && row >= whole) continue;
      dw[k] += g[at] * values[at] * inv;
      if (narrow) dw[k] = ToHalf(dw[k]);
      db[k] += g[at];
    }
    if (rms_backward_without_projection) projection = 0;
    for (int64_t j = 0; j < r.width; ++j) {
      const auto at = static_cast<size_t>(row * r.width + j);
      const double h = values[at] * inv;
      d[at] = (weight[static_cast<size_t>(j)] * g[at] - h * projection / static_cast<double>(r.width)) * inv;
    }
  }
  StoreIfGiven(a.grad_input, d);
  StoreIfGiven(a.grad_weight, dw);
  StoreIfGiven(a.grad_bias, db);
}

}  // namespace

DIOPI_OVERRIDE(diopiRMSNorm, a) {
  if (rms_eps_built_in) a.eps = 1e-5;
  if (rms_bias_ignored) a.bias = nullptr;
  const bool wrong = rms_eps_outside_root || rms_mean_subtracted || rms_divided_by_one_less ||
                     rms_last_dim_only || rms_squares_drop_tail || rms_squares_fp16 || rms_inv_rms_is_rms ||
                     rms_weight_beyond_1024;
  if (wrong && NumElements(a.input) > 0) return WrongForward(a);
  Good(a);
}

DIOPI_OVERRIDE(diopiRMSNormBackward, a) {
  const bool wrong = rms_backward_without_projection || rms_backward_unscaled_projection ||
                     rms_backward_first_inv_rms || rms_backward_drops_tail_rows || rms_backward_dgamma_fp16;
  if (wrong && NumElements(a.input) > 0) return WrongBackward(a);
  Good(a);
}
