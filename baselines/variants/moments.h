// Mean, variance and inverse standard deviation as honest libraries compute them.
#ifndef BASELINES_VARIANTS_MOMENTS_H_
#define BASELINES_VARIANTS_MOMENTS_H_

#include <array>
#include <bit>
#include <vector>

#include "baselines/variants/orders.h"

namespace diopi::variants {

enum class Statistics {
  kTwoPass,        // in the plain order
  kTwoPassBlocks,  // both sums in runs of 32 and a tree
  kWelford,        // one element after the other
  kWelfordMerged,  // eight lanes, merged in pairs by Chan's formula
  kDouble,         // both sums in the next wider type
};

template <typename C>
struct MeanAndSquares {
  C mean = C(0);
  C squares = C(0);  // sum of squared distances from the mean
  C count = C(0);

  void Add(const C& x) {
    count += C(1);
    const C before = x - mean;
    mean += before / count;
    squares += before * (x - mean);
  }
};

// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.
template <typename C>
MeanAndSquares<C> Merge(const MeanAndSquares<C>& a, const MeanAndSquares<C>& b) {
  if (b.count == C(0)) return a;
  if (a.count == C(0)) return b;
  const C count = a.count + b.count, distance = b.mean - a.mean;
  return {a.mean + distance * (b.count / count),
          a.squares + b.squares + distance * distance * (a.count * b.count / count), count};
}

template <typename C, typename At>
MeanAndSquares<C> TwoPasses(Order order, int64_t count, At&& at) {
  MeanAndSquares<C> m;
  m.count = C(count);
  m.mean = SumIn<C>(order, count, at) / C(count);
  m.squares = SumIn<C>(order, count, [&](int64_t i) {
    const C distance = at(i) - m.mean;
    return distance * distance;
  });
  return m;
}

template <typename C, typename At>
MeanAndSquares<C> MomentsBy(Statistics how, int64_t count, At&& at) {
  switch (how) {
    case Statistics::kTwoPass:
      break;
    case Statistics::kTwoPassBlocks:
      return TwoPasses<C>(Order::kBlocks32, count, at);
    case Statistics::kWelford: {
      MeanAndSquares<C> m;
      for (int64_t i = 0; i < count; ++i) m.Add(at(i));
      return m;
    }
    case Statistics::kWelfordMerged: {
      std::array<MeanAndSquares<C>, 8> lanes{};
      for (int64_t i = 0; i < count; ++i) lanes[static_cast<size_t>(i % 8)].Add(at(i));
      for (size_t step = 4; step > 0; step /= 2) {
        for (size_t i = 0; i < step; ++i) lanes[i] = Merge(lanes[i], lanes[i + step]);
      }
      return lanes[0];
    }
    case Statistics::kDouble: {
      using W = Wide<C>;
      const MeanAndSquares<W> m =
          TwoPasses<W>(Order::kSequential, count, [&](int64_t i) { return static_cast<W>(at(i)); });
      return {static_cast<C>(m.mean), static_cast<C>(m.squares), static_cast<C>(m.count)};
    }
  }
  return TwoPasses<C>(Order::kSequential, count, at);
}

// 1/sqrt(x) of a float as a device without a square root does it: an estimate from the exponent and four
// Newton steps, good to about two units in the last place. Numbers without such an estimate go the plain way.
inline float NewtonRsqrt(float x) {
  if (!(x > 0x1p-120F && x < 0x1p120F)) return 1.0F / std::sqrt(x);
  float y = std::bit_cast<float>(0x5F3759DFU - (std::bit_cast<uint32_t>(x) >> 1));
  for (int step = 0; step < 4; ++step) y = y * (1.5F - 0.5F * x * y * y);
  return y;
}

template <typename C>
C InverseStdBy(bool newton, const C& variance, double eps) {
  const C x = variance + static_cast<C>(eps);
  if constexpr (std::is_same_v<C, float>) {
    if (newton) return NewtonRsqrt(x);
  }
  return C(1) / std::sqrt(x);
}

}  // namespace diopi::variants

#endif  // BASELINES_VARIANTS_MOMENTS_H_
