// Winograd's convolution with 3x3 filters, stride 1: Lavin and Gray, "Fast Algorithms for Convolutional
// Neural Networks", 2015. A tile of M x M outputs costs (M + 2)^2 products per channel.
#ifndef BASELINES_VARIANTS_WINOGRAD_H_
#define BASELINES_VARIANTS_WINOGRAD_H_

#include <array>
#include <cmath>
#include <vector>

#include "baselines/variants/convolution_plan.h"

namespace diopi::variants {

template <size_t kRows, size_t kColumns>
using Matrix = std::array<std::array<double, kColumns>, kRows>;

// The transforms of the data (B^T), the filter (G) and the result (A^T) for M outputs along an axis.
template <size_t M>
struct WinogradTransforms;

template <>
struct WinogradTransforms<2> {
  static constexpr Matrix<4, 4> kData = {{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}};
  static constexpr Matrix<4, 3> kFilter = {{{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}}};
  static constexpr Matrix<2, 4> kResult = {{{1, 1, 1, 0}, {0, 1, -1, -1}}};
};

template <>
struct WinogradTransforms<4> {
  static constexpr double kSixth = 1.0 / 6, kTwelfth = 1.0 / 12, k24th = 1.0 / 24;
  static constexpr Matrix<6, 6> kData = {{{4, 0, -5, 0, 1, 0},
                                          {0, -4, -4, 1, 1, 0},
                                          {0, 4, -4, -1, 1, 0},
                                          {0, -2, -1, 2, 1, 0},
                                          {0, 2, -1, -2, 1, 0},
                                          {0, 4, 0, -5, 0, 1}}};
  static constexpr Matrix<6, 3> kFilter = {{{.25, 0, 0},
                                            {-kSixth, -kSixth, -kSixth},
                                            {-kSixth, kSixth, -kSixth},
                                            {k24th, kTwelfth, kSixth},
                                            {k24th, -kTwelfth, kSixth},
                                            {0, 0, 1}}};
  static constexpr Matrix<4, 6> kResult = {
      {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};
};

template <typename C, size_t N>
using Tile = std::array<std::array<C, N>, N>;

// t x t^T. Zero coefficients are skipped, as in unrolled code.
template <typename C, size_t kOut, size_t kIn>
Tile<C, kOut> Transform(const Matrix<kOut, kIn>& t, const Tile<C, kIn>& x) {
  std::array<std::array<C, kIn>, kOut> half{};
  for (size_t i = 0; i < kOut; ++i) {
    for (size_t k = 0; k < kIn; ++k) {
      if (t[i][k] == 0) continue;
      for (size_t j = 0; j < kIn; ++j) half[i][j] += static_cast<C>(t[i][k]) * x[k][j];
    }
  }
  Tile<C, kOut> result{};
  for (size_t i = 0; i < kOut; ++i) {
    for (size_t j = 0; j < kOut; ++j) {
      for (size_t k = 0; k < kIn; ++k) {
        if (t[j][k] != 0) result[i][j] += half[i][k] * static_cast<C>(t[j][k]);
      }
    }
  }
  return result;
}

inline bool WinogradFits(const ConvPlan& p) {
  return p.kernel_h == 3 && p.kernel_w == 3 && p.stride_h == 1 && p.stride_w == 1 && p.dilation_h == 1 &&
         p.dilation_w == 1;
}

template <typename C, size_t M>
class Winograd {
 public:
  static constexpr size_t kTile = M + 2;
  using T = WinogradTransforms<M>;

  // Injected bugs that a declared fastconv must not hide.
  enum class Bug { kNone, kHalfTransforms, kEdgeTilesLost, kFilterRowNegated };

