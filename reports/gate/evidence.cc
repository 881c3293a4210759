#include "reports/gate/evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace diopi::reports {

double SignTest(int n, int k) {
  if (k <= 0) return 1;
  if (k > n) return 0;
  // C(n, i) / 2^n through logarithms: the terms of a large n underflow otherwise.
  double sum = 0;
  for (int i = n; i >= k; --i) {
    sum +=
        std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) - n * std::log(2.0));
  }
  return std::min(1.0, sum);
}

double MedianRatio(const std::vector<Pair>& pairs) {
  if (pairs.empty()) return 1;
  std::vector<double> ratios;
  ratios.reserve(pairs.size());
  for (const Pair& pair : pairs) ratios.push_back(pair.after / pair.before);
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  if (ratios.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(ratios.begin(), middle)) / 2;
}

std::vector<Growth> JudgeGrowth(const std::map<std::string, std::vector<Pair>>& groups, double factor,
                                double alpha) {
  std::vector<Growth> growths;
  for (const auto& [name, pairs] : groups) {
    if (pairs.empty()) continue;
    Growth growth;
    growth.group = name;
    growth.pairs = static_cast<int>(pairs.size());
    growth.above = static_cast<int>(std::count_if(pairs.begin(), pairs.end(), [factor](const Pair& pair) {
      return pair.after > factor * pair.before;
    }));
    growth.median_ratio = MedianRatio(pairs);
    growth.p = SignTest(growth.pairs, growth.above);
    growths.push_back(growth);
  }
  // A group so small that no result of it could be significant does not share alpha (R. E. Tarone, Biometrics
  // 46 (1990) 515-522).
  std::vector<size_t> order;
  for (size_t i = 0; i < growths.size(); ++i) {
    if (SignTest(growths[i].pairs, growths[i].pairs) <= alpha) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&growths](size_t a, size_t b) { return growths[a].p < growths[b].p; });
  for (size_t i = 0; i < order.size(); ++i) {
    if (growths[order[i]].p > alpha / static_cast<double>(order.size() - i)) break;
    growths[order[i]].grew = true;
  }
  return growths;
}

}  // namespace diopi::reports
