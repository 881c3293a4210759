#include "cases/base/median.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace diopi {
namespace {

constexpr double kTail = 0.025;  // on either side

// The largest k such that fewer than k of n fair coins show heads with a probability of at most kTail.
size_t RankOfBound(size_t n) {
  double term = std::exp2(-static_cast<double>(n));
  double sum = 0;
  size_t k = 0;
  // Beyond a thousand coins the first terms underflow, and with them the tail.
  if (term == 0) return static_cast<size_t>(static_cast<double>(n) / 2 - std::sqrt(static_cast<double>(n)));
  while (k < n && sum + term <= kTail) {
    sum += term;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

}  // namespace

MedianInterval IntervalOfMedian(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size();
  const size_t rank = std::max<size_t>(RankOfBound(n), 1);
  const double median = (samples[(n - 1) / 2] + samples[n / 2]) / 2;
  return {samples[rank - 1], median, samples[n - rank]};
}

}  // namespace diopi
