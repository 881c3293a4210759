// Random output that names places: permutations, and indices drawn by weights. Checks exactly that every
// index is possible and that none occurs twice where it may not; judges how often each occurs as in
// random.cc.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "baselines/compare/counts.h"
#include "baselines/compare/random.h"
#include "baselines/compare/tails.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

bool IsIndex(double y, size_t count) {
  return y >= 0 && y < static_cast<double>(count) && y == std::floor(y);
}

v1::Finding NotAnIndex(size_t i, double y, size_t count) {
  return Found(F::ELEMENT_NOT_INTEGER_IN)
      .Index(static_cast<int64_t>(i))
      .Got(absl::StrFormat("%.17g", y))
      .Limit(absl::StrFormat("[0, %d)", count));
}

v1::Finding IndexIs(F::Code code, size_t i, size_t index) {
  return Found(code).Index(static_cast<int64_t>(i)).Got(absl::StrFormat("%d", index));
}

// The numbers 0 ... n - 1 in some order, shifted and scaled to mean 0 and variance 1.
std::vector<double> Standardised(const std::vector<double>& y) {
  const auto n = static_cast<double>(y.size());
  const double sigma = std::sqrt((n * n - 1) / 12);
  std::vector<double> z;
  z.reserve(y.size());
  for (const double v : y) z.push_back((v - (n - 1) / 2) / sigma);
  return z;
}

// The most numbers that may be at their own place; the probability of k or more is at most 1/k!.
constexpr int64_t kMostFixed = 10;

// The weights of one row as probabilities.
std::vector<double> Probabilities(const double* weights, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; ++k) sum += weights[k];
  std::vector<double> p(weights, weights + count);
  for (double& x : p) x /= sum;
  return p;
}

// The correlation of draws with those before them, across rows.
std::optional<v1::Finding> CheckDependence(const std::vector<double>& y, const std::vector<double>& w,
                                           size_t count) {
  const size_t rows = w.size() / count, draws = y.size() / rows;
  std::vector<double> z;
  for (size_t r = 0; r < rows; ++r) {
    const std::vector<double> p = Probabilities(w.data() + r * count, count);
    double mean = 0, square = 0, fourth = 0;
    for (size_t k = 0; k < count; ++k) mean += p[k] * static_cast<double>(k);
    for (size_t k = 0; k < count; ++k) {
      const double off = static_cast<double>(k) - mean, off2 = off * off;
      square += p[k] * off2;
      fourth += p[k] * off2 * off2;
    }
    // Rare indices make the products' tails heavy; then the counts must suffice.
    if (square == 0 || fourth > 4 * square * square) return std::nullopt;
    for (size_t i = r * draws; i < (r + 1) * draws; ++i) z.push_back((y[i] - mean) / std::sqrt(square));
  }
  return CheckLags(z);
}

}  // namespace

std::optional<v1::Finding> CheckPermutation(const HostTensor& actual) {
  const std::vector<double> y = Numbers(actual);
  std::vector<bool> seen(y.size(), false);
  int64_t fixed = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    if (!IsIndex(y[i], y.size())) {
      return NotAnIndex(i, y[i], y.size());
    }
    const auto index = static_cast<size_t>(y[i]);
    if (seen[index]) return IndexIs(F::ELEMENT_REPEATS, i, index);
    seen[index] = true;
    fixed += index == i ? 1 : 0;
  }
  if (fixed > kMostFixed) {
    return Found(F::IN_PLACE)
        .Count(fixed)
        .Of(static_cast<int64_t>(y.size()))
        .Limit(absl::StrFormat("%d", kMostFixed));
  }
  if (y.size() < 2) return std::nullopt;
  const std::vector<double> z = Standardised(y);
  std::vector<double> places(y.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<double>(i);
  places = Standardised(places);
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) sum += z[i] * places[i];
  const double deviation = sum * std::sqrt(static_cast<double>(z.size() - 1)) / static_cast<double>(z.size());
  if (std::fabs(deviation) > kNormalBound) {
    return Found(F::PLACES_CORRELATED).Got(absl::StrFormat("%.3g", deviation));
  }
  return CheckLags(z);
}

std::optional<v1::Finding> CheckCategories(const HostTensor& actual, const HostTensor& weights,
                                           bool replacement) {
  const std::vector<double> y = Numbers(actual), w = Numbers(weights);
  if (y.empty() || w.empty()) return std::nullopt;
  const auto count = static_cast<size_t>(weights.shape.back());
  const size_t rows = w.size() / count, draws = y.size() / rows;
  Counts first(count);
  for (size_t r = 0; r < rows; ++r) {
    const std::vector<double> p = Probabilities(w.data() + r * count, count);
    Counts row(count);
    row.Add(p, static_cast<double>(draws));
    for (size_t i = r * draws; i < (r + 1) * draws; ++i) {
      if (!IsIndex(y[i], count)) {
        return NotAnIndex(i, y[i], count);
      }
      const auto index = static_cast<size_t>(y[i]);
      if (p[index] == 0) return IndexIs(F::ELEMENT_WEIGHTLESS, i, index);
      if (++row.seen[index] > 1 && !replacement) return IndexIs(F::ELEMENT_REPLACED, i, index);
    }
    // Without replacement only the first draw of a row has these probabilities.
    first.Add(p, 1);
    ++first.seen[static_cast<size_t>(y[r * draws])];
    if (!replacement) continue;
    const std::optional<v1::Finding> wrong = row.Check("index", 2 * static_cast<double>(rows));
    if (wrong.has_value()) return Found(F::OF_ROW).Index(static_cast<int64_t>(r)).Part(*wrong);
  }
  const std::optional<v1::Finding> wrong = first.Check("index", 2);
  if (wrong.has_value()) return Found(F::OF_FIRST_DRAWS).Part(*wrong);
  return replacement ? CheckDependence(y, w, count) : std::nullopt;
}

}  // namespace diopi::baselines
