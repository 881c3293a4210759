// Every check compares a statistic with a bound that a good generator exceeds with a probability of at most
// 1e-7 (tails.h). Outputs are rounded numbers: each element stands for an interval (Grain), and a check
// rejects only what is wrong wherever in its interval the drawn number was. The checks of one output run from
// the most specific to the most general, so that the message names the defect (few distinct values, cut
// tails, repeated blocks) rather than its consequence.
#include "baselines/compare/random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/contraction_kernel.h"
#include "baselines/compare/tails.h"
#include "cases/base/layout.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

Found Exceeds(F::Code code, double value, double bound) {
  return Found(code).Got(absl::StrFormat("%.4g", value)).Limit(absl::StrFormat("%.4g", bound));
}

// The mean of standardised numbers; `room` is their mean rounding.
std::optional<v1::Finding> CheckMean(const std::vector<double>& z, double room) {
  double sum = 0;
  for (const double x : z) sum += x;
  const auto n = static_cast<double>(z.size());
  const double deviation = sum / std::sqrt(n);
  const double bound = kNormalBound + room * std::sqrt(n);
  if (std::fabs(deviation) <= bound) return std::nullopt;
  return Exceeds(F::EXCEEDS, deviation, bound).Word("mean");
}

// How far an element may lie from the number that was drawn before it was rounded (or truncated) to the
// dtype. Numbers below `scale` may have been computed from ones as large as that.
class Grain {
 public:
  Grain(Dtype dtype, double scale)
      : scale_(scale), relative_(IsFloating(dtype) ? std::ldexp(1.0, 1 - FormatOf(dtype).precision) : 0) {}
  double Of(double y) const { return std::max(std::fabs(y), scale_) * relative_; }
  double MeanOf(const std::vector<double>& y) const {
    double sum = 0;
    for (const double v : y) sum += Of(v);
    return y.empty() ? 0 : sum / static_cast<double>(y.size());
  }

 private:
  double scale_, relative_;
};

std::vector<double> Sorted(std::vector<double> y) {
  SortNumbers(&y);
  return y;
}

// Where elements lie in [0, 1] by the distribution function; without those whose standard deviation is 0.
std::pair<std::vector<double>, std::vector<double>> NormalIntervals(const std::vector<double>& y,
                                                                    const Parameter& mean,
                                                                    const Parameter& std,
                                                                    const Grain& grain) {
  std::vector<double> low, high;
  low.reserve(y.size());
  high.reserve(y.size());
  for (size_t i = 0; i < y.size(); ++i) {
    const double s = std.At(i);
    if (s == 0) continue;
    const double x = (y[i] - mean.At(i)) / s;
    const double slack = grain.Of(y[i]) / s;
    low.push_back(NearNormalCdf(x - slack));
    high.push_back(NearNormalCdf(x + slack));
  }
  return {std::move(low), std::move(high)};
}

std::optional<v1::Finding> CheckKs(std::vector<double> low, std::vector<double> high) {
  const double ks = KsStatistic(&low, &high);
  if (ks <= kKsBound) return std::nullopt;
  return Exceeds(F::EXCEEDS, ks, kKsBound).Word("ks");
}

// Equal cells over [0, 1); a number that may belong to two cells counts where its middle lies, so the cells
// must be far wider than the numbers' granularity.
std::optional<v1::Finding> CheckCells(const std::vector<double>& low, const std::vector<double>& high) {
  const auto n = static_cast<int64_t>(low.size());
  const int64_t bins = std::min<int64_t>(64, n / 64);
  if (bins < 2) return std::nullopt;
  std::vector<int64_t> counts(static_cast<size_t>(bins), 0);
  double widest = 0;
  for (size_t i = 0; i < low.size(); ++i) {
    widest = std::max(widest, high[i] - low[i]);
    const auto cell = static_cast<int64_t>(0.5 * (low[i] + high[i]) * static_cast<double>(bins));
    ++counts[static_cast<size_t>(std::clamp<int64_t>(cell, 0, bins - 1))];
  }
  const double expected = static_cast<double>(n) / static_cast<double>(bins);
  // A shift of half the granularity at both ends of a cell may move this many, which must be far below the
  // noise.
  if (widest * static_cast<double>(n) > 0.05 * std::sqrt(expected)) return std::nullopt;
  double statistic = 0;
  for (const int64_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    statistic += off * off / expected;
  }
  const double bound = PearsonBound(bins);
  if (statistic <= bound) return std::nullopt;
  return Exceeds(F::EXCEEDS, statistic, bound).Word("chi_square");
}

