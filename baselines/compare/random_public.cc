// The public harness's own verdict on random output, beside ours: dropout by its share of kept elements,
// within 0.05; a normal distribution by Kolmogorov and Smirnov at the 5 % level. It checks nothing else.
#include <algorithm>
#include <cmath>

#include "baselines/compare/dropped.h"
#include "baselines/compare/random.h"
#include "baselines/compare/tails.h"

namespace diopi::baselines {
namespace {

constexpr double kShareTolerance = 0.05;
constexpr double kKolmogorov5Percent = 1.358;  // of sqrt(N) times the distance, for large N

bool ShareIsNear(const std::vector<double>& y, double keep) {
  if (y.empty()) return true;
  const auto kept =
      static_cast<double>(std::count_if(y.begin(), y.end(), [](double value) { return value != 0; }));
  return std::fabs(kept / static_cast<double>(y.size()) - keep) <= kShareTolerance;
}

bool LooksNormal(std::vector<double> z) {
  if (z.empty()) return true;
  if (std::any_of(z.begin(), z.end(), [](double value) { return std::isnan(value); })) return false;
  SortNumbers(&z);
  const auto n = static_cast<double>(z.size());
  double distance = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    const double cdf = NearNormalCdf(z[i]);
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, cdf - rank / n, (rank + 1) / n - cdf});
  }
  return std::sqrt(n) * distance <= kKolmogorov5Percent;
}

bool NormalAccepted(const Job& job) {
  Parameter mean, std;
  std::string error;
  if (!mean.Load(job, "mean", 0, &error) || !std.Load(job, "std", 1, &error)) return true;
  std::vector<double> z;
  const std::vector<double> y = Numbers(job.actual);
  for (size_t i = 0; i < y.size(); ++i) {
    if (std.At(i) > 0) z.push_back((y[i] - mean.At(i)) / std.At(i));
  }
  return LooksNormal(std::move(z));
}

}  // namespace

bool PublicRuleAccepts(const v1::Case& c, v1::Judge::Distribution distribution, double nonzero, double ks) {
  if (distribution == v1::Judge::NORMAL) return ks <= kKolmogorov5Percent;
  const bool dropout = distribution == v1::Judge::DROPOUT_MASK || distribution == v1::Judge::DROPOUT_OUT;
  return !dropout || !Training(c) || std::fabs(nonzero - (1 - DropRate(c))) <= kShareTolerance;
}

bool PublicRuleAccepts(const Job& job) {
  switch (job.output.judge->distribution()) {
    case v1::Judge::NORMAL:
      return NormalAccepted(job);
    case v1::Judge::DROPOUT_MASK:
    case v1::Judge::DROPOUT_OUT:
      return !Training(job.c) || ShareIsNear(Numbers(job.actual), 1 - DropRate(job.c));
    default:
      return true;
  }
}

}  // namespace diopi::baselines
