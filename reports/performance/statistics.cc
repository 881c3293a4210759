#include "reports/performance/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace diopi::reports {
namespace {

// P(U >= u) for U over all orders of m and n different samples: counts by the recursion of Mann and Whitney.
double ExactTail(size_t m, size_t n, size_t u) {
  // ways[j][k]: orders of i samples of one kind and j of the other with U = k.
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(m * n + 1, 0.0));
  for (size_t j = 0; j <= n; ++j) ways[j][0] = 1;
  for (size_t i = 1; i <= m; ++i) {
    for (size_t j = 1; j <= n; ++j) {
      // The largest sample is one of `m`, which exceeds all j others, or one of `n`.
      for (size_t k = m * n + 1; k-- > 0;) {
        ways[j][k] = (k >= j ? ways[j][k - j] : 0) + ways[j - 1][k];
      }
    }
  }
  double all = 0, tail = 0;
  for (size_t k = 0; k <= m * n; ++k) {
    all += ways[n][k];
    tail += k >= u ? ways[n][k] : 0;
  }
  return tail / all;
}

}  // namespace

double RankTest(const std::vector<double>& before, const std::vector<double>& after) {
  if (before.empty() || after.empty()) return 1;
  std::vector<std::pair<double, bool>> all;  // whether it is one of `after`
  for (const double x : before) all.emplace_back(x, false);
  for (const double x : after) all.emplace_back(x, true);
  std::sort(all.begin(), all.end());
  double ranks = 0, ties = 0;
  for (size_t i = 0; i < all.size();) {
    size_t end = i, of_after = 0;
    for (; end < all.size() && all[end].first == all[i].first; ++end) of_after += all[end].second ? 1 : 0;
    ranks += static_cast<double>(of_after) * static_cast<double>(i + 1 + end) / 2;
    const auto tied = static_cast<double>(end - i);
    ties += tied * tied * tied - tied;
    i = end;
  }
  const auto m = static_cast<double>(after.size()), n = static_cast<double>(before.size());
  const double u = ranks - m * (m + 1) / 2;
  if (ties == 0 && after.size() * before.size() <= kExactPairs) {
    return ExactTail(after.size(), before.size(), static_cast<size_t>(std::lround(u)));
  }
  const double total = m + n;
  const double variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)));
  if (variance <= 0) return 1;
  return std::erfc((u - m * n / 2 - 0.5) / std::sqrt(2 * variance)) / 2;
}

std::vector<double> HolmAdjusted(const std::vector<double>& p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&p](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

}  // namespace diopi::reports