// The birthdays of draws: float32 and wider ones take 2^23 values or more, less where the affine map to their
// range rounds them (float64 draws may come from float32 ones). `scale` is the width of the range that holds
// most draws. Coarser draws, of 16 or 20 bits, meet far more often.
std::optional<v1::Finding> CheckDistinct(Dtype dtype, const std::vector<double>& sorted, double scale) {
  const bool fine = dtype == v1::Dtype::float32 || dtype == v1::Dtype::float64;
  if (!fine || sorted.size() < 256 || sorted.size() > (size_t{1} << 20) || !(scale > 0)) return std::nullopt;
  const double largest = std::max(std::fabs(sorted.front()), std::fabs(sorted.back()));
  const auto n = static_cast<double>(sorted.size());
  double distinct = 1;
  for (size_t i = 1; i < sorted.size(); ++i) distinct += sorted[i] != sorted[i - 1] ? 1 : 0;
  const double one_value = 0x1p-23 * (1 + 2 * largest / scale);  // at most the probability of one value
  const double pairs = 0.5 * n * n;
  const double bound = pairs * one_value + BernsteinBound(pairs * one_value, 1);
  if (n - distinct <= bound) return std::nullopt;
  return Found(F::FEW_DISTINCT)
      .Count(static_cast<int64_t>(distinct))
      .Of(static_cast<int64_t>(n))
      .Limit(absl::StrFormat("%.0f", n - bound));
}

// A tail that no draw reached: its values are all equal, zeros or what was there before.
std::optional<v1::Finding> CheckTail(const HostTensor& actual, const std::vector<double>& y, double scale) {
  if (y.empty() || !(scale > 0)) return std::nullopt;
  double largest = 0;
  for (const double v : y) largest = std::max(largest, std::fabs(v));
  const double ulp = actual.dtype == v1::Dtype::bfloat16  ? 0x1p-7
                     : actual.dtype == v1::Dtype::float16 ? 0x1p-10
                                                          : 0x1p-23;
  const double one_value = ulp * (1 + 2 * largest / scale);  // at most the probability of one value
  size_t alike = 1;
  while (alike < y.size() && y[y.size() - 1 - alike] == y.back()) ++alike;
  if (one_value >= 1 || std::pow(one_value, static_cast<double>(alike - 1)) >= kAlpha) return std::nullopt;
  return Found(F::LAST_ALIKE)
      .Count(static_cast<int64_t>(alike))
      .Of(static_cast<int64_t>(y.size()))
      .Got(absl::StrFormat("%.9g", y.back()));
}

// How many of `z` lie beyond 3.5 sigma: cut-off tails, sums of a few uniforms. `reach`: no number lies
// beyond.
std::optional<v1::Finding> CheckNormalTails(Dtype dtype, const std::vector<double>& z, double reach) {
  const auto n = static_cast<int64_t>(z.size());
  const int64_t far = std::count_if(z.begin(), z.end(), [](double x) { return std::fabs(x) > 3.5; });
  if (BinomialRejects(n, far, 2 * NormalCdf(-3.5))) return FarValues(dtype, 3.5, far, n);
  const double largest =
      *std::max_element(z.begin(), z.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  return CheckFarthest(dtype, std::fabs(largest), reach, n);
}

}  // namespace

