// Mean and inverse standard deviation of a set of elements, for all normalizations.
#ifndef BASELINES_OPS_NORMALIZATION_NORMALIZATION_COMMON_H_
#define BASELINES_OPS_NORMALIZATION_NORMALIZATION_COMMON_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "baselines/ops/support/hd.h"
#include "baselines/ops/support/sum.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

template <typename C>
struct Moments {
  C mean = C(0);
  C squares = C(0);  // sum of squared distances from the mean
  int64_t count = 0;

  C variance() const { return squares / C(count); }  // biased
};

// In two passes over the elements of x at at(0), ..., at(count - 1).
template <typename C, typename At>
Moments<C> MomentsOf(const std::vector<C>& x, int64_t count, At&& at) {
  Moments<C> m;
  m.count = count;
  Sum<C> sum, squares;
  for (int64_t i = 0; i < count; ++i) sum += x[at(i)];
  m.mean = sum.total() / C(count);
  for (int64_t i = 0; i < count; ++i) {
    const C distance = x[at(i)] - m.mean;
    squares += distance * distance;
  }
  m.squares = squares.total();
  if constexpr (kIsNoise<C>) {
    // The error of the mean, up to gate P's 8 sigma, adds its square to each: no noise of first order.
    const auto most = 8 * count * m.mean.s2;
    m.squares = C::Clean(m.squares.v, m.squares.s2 + most * most);
  }
  return m;
}

template <typename C>
DIOPI_HD C InverseStd(const C& variance, double eps) {
  using std::sqrt;
  return C(1) / sqrt(variance + Rounded<C>(eps));
}

// An optional weight or bias: its elements, or `count` times the neutral value.
template <typename C>
std::vector<C> LoadOr(const Tensor& tensor, int64_t count, double neutral) {
  if (tensor) return Load<C>(tensor);
  return std::vector<C>(static_cast<size_t>(count), C(neutral));
}

inline void CheckOptionalShape(const Tensor& tensor, const Shape& shape, const char* name) {
  if (tensor) CheckShape(tensor, shape, name);
}

template <typename C>
void StoreIfGiven(const Tensor& tensor, const std::vector<C>& values) {
  if (tensor) Store(tensor, values);
}

// Batch normalization: element i of a channel c: batch index i / area, place in the channel's area i % area.
struct Channels {
  int64_t batch, channels, area;

  DIOPI_HD int64_t length() const { return batch * area; }
  DIOPI_HD int64_t At(int64_t channel, int64_t i) const {
    return (i / area * channels + channel) * area + i % area;
  }
};

inline Channels SplitChannels(const Tensor& input) {
  Check(input.rank() >= 2, "expected at least 2 dimensions, got shape ", ShapeText(input.shape()));
  const Shape& shape = input.shape();
  return {shape[0], shape[1], Numel(Shape(shape.begin() + 2, shape.end()))};
}

inline void CheckRunning(const Tensor& mean, const Tensor& var, bool training, int64_t channels) {
  Check(training || (mean && var), "running_mean and running_var must be given unless training");
  CheckOptionalShape(mean, {channels}, "running_mean");
  CheckOptionalShape(var, {channels}, "running_var");
}

// Group normalization. area: elements of one channel.
struct Groups {
  int64_t batch, channels, groups, area;

  DIOPI_HD int64_t per_group() const { return channels / groups; }
  DIOPI_HD int64_t length() const { return per_group() * area; }
};

inline Groups SplitGroups(const Tensor& input, int64_t num_groups) {
  Check(input.rank() >= 2, "expected at least 2 dimensions, got shape ", ShapeText(input.shape()));
  Check(num_groups > 0 && input.size(1) % num_groups == 0, "expected number of channels to be divisible by ",
        "num_groups, got ", input.size(1), " and ", num_groups);
  const Shape& shape = input.shape();
  return {shape[0], shape[1], num_groups, Numel(Shape(shape.begin() + 2, shape.end()))};
}

// Layer normalization.
struct RowShape {
  int64_t rows = 1;
  int64_t width = 1;
  Shape saved;  // shape of mean and rstd: the leading dimensions
};

