// Convolutions that multiply more than their definition does, by zero: the padding in a matrix of windows,
// and a tap beyond the kernel where hardware takes them in pairs. Only NaN and infinity show it.
#ifndef BASELINES_VARIANTS_PADDED_H_
#define BASELINES_VARIANTS_PADDED_H_

#include <vector>

#include "baselines/ops/convolution/convolution_common.h"

namespace diopi::variants {

template <typename C>
std::vector<C> PaddedForward(const ops::ConvShape& c, const std::vector<C>& x, const std::vector<C>& w) {
  std::vector<C> y(static_cast<size_t>(ops::Numel(c.out_shape())), C(0));
  for (int64_t i = 0; i < c.batch * c.groups; ++i) {
    const std::vector<C> matrix = ops::Windows(c, x.data() + i * c.image());
    ops::Gemm(ops::Trans::kNo, ops::Trans::kNo, c.group_filters(), c.windows(), c.rows(),
              w.data() + i % c.groups * c.weights(), matrix.data(), y.data() + i * c.outputs(), true);
  }
  return y;
}

template <typename C>
std::vector<C> PaddedGradWeight(const ops::ConvShape& c, const std::vector<C>& grad,
                                const std::vector<C>& x) {
  std::vector<C> dw(static_cast<size_t>(c.groups * c.weights()), C(0));
  for (int64_t i = 0; i < c.batch * c.groups; ++i) {
    const std::vector<C> matrix = ops::Windows(c, x.data() + i * c.image());
    ops::Gemm(ops::Trans::kNo, ops::Trans::kYes, c.group_filters(), c.rows(), c.windows(),
              grad.data() + i * c.outputs(), matrix.data(), dw.data() + i % c.groups * c.weights(), true);
  }
  return dw;
}

// The same convolution with an even number of taps in each row of its kernels, the last of them zero.
template <typename C>
ops::ConvShape PairTaps(const ops::ConvShape& c, std::vector<C>* w) {
  ops::ConvShape even = c;
  even.kernel_w += c.kernel_w % 2;
  std::vector<C> padded(static_cast<size_t>(c.groups * even.weights()), C(0));
  for (int64_t i = 0; i < static_cast<int64_t>(w->size()); ++i) {
    padded[static_cast<size_t>(i / c.kernel_w * even.kernel_w + i % c.kernel_w)] =
        (*w)[static_cast<size_t>(i)];
  }
  *w = std::move(padded);
  return even;
}

}  // namespace diopi::variants

#endif  // BASELINES_VARIANTS_PADDED_H_