std::optional<v1::Finding> FirstOf(std::initializer_list<std::optional<v1::Finding>> findings) {
  for (const std::optional<v1::Finding>& finding : findings) {
    if (finding.has_value()) return finding;
  }
  return std::nullopt;
}

std::optional<v1::Finding> CheckFourthMoment(double n, double sum, double room) {
  const FourthMomentBounds bounds = BoundsOfFourthMoment(n);
  const double least = -bounds.below - room, most = bounds.above + room;
  if (sum >= least && sum <= most) return std::nullopt;
  return Found(F::KURTOSIS)
      .Got(absl::StrFormat("%.5g", 3 + sum / n))
      .Limit(absl::StrFormat("[%.5g, %.5g]", 3 + least / n, 3 + most / n));
}

double FourthMomentSlack(double z, double slack) {
  const double from = z * z, to = (std::fabs(z) + slack) * (std::fabs(z) + slack);
  return (to - from) * (to + from + 6);
}

v1::Finding FarValues(Dtype dtype, double deviations, int64_t far, int64_t n) {
  const double expected = 2 * NormalCdf(-deviations) * static_cast<double>(n);
  v1::Finding found = Found(F::FAR_VALUES)
                          .Count(far)
                          .Of(n)
                          .Limit(absl::StrFormat("%.3g", deviations))
                          .Expected(absl::StrFormat("%.1f", expected));
  // Uniform numbers of 16 bits are too few for a tail.
  if (static_cast<double>(far) < expected && IsFloating(dtype) && FormatOf(dtype).precision <= 11)
    found.set_word(std::string(DtypeName(dtype)));
  return found;
}

std::optional<v1::Finding> CheckFarthest(Dtype dtype, double surely, double maybe, int64_t n) {
  const auto beyond = [n](double deviations) { return 2 * static_cast<double>(n) * NormalCdf(-deviations); };
  if (beyond(surely) < kAlpha / 2) return Found(F::FAR_VALUE).Got(absl::StrFormat("%.3g", surely));
  // Draws of 23 bits end at 5.6.
  const bool reaches = maybe >= 5 || beyond(maybe) < std::log(2 / kAlpha);
  if (reaches) return std::nullopt;
  return FarValues(dtype, maybe, 0, n);
}

std::optional<v1::Finding> CheckLags(const std::vector<double>& z) {
  for (size_t lag = 1; lag <= 4096 && lag + 1024 <= z.size(); lag *= 2) {
    const size_t n = z.size() - lag;
    const auto* ahead = reinterpret_cast<const char*>(z.data() + lag);
    const double sum = Dot(v1::Dtype::float64, ahead, z.data(), n);
    const double deviation = sum / std::sqrt(static_cast<double>(n));
    if (std::fabs(deviation) > 1.1 * kNormalBound)
      return Exceeds(F::CORRELATED, deviation, 1.1 * kNormalBound).Count(static_cast<int64_t>(lag));
  }
  return std::nullopt;
}

