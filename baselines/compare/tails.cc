#include "baselines/compare/tails.h"

#include <math.h>  // lgamma_r, which writes no global

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hwy/contrib/sort/vqsort.h"

namespace diopi::baselines {
namespace {

// The normal distribution function between neighbouring multiples of a step, as the cubic that has its values
// and slopes there. The fourth derivative is below 1.4, so it is off by less than step^4 * 1.4 / 384.
class NormalTable {
 public:
  NormalTable() {
    for (size_t k = 0; k < cells_.size(); ++k) {
      const double from = (static_cast<double>(k) - kReach * kPerUnit) / kPerUnit, to = from + 1.0 / kPerUnit;
      const double low = NormalCdf(from), rise = NormalCdf(to) - low;
      const double slope = Slope(from), last = Slope(to);
      cells_[k] = {low, slope, 3 * rise - 2 * slope - last, slope + last - 2 * rise};
    }
  }

  double At(double x) const {
    const double at = (x + kReach) * kPerUnit;
    if (!(at > 0)) return 0;
    if (at >= static_cast<double>(cells_.size())) return 1;
    const auto k = static_cast<size_t>(at);
    const double t = at - static_cast<double>(k);
    const std::array<double, 4>& c = cells_[k];
    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
  }

 private:
  static constexpr int kReach = 8;
  static constexpr int kPerUnit = 256;

  static double Slope(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi) / kPerUnit; }

  std::array<std::array<double, 4>, size_t{2} * kReach * kPerUnit> cells_;
};

double LogGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double LogBinomial(int64_t n, int64_t k, double p) {
  const auto nd = static_cast<double>(n);
  const auto kd = static_cast<double>(k);
  return LogGamma(nd + 1) - LogGamma(kd + 1) - LogGamma(nd - kd + 1) + kd * std::log(p) +
         (nd - kd) * std::log1p(-p);
}

// The probability of k or of a value farther from the mean on the same side.
double BinomialTail(int64_t n, int64_t k, double p) {
  const double mean = static_cast<double>(n) * p;
  const int64_t step = static_cast<double>(k) < mean ? -1 : 1;
  double term = std::exp(LogBinomial(n, k, p));
  double sum = term;
  for (int64_t i = k + step; i >= 0 && i <= n && term > sum * 1e-12; i += step) {
    // P(i) from its neighbour towards the mean.
    const double odds = p / (1 - p);
    term *= step > 0 ? odds * static_cast<double>(n - i + 1) / static_cast<double>(i)
                     : static_cast<double>(i + 1) / (static_cast<double>(n - i) * odds);
    sum += term;
  }
  return sum;
}

}  // namespace

bool BinomialRejects(int64_t n, int64_t k, double p) {
  if (n == 0) return k != 0;
  if (k < 0 || k > n) return true;
  if (p <= 0) return k != 0;
  if (p >= 1) return k != n;
  return BinomialTail(n, k, p) < kAlpha / 2;
}

double BernsteinBound(double variance, double range, double alpha) {
  const double x = std::log(2 / alpha);
  const double linear = range * x / 3;
  return linear + std::sqrt(linear * linear + 2 * variance * x);
}

double ChiSquareUpper(int64_t n) {
  const double x = std::log(2 / kAlpha);
  const auto nd = static_cast<double>(n);
  return nd + 2 * std::sqrt(nd * x) + 2 * x;
}

double ChiSquareLower(int64_t n) {
  const double x = std::log(2 / kAlpha);
  const auto nd = static_cast<double>(n);
  return nd - 2 * std::sqrt(nd * x);
}

FourthMomentBounds BoundsOfFourthMoment(double n) {
  if (n < 1) return {0, 0};
  const double most = FourthMomentTerm(std::sqrt(2 * std::log(4 * n / kAlpha)));
  return {BernsteinBound(24 * n, 6, kAlpha / 2), BernsteinBound(24 * n, most, kAlpha / 2)};
}

double PearsonBound(int64_t bins) {
  const double freedom = static_cast<double>(bins - 1);
  const double spread = 2 / (9 * freedom);  // Wilson and Hilferty
  return freedom * std::pow(1 - spread + 6 * std::sqrt(spread), 3);
}

void SortNumbers(std::vector<double>* numbers) {
  const hwy::Sorter sort;
  sort(numbers->data(), numbers->size(), hwy::SortAscending());
}

double KsStatistic(std::vector<double>* low, std::vector<double>* high) {
  for (std::vector<double>* ends : {low, high}) {
    if (!std::is_sorted(ends->begin(), ends->end())) SortNumbers(ends);
  }
  const auto n = static_cast<double>(low->size());
  double distance = 0;
  for (size_t i = 0; i < low->size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, (rank + 1) / n - (*high)[i], (*low)[i] - rank / n});
  }
  return distance * std::sqrt(n);
}

double NormalCdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double NearNormalCdf(double x) {
  static const NormalTable table;
  return table.At(x);
}

}  // namespace diopi::baselines
