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

bool IsIndex(double y, size_t count) {
  return y >= 0 && y < static_cast<double>(count) && y == std::floor(y);
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
std::string CheckDependence(const std::vector<double>& y, const std::vector<double>& w, size_t count) {
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
    if (square == 0 || fourth > 4 * square * square) return "";
    for (size_t i = r * draws; i < (r + 1) * draws; ++i) z.push_back((y[i] - mean) / std::sqrt(square));
  }
  return CheckLags(z);
}

}  // namespace

std::string CheckPermutation(const HostTensor& actual) {
  const std::vector<double> y = Numbers(actual);
  std::vector<bool> seen(y.size(), false);
  int64_t fixed = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    if (!IsIndex(y[i], y.size())) {
      return absl::StrFormat("element %d is %.17g, not an integer in [0, %d)", i, y[i], y.size());
    }
    const auto index = static_cast<size_t>(y[i]);
    if (seen[index]) return absl::StrFormat("element %d repeats %d", i, index);
    seen[index] = true;
    fixed += index == i ? 1 : 0;
  }
  if (fixed > kMostFixed) {
    return absl::StrFormat(
        "%d of %d numbers are at their own place; more than %d are there with a probability "
        "below 1e-7",
        fixed, y.size(), kMostFixed);
  }
  if (y.size() < 2) return "";
  const std::vector<double> z = Standardised(y);
  std::vector<double> places(y.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<double>(i);
  places = Standardised(places);
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) sum += z[i] * places[i];
  const double deviation = sum * std::sqrt(static_cast<double>(z.size() - 1)) / static_cast<double>(z.size());
  if (std::fabs(deviation) > kNormalBound) {
    return absl::StrFormat("the correlation of the numbers with their places is %.3g standard errors",
                           deviation);
  }
  return CheckLags(z);
}

std::string CheckCategories(const HostTensor& actual, const HostTensor& weights, bool replacement) {
  const std::vector<double> y = Numbers(actual), w = Numbers(weights);
  if (y.empty() || w.empty()) return "";
  const auto count = static_cast<size_t>(weights.shape.back());
  const size_t rows = w.size() / count, draws = y.size() / rows;
  Counts first(count);
  for (size_t r = 0; r < rows; ++r) {
    const std::vector<double> p = Probabilities(w.data() + r * count, count);
    Counts row(count);
    row.Add(p, static_cast<double>(draws));
    for (size_t i = r * draws; i < (r + 1) * draws; ++i) {
      if (!IsIndex(y[i], count)) {
        return absl::StrFormat("element %d is %.17g, not an integer in [0, %d)", i, y[i], count);
      }
      const auto index = static_cast<size_t>(y[i]);
      if (p[index] == 0) return absl::StrFormat("element %d is %d, whose weight is 0", i, index);
      if (++row.seen[index] > 1 && !replacement) {
        return absl::StrFormat("element %d repeats %d, drawn without replacement", i, index);
      }
    }
    // Without replacement only the first draw of a row has these probabilities.
    first.Add(p, 1);
    ++first.seen[static_cast<size_t>(y[r * draws])];
    const std::string finding = replacement ? row.Check("index", 2 * static_cast<double>(rows)) : "";
    if (!finding.empty()) return absl::StrFormat("row %d: %s", r, finding);
  }
  const std::string finding = first.Check("index", 2);
  if (!finding.empty()) return "the rows' first draws: " + finding;
  return replacement ? CheckDependence(y, w, count) : "";
}

}  // namespace diopi::baselines