void ReadNumbers(const TensorView& tensor, int64_t at, int64_t count, double* to) {
  if (tensor.dtype == v1::Dtype::float32) {
    const char* from = tensor.data.data() + at * static_cast<int64_t>(sizeof(float));
    for (int64_t i = 0; i < count; ++i) {
      float number;
      std::memcpy(&number, from + i * static_cast<int64_t>(sizeof(float)), sizeof(float));
      to[i] = static_cast<double>(number);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i] = ElementAsDouble(tensor.dtype, tensor.data.data(), at + i);
}

std::vector<double> Numbers(const HostTensor& tensor) {
  std::vector<double> numbers(static_cast<size_t>(NumElements(tensor.shape)));
  ReadNumbers(tensor, 0, static_cast<int64_t>(numbers.size()), numbers.data());
  return numbers;
}

std::vector<double> BroadcastNumbers(const HostTensor& from, const std::vector<int64_t>& shape) {
  if (from.shape.size() > shape.size()) return {};
  std::vector<int64_t> strides(shape.size(), 0);
  int64_t stride = 1;
  for (size_t i = from.shape.size(); i-- > 0;) {
    const size_t at = i + shape.size() - from.shape.size();
    if (from.shape[i] != 1 && from.shape[i] != shape[at]) return {};
    strides[at] = from.shape[i] == 1 ? 0 : stride;
    stride *= from.shape[i];
  }
  std::vector<double> numbers;
  for (const int64_t offset : ElementOffsets(shape, strides, 0)) {
    numbers.push_back(ElementAsDouble(from.dtype, from.data.data(), offset));
  }
  return numbers;
}

bool Parameter::Load(const Job& job, const std::string& name, double fallback, std::string* error) {
  double value = fallback;
  const HostTensor* tensor = Find(job.inputs, name);
  if (tensor != nullptr) {
    values_ = BroadcastNumbers(*tensor, job.actual.shape);
    if (values_.size() == static_cast<size_t>(NumElements(job.actual.shape))) return true;
    *error = absl::StrCat("parameter ", name, " ", ShapeText(tensor->shape), " does not fit the output");
    return false;
  }
  const v1::Argument* argument = FindArgument(job.c, name);
  if (argument != nullptr && argument->value_case() != v1::Argument::kNull &&
      !NumberOf(job.c, name, &value)) {
    *error = absl::StrCat("parameter ", name, " is neither a number nor a given tensor");
    return false;
  }
  values_ = {value};
  return true;
}

double InDtype(Dtype dtype, double value) {
  if (!IsFloating(dtype)) return value;
  uint64_t bytes = 0;
  StoreDouble(dtype, &bytes, 0, value);
  return ElementAsDouble(dtype, &bytes, 0);
}

std::optional<v1::Finding> CheckUniform(const HostTensor& actual, double from, double to) {
  const std::vector<double> y = Numbers(actual);
  if (y.empty()) return std::nullopt;
  const double least = std::min(from, InDtype(actual.dtype, from));
  const double greatest = std::max(to, InDtype(actual.dtype, to));
  const double width = to - from;
  const Grain grain(actual.dtype, width);
  std::vector<double> low(y.size());
  std::vector<double> high(y.size());
  std::vector<double> z(y.size());
  int64_t at_end = 0;
  double end_grain = 0;
  double square = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    if (!(y[i] >= least && y[i] <= greatest)) {
      return Found(F::ELEMENT_OUTSIDE)
          .Index(static_cast<int64_t>(i))
          .Got(absl::StrFormat("%.9g", y[i]))
          .Limit(absl::StrFormat("[%g, %g)", from, to));
    }
    if (y[i] >= to && width > 0) {
      ++at_end;
      end_grain = grain.Of(y[i]);
    }
    z[i] = ((y[i] - from) / width - 0.5) * std::sqrt(12.0);
    square += z[i] * z[i];
  }
  if (width == 0) return std::nullopt;
  const std::vector<double> sorted = Sorted(y);
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double slack = grain.Of(sorted[i]);
    low[i] = std::clamp((sorted[i] - slack - from) / width, 0.0, 1.0);
    high[i] = std::clamp((sorted[i] + slack - from) / width, 0.0, 1.0);
  }
  const auto n = static_cast<int64_t>(y.size());
  // Only rounding up, or a generator of (0, 1], gives the end itself.
  if (at_end > 0 && BinomialRejects(n, at_end, std::min(0.5, end_grain / width)) &&
      static_cast<double>(at_end) > static_cast<double>(n) * end_grain / width) {
    return Found(F::AT_EXCLUDED_END).Count(at_end).Of(n).Got(absl::StrFormat("%g", to));
  }
  const double room = std::sqrt(12.0) * grain.MeanOf(y) / width;
  const double spread = square - static_cast<double>(n);
  const double spread_bound =
      BernsteinBound(0.8 * static_cast<double>(n), 2) + 4 * room * static_cast<double>(n);
  std::optional<v1::Finding> variance;
  if (std::fabs(spread) > spread_bound) variance = Exceeds(F::EXCEEDS, spread, spread_bound).Word("variance");
  return FirstOf({CheckMean(z, room), variance, CheckCells(low, high), CheckLags(z),
                  CheckDistinct(actual.dtype, sorted, width), CheckTail(actual, y, width),
                  CheckKs(low, high)});
}