  Winograd(const ConvPlan& plan, const std::vector<C>& x, const std::vector<C>& w, Bug bug = Bug::kNone)
      : p_(plan), x_(x), bug_(bug) {
    for (int64_t f = 0; f < p_.filters * p_.group_channels(); ++f) {
      Tile<C, 3> taps;
      for (size_t i = 0; i < 9; ++i) taps[i / 3][i % 3] = w[static_cast<size_t>(f) * 9 + i];
      filters_.push_back(Rounded(Transform(T::kFilter, taps)));
      // One row of the transformed filter.
      for (size_t i = 0; bug_ == Bug::kFilterRowNegated && i < kTile; ++i)
        filters_.back()[1][i] = -filters_.back()[1][i];
    }
  }

  std::vector<C> Run() const {
    std::vector<C> y(static_cast<size_t>(p_.batch * p_.filters * p_.out_h * p_.out_w));
    constexpr int64_t kStep = static_cast<int64_t>(M);
    for (int64_t n = 0; n < p_.batch; ++n) {
      for (int64_t oh = 0; oh < p_.out_h; oh += kStep) {
        for (int64_t ow = 0; ow < p_.out_w; ow += kStep) RunTile(n, oh, ow, y);
      }
    }
    return y;
  }

 private:
  void RunTile(int64_t n, int64_t oh, int64_t ow, std::vector<C>& y) const {
    const auto tile = static_cast<int64_t>(M);
    if (bug_ == Bug::kEdgeTilesLost && (oh + tile > p_.out_h || ow + tile > p_.out_w)) return;
    std::vector<Tile<C, kTile>> data(static_cast<size_t>(p_.channels));
    for (int64_t c = 0; c < p_.channels; ++c)
      data[static_cast<size_t>(c)] = Rounded(Transform(T::kData, Read(n, c, oh, ow)));
    for (int64_t f = 0; f < p_.filters; ++f) {
      Tile<C, kTile> sum{};
      const int64_t first = f / p_.group_filters() * p_.group_channels();
      for (int64_t c = 0; c < p_.group_channels(); ++c) {
        const Tile<C, kTile>& v = data[static_cast<size_t>(first + c)];
        const Tile<C, kTile>& u = filters_[static_cast<size_t>(f * p_.group_channels() + c)];
        for (size_t i = 0; i < kTile * kTile; ++i)
          sum[i / kTile][i % kTile] += v[i / kTile][i % kTile] * u[i / kTile][i % kTile];
      }
      const Tile<C, M> result = Transform(T::kResult, sum);
      for (size_t i = 0; i < M * M; ++i) {
        const int64_t h = oh + static_cast<int64_t>(i / M), w = ow + static_cast<int64_t>(i % M);
        if (h < p_.out_h && w < p_.out_w)
          y[static_cast<size_t>(p_.OutputAt(n, f, h, w))] = result[i / M][i % M];
      }
    }
  }

  // Rounds to 11 bits.
  Tile<C, kTile> Rounded(Tile<C, kTile> tile) const {
    if (bug_ != Bug::kHalfTransforms) return tile;
    for (auto& row : tile) {
      for (C& x : row) {
        int exponent = 0;
        const C scaled = std::ldexp(std::frexp(x, &exponent), 11);
        x = std::ldexp(std::nearbyint(scaled), exponent - 11);
      }
    }
    return tile;
  }

  Tile<C, kTile> Read(int64_t n, int64_t c, int64_t oh, int64_t ow) const {
    Tile<C, kTile> tile{};
    for (size_t i = 0; i < kTile * kTile; ++i) {
      const int64_t h = oh - p_.pad_h + static_cast<int64_t>(i / kTile);
      const int64_t w = ow - p_.pad_w + static_cast<int64_t>(i % kTile);
      if (h < 0 || h >= p_.height || w < 0 || w >= p_.width) continue;
      tile[i / kTile][i % kTile] = x_[static_cast<size_t>(p_.InputAt(n, c, h, w))];
    }
    return tile;
  }

  const ConvPlan& p_;
  const std::vector<C>& x_;
  const Bug bug_;
  std::vector<Tile<C, kTile>> filters_;
};

}  // namespace diopi::variants

#endif  // BASELINES_VARIANTS_WINOGRAD_H_