inline RowShape SplitRows(const Tensor& input, const Shape& normalized) {
  const Shape& shape = input.shape();
  Check(!normalized.empty() && normalized.size() <= shape.size() &&
            std::equal(normalized.rbegin(), normalized.rend(), shape.rbegin()),
        "given normalized_shape ", ShapeText(normalized),
        ", expected input to end with these sizes, got shape ", ShapeText(shape));
  RowShape r;
  r.saved.assign(shape.begin(), shape.end() - static_cast<int64_t>(normalized.size()));
  r.rows = Numel(r.saved);
  r.width = Numel(normalized);
  return r;
}

// The sizes from dimension `first` on.
inline Shape DimsFrom(const Tensor& input, int64_t first) {
  const int64_t axis = WrapDim(first, input.rank());
  return Shape(input.shape().begin() + axis, input.shape().end());
}

// Trailing dimensions of size 1 are accepted, as frameworks allocate them.
inline void CheckSaved(const Tensor& saved, const RowShape& r, const char* name) {
  Check(saved.numel() == r.rows, "expected ", name, " of ", r.rows, " elements, got shape ",
        ShapeText(saved.shape()));
}

inline RowShape PlanLayerNorm(const Tensor& out, const Tensor& saved_mean, const Tensor& saved_rstd,
                              const Tensor& x, const Tensor& w, const Tensor& b, const Shape& normalized) {
  RowShape r = SplitRows(x, normalized);
  CheckShape(out, x.shape(), "out");
  CheckSaved(saved_mean, r, "save_mean");
  CheckSaved(saved_rstd, r, "save_invstd");
  CheckOptionalShape(w, normalized, "weight");
  CheckOptionalShape(b, normalized, "bias");
  return r;
}

inline Groups PlanGroupNorm(const Tensor& out, const Tensor& saved_mean, const Tensor& saved_rstd,
                            const Tensor& x, const Tensor& w, const Tensor& b, int64_t num_groups) {
  const Groups s = SplitGroups(x, num_groups);
  CheckShape(out, x.shape(), "out");
  CheckShape(saved_mean, {s.batch, s.groups}, "save_mean");
  CheckShape(saved_rstd, {s.batch, s.groups}, "save_invstd");
  CheckOptionalShape(w, {s.channels}, "weight");
  CheckOptionalShape(b, {s.channels}, "bias");
  return s;
}

// grad_input, weight and the gradients of weight and bias are optional.
inline void CheckNormGradients(const Tensor& dx, const Tensor& dw, const Tensor& db, const Tensor& grad,
                               const Tensor& x, const Tensor& w, const Shape& parameter) {
  CheckShape(grad, x.shape(), "grad_output");
  CheckOptionalShape(dx, x.shape(), "grad_input");
  for (const Tensor& t : {w, dw, db}) CheckOptionalShape(t, parameter, "weight or its gradient");
}

inline RowShape PlanLayerNormBackward(const Tensor& dx, const Tensor& dw, const Tensor& db,
                                      const Tensor& grad, const Tensor& x, const Tensor& w,
                                      const Tensor& saved_mean, const Tensor& saved_rstd,
                                      const Shape& normalized) {
  RowShape r = SplitRows(x, normalized);
  CheckNormGradients(dx, dw, db, grad, x, w, normalized);
  CheckSaved(saved_mean, r, "mean");
  CheckSaved(saved_rstd, r, "rstd");
  return r;
}

inline Groups PlanGroupNormBackward(const Tensor& dx, const Tensor& dw, const Tensor& db, const Tensor& grad,
                                    const Tensor& x, const Tensor& w, const Tensor& saved_mean,
                                    const Tensor& saved_rstd, int64_t num_groups) {
  const Groups s = SplitGroups(x, num_groups);
  CheckNormGradients(dx, dw, db, grad, x, w, {s.channels});
  CheckShape(saved_mean, {s.batch, s.groups}, "mean");
  CheckShape(saved_rstd, {s.batch, s.groups}, "rstd");
  return s;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_NORMALIZATION_NORMALIZATION_COMMON_H_