std::optional<v1::Finding> CheckIntegers(const HostTensor& actual, double from, double to) {
  const std::vector<double> y = Numbers(actual);
  const double count = to - from;
  std::vector<double> low(y.size());
  std::vector<double> high(y.size());
  std::vector<double> z(y.size());
  const double sigma = std::sqrt(std::max(0.0, (count * count - 1) / 12));
  const Grain grain(actual.dtype, 0);
  for (size_t i = 0; i < y.size(); ++i) {
    const double slack = grain.Of(y[i]);
    if (y[i] != std::floor(y[i]) || y[i] < from || y[i] >= to + slack) {
      return Found(F::ELEMENT_NOT_INTEGER_IN)
          .Index(static_cast<int64_t>(i))
          .Got(absl::StrFormat("%.17g", y[i]))
          .Limit(absl::StrFormat("[%.0f, %.0f)", from, to));
    }
    low[i] = std::clamp((y[i] - slack - from) / count, 0.0, 1.0);
    high[i] = std::clamp((y[i] + slack + 1 - from) / count, 0.0, 1.0);
    z[i] = sigma > 0 ? (y[i] - (from + to - 1) / 2) / sigma : 0;
  }
  if (y.empty() || sigma == 0) return std::nullopt;
  const double mean_grain = grain.MeanOf(y);
  // With few values, each is a cell of its own and judged exactly.
  if (count <= 4096 && y.size() >= 16) {
    std::vector<int64_t> counts(static_cast<size_t>(count), 0);
    for (const double v : y) ++counts[static_cast<size_t>(std::min(v - from, count - 1))];
    for (size_t k = 0; k < counts.size() && mean_grain < 0.5; ++k) {
      // Each value's own tail, at a level divided among all of them.
      const double share = static_cast<double>(y.size()) / count;
      const double bound = share + BernsteinBound(share * (1 - 1 / count), 1, kAlpha / count);
      if (static_cast<double>(counts[k]) > bound) {
        return Found(F::TOO_MANY_EQUAL)
            .Count(counts[k])
            .Of(static_cast<int64_t>(y.size()))
            .Got(absl::StrFormat("%.0f", from + static_cast<double>(k)))
            .Limit(absl::StrFormat("%.1f", bound));
      }
    }
  }
  const double room = mean_grain / sigma;
  return FirstOf({CheckMean(z, room), CheckCells(low, high), CheckLags(z), CheckKs(low, high)});
}

std::optional<v1::Finding> CheckNormal(const HostTensor& actual, const Parameter& mean,
                                       const Parameter& std) {
  const std::vector<double> y = Numbers(actual);
  std::vector<double> z;
  z.reserve(y.size());
  double square = 0;
  double fourth = 0;
  double fourth_room = 0;
  double reach = 0;
  double room = 0;
  double least_std = std::numeric_limits<double>::infinity();
  const Grain grain(actual.dtype, 0);
  for (size_t i = 0; i < y.size(); ++i) {
    const double m = mean.At(i);
    const double s = std.At(i);
    if (!std::isfinite(y[i]))
      return Found(F::ELEMENT_IS).Index(static_cast<int64_t>(i)).Got(absl::StrFormat("%g", y[i]));
    if (s == 0) {
      if (std::fabs(y[i] - m) <= grain.Of(y[i])) continue;
      return Found(F::ELEMENT_NOT_MEAN)
          .Index(static_cast<int64_t>(i))
          .Got(absl::StrFormat("%.9g", y[i]))
          .Expected(absl::StrFormat("%.9g", m));
    }
    least_std = std::min(least_std, s);
    const double x = (y[i] - m) / s;
    const double slack = grain.Of(y[i]) / s;
    z.push_back(x);
    square += x * x;
    fourth += FourthMomentTerm(x);
    fourth_room += FourthMomentSlack(x, slack);
    room += slack;
    reach = std::max(reach, std::fabs(x) + slack);
  }
  if (z.empty()) return std::nullopt;
  const std::vector<double> sorted = Sorted(y);
  // The intervals of sorted elements that all follow one law are sorted, too.
  const auto [low, high] = NormalIntervals(mean.constant() && std.constant() ? sorted : y, mean, std, grain);
  const auto n = static_cast<int64_t>(z.size());
  room /= static_cast<double>(n);
  const double extra = 3 * room * static_cast<double>(n);
  std::optional<v1::Finding> variance;
  if (!(square <= ChiSquareUpper(n) + extra && square >= ChiSquareLower(n) - extra))
    variance = Found(F::VARIANCE_WRONG).Got(absl::StrFormat("%.6g", square / static_cast<double>(n)));
  return FirstOf({CheckMean(z, room), variance, CheckNormalTails(actual.dtype, z, reach),
                  CheckFourthMoment(static_cast<double>(n), fourth, fourth_room), CheckCells(low, high),
                  CheckLags(z), CheckDistinct(actual.dtype, sorted, least_std),
                  CheckTail(actual, y, least_std), CheckKs(low, high)});
}

std::optional<v1::Finding> CheckBernoulli(const HostTensor& actual, const Parameter& p) {
  const std::vector<double> y = Numbers(actual);
  double sum = 0;
  double expected = 0;
  double variance = 0;
  std::vector<double> z;
  for (size_t i = 0; i < y.size(); ++i) {
    const double q = p.At(i);
    const bool possible = (y[i] == 0 && q < 1) || (y[i] == 1 && q > 0);
    if (!possible) {
      v1::Finding wrong =
          Found(F::ELEMENT_NOT_BIT).Index(static_cast<int64_t>(i)).Got(absl::StrFormat("%g", y[i]));
      if (!(q <= 0) && !(q >= 1)) return wrong;
      wrong.set_code(F::ELEMENT_NOT_CERTAIN);
      wrong.set_expected(q <= 0 ? "0" : "1");
      return wrong;
    }
    sum += y[i];
    expected += q;
    variance += q * (1 - q);
    if (q > 0.01 && q < 0.99) z.push_back((y[i] - q) / std::sqrt(q * (1 - q)));
  }
  const auto n = static_cast<int64_t>(y.size());
  const bool rejected = p.constant() ? BinomialRejects(n, static_cast<int64_t>(sum), p.At(0))
                                     : std::fabs(sum - expected) > BernsteinBound(variance, 1);
  if (rejected) {
    return Found(F::SHARE_ONES)
        .Count(static_cast<int64_t>(sum))
        .Of(n)
        .Expected(absl::StrFormat("%.1f", expected));
  }
  // Rare events make the product's tails heavy; then the count must do.
  const bool heavy = p.constant() && (p.At(0) < 0.1 || p.At(0) > 0.9);
  return heavy || !p.constant() ? std::nullopt : CheckLags(z);
}

std::optional<v1::Finding> CheckIndependent(const std::vector<double>& kept, double keep) {
  // Rare events make the product's tails heavy; then the count must do.
  if (keep < 0.1 || keep > 0.9) return std::nullopt;
  std::vector<double> z;
  z.reserve(kept.size());
  for (const double k : kept) z.push_back((k - keep) / std::sqrt(keep * (1 - keep)));
  return CheckLags(z);
}

}  // namespace diopi::baselines
