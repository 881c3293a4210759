// One pass reads each number once: it is standardised (mean 0, variance 1) a block at a time, and every check
// reads the block, because an output may be far larger than any cache and the library may still be writing to
// it. The stream is cut into parts that depend on its length alone and whose sums are added in order, so the
// number of threads changes no result. A check rejects only what is wrong wherever within its step each
// number was drawn (Law::Grain).
#include "baselines/compare/random_stream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/contraction_kernel.h"
#include "baselines/compare/random.h"
#include "baselines/compare/repeats.h"
#include "baselines/compare/tails.h"
#include "cases/base/dtype.h"
#include "cases/base/parallel.h"
#include "cases/findings/finding.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

constexpr int64_t kMostLag = 4096;
constexpr size_t kLags = 13;
constexpr size_t kStreamCells = 4096;
constexpr size_t kCellGroups = 64;      // of cells, for chi-square
constexpr double kFarDeviations = 3.5;  // standard deviations
constexpr double kWidestNormal = 8;

// What a stream's numbers should follow: y = location + scale z.
struct Law {
  Dtype dtype = v1::Dtype::float32;
  double location = 0;
  double scale = 1;
  double largest = 0;     // of |z|; 0: not limited, and z is normal
  double step = 0;        // of a number relative to its magnitude: an ulp; 0: numbers are as they were drawn
  double least_step = 0;  // absolute, as draws have steps of their own
  double one_value = 0;   // at least the probability of any single number

  bool normal() const { return largest == 0; }
  // How far a number may lie from the one that was drawn, in z.
  double Grain(double z) const {
    return std::max(std::fabs(location + scale * z) * step, least_step) / scale;
  }
  double Cdf(double z) const { return normal() ? NormalCdf(z) : std::clamp((z / largest + 1) / 2, 0.0, 1.0); }
  double widest() const { return normal() ? kWidestNormal : largest; }
  // Their mean grain, or more.
  double room() const { return Grain(location < 0 ? -1 : 1); }
};

Found TooFar(F::Code code, double value, double bound) {
  return Found(code).Got(absl::StrFormat("%.5g", value)).Limit(absl::StrFormat("%.5g", bound));
}

double DotOf(const double* a, const double* b, int64_t n) {
  return Dot(v1::Dtype::float64, reinterpret_cast<const char*>(a), b, static_cast<size_t>(n));
}

double Added(const double* a, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i];
  return sum;
}

// What the checks need to know of a stream's numbers, or of those of a part of it.
struct Totals {
  double sum = 0, square = 0;
  double fourth = 0;  // of z^4 - 6z^2 + 3
  std::array<double, kLags> lags{};
  std::vector<int64_t> cells = std::vector<int64_t>(kStreamCells, 0);
  int64_t surely_far = 0, maybe_far = 0;
  double farthest = 0, reach = 3;            // numbers nearer than 3 are not looked at
  std::optional<v1::Finding> block_finding;  // of the first block that fails

  // Adds the totals of the next part.
  void Add(const Totals& next) {
    sum += next.sum;
    square += next.square;
    fourth += next.fourth;
    for (size_t k = 0; k < kLags; ++k) lags[k] += next.lags[k];
    for (size_t k = 0; k < kStreamCells; ++k) cells[k] += next.cells[k];
    surely_far += next.surely_far;
    maybe_far += next.maybe_far;
    farthest = std::max(farthest, next.farthest);
    reach = std::max(reach, next.reach);
    if (!block_finding.has_value()) block_finding = next.block_finding;
  }
};

// Writes `count` numbers from `at` on as z. Called from several threads, and with `again` for numbers that it
// is called for elsewhere, too.
using Reader = absl::FunctionRef<void(int64_t at, int64_t count, bool again, double* z)>;

// How far sums of numbers that follow the law may be off. `alpha`: the false alarm rate.
double SpreadBound(const Law& law, double n, double alpha) {  // of n squares
  const double x = std::log(2 / alpha);
  const double noise = law.normal() ? 2 * std::sqrt(n * x) + 2 * x : BernsteinBound(0.8 * n, 2, alpha);
  return noise + 4 * law.room() * n;
}
double MeanBound(const Law& law, double n, double alpha) {
  return BernsteinBound(n, law.largest, alpha) + law.room() * n;
}

// Adds up a part of a stream of n numbers, a block at a time.
class Part {
 public:
  Part(const Law& law, int64_t n) : law_(law), n_(n), kept_(static_cast<size_t>(kMostLag + kBlock)) {}

  Totals Of(int64_t begin, int64_t end, Reader read) {
    totals_ = Totals();
    const int64_t before = std::min(begin, kMostLag);
    if (before > 0) read(begin - before, before, true, kept_.data() + kMostLag - before);
    for (int64_t at = begin; at < end; at += kBlock) {
      const int64_t count = std::min(kBlock, end - at);
      double* z = kept_.data() + kMostLag;
      read(at, count, false, z);
      AddMoments(at, z, count);
      for (size_t k = 0; k < kLags; ++k) {
        const int64_t lag = int64_t{1} << k;
        const int64_t skipped = std::max<int64_t>(lag - at, 0);  // that the first ones have none to meet
        totals_.lags[k] += DotOf(z + skipped, z + skipped - lag, count - std::min(skipped, count));
      }
      AddCells(z, count);
      std::memmove(kept_.data(), z + count - kMostLag, kMostLag * sizeof(double));
    }
    return std::move(totals_);
  }

 private:
  void AddMoments(int64_t at, const double* z, int64_t count) {
    const double sum = Added(z, count);
    const double square = DotOf(z, z, count);
    totals_.sum += sum;
    totals_.square += square;
    if (law_.normal()) {
      for (int64_t i = 0; i < count; ++i) squares_[static_cast<size_t>(i)] = z[i] * z[i];
      totals_.fourth +=
          DotOf(squares_.data(), squares_.data(), count) - 6 * square + 3 * static_cast<double>(count);
    }
    const auto n = static_cast<double>(count);
    const double alpha = kAlpha / (2 * (static_cast<double>(n_) / static_cast<double>(kBlock) + 1));
    if (totals_.block_finding.has_value()) return;
    const auto in_block = [&](const char* what, double value, double bound) {
      return TooFar(F::EXCEEDS, value, bound).Word(what).Count(count).Index(at);
    };
    const double mean_bound = MeanBound(law_, n, alpha);
    const double spread_bound = SpreadBound(law_, n, alpha);
    if (std::fabs(sum) > mean_bound) {
      totals_.block_finding = in_block("block_mean", sum / std::sqrt(n), mean_bound / std::sqrt(n));
    } else if (law_.largest <= std::sqrt(3.0) && std::fabs(square - n) > spread_bound) {
      totals_.block_finding = in_block("variance", square - n, spread_bound);
    }
  }

  void AddCells(const double* z, int64_t count) {
    const double per_z = static_cast<double>(kStreamCells) / (2 * law_.widest());
    for (int64_t i = 0; i < count; ++i) {
      const double at =
          std::clamp((z[i] + law_.widest()) * per_z, 0.0, static_cast<double>(kStreamCells - 1));
      ++totals_.cells[static_cast<size_t>(at)];
      const double size = std::fabs(z[i]);
      if (size < 3) continue;
      const double grain = law_.Grain(z[i]);
      totals_.surely_far += size - grain > kFarDeviations ? 1 : 0;
      totals_.maybe_far += size + grain > kFarDeviations ? 1 : 0;
      totals_.farthest = std::max(totals_.farthest, size - grain);
      totals_.reach = std::max(totals_.reach, size + grain);
    }
  }

  const Law& law_;
  const int64_t n_;
  Totals totals_;
  std::vector<double> kept_;  // the last kMostLag numbers, and a block
  std::vector<double> squares_ = std::vector<double>(static_cast<size_t>(kBlock));
};

// The totals of all n numbers.
Totals TotalsOf(const Law& law, int64_t n, Reader read) {
  constexpr int64_t kFewestBlocks = 4;
  constexpr int64_t kMostParts = 64;
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  const int64_t part = kBlock * std::max(kFewestBlocks, (blocks + kMostParts - 1) / kMostParts);
  std::vector<Totals> parts(static_cast<size_t>((n + part - 1) / part));
  ForRanges(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
    Part numbers(law, n);
    for (int64_t k = begin; k < end; ++k)
      parts[static_cast<size_t>(k)] = numbers.Of(k * part, std::min(n, (k + 1) * part), read);
  });
  for (size_t k = 1; k < parts.size(); ++k) parts[0].Add(parts[k]);
  return std::move(parts[0]);
}

class Checks {
 public:
  Checks(const Law& law, int64_t n, Totals totals) : law_(law), n_(n), totals_(std::move(totals)) {}

  // The first check that failed. The variance of draws of two values follows from their mean.
  std::optional<v1::Finding> Finding(bool two_values) const {
    if (two_values) return FirstOf({CheckMoments(true), totals_.block_finding, CheckLagSums()});
    if (!law_.normal()) {
      return FirstOf(
          {CheckMoments(false), totals_.block_finding, CheckGroups(), CheckLagSums(), CheckDistance()});
    }
    return FirstOf({CheckMoments(false), CheckFar(), CheckFourthMoment(Total(), totals_.fourth, FourthRoom()),
                    totals_.block_finding, CheckGroups(), CheckLagSums(), CheckDistance()});
  }

  // sqrt(N) times a lower bound of the distance, by what the cells show.
  double Distance() const {
    double distance = 0;
    double below = 0;
    for (size_t k = 0; k < kStreamCells; ++k) {
      if (totals_.cells[k] == 0) continue;
      const double low = k == 0 ? 0 : law_.Cdf(Edge(k) - law_.Grain(Edge(k)));
      const double high = k + 1 == kStreamCells ? 1 : law_.Cdf(Edge(k + 1) + law_.Grain(Edge(k + 1)));
      const double above = below + static_cast<double>(totals_.cells[k]) / Total();
      distance = std::max({distance, above - high, low - below});
      below = above;
    }
    return distance * std::sqrt(Total());
  }

 private:
  double Total() const { return static_cast<double>(n_); }
  double Edge(size_t k) const {
    return law_.widest() * (2 * static_cast<double>(k) / static_cast<double>(kStreamCells) - 1);
  }

  // Roundings by a grain move the sum by its derivative, |4z^3 - 12z|, whose mean is below 10, and so is that
  // of |z| times it, by which grains may grow; the rest is of higher orders.
  double FourthRoom() const { return 12 * law_.room() * std::pow(1 + law_.room(), 3) * Total(); }

  std::optional<v1::Finding> CheckMoments(bool two_values) const {
    const double bound = MeanBound(law_, Total(), kAlpha);
    if (std::fabs(totals_.sum) > bound) {
      return TooFar(F::EXCEEDS, totals_.sum / std::sqrt(Total()), bound / std::sqrt(Total())).Word("mean");
    }
    if (two_values || std::fabs(totals_.square - Total()) <= SpreadBound(law_, Total(), kAlpha))
      return std::nullopt;
    return Found(F::VARIANCE_WRONG).Got(absl::StrFormat("%.6g", totals_.square / Total()));
  }

  std::optional<v1::Finding> CheckFar() const {
    const double p = 2 * NormalCdf(-kFarDeviations);
    const double expected = p * Total();
    const bool many =
        static_cast<double>(totals_.surely_far) > expected && BinomialRejects(n_, totals_.surely_far, p);
    const bool few =
        static_cast<double>(totals_.maybe_far) < expected && BinomialRejects(n_, totals_.maybe_far, p);
    if (many || few)
      return FarValues(law_.dtype, kFarDeviations, many ? totals_.surely_far : totals_.maybe_far, n_);
    return CheckFarthest(law_.dtype, totals_.farthest, totals_.reach, n_);
  }

  std::optional<v1::Finding> CheckLagSums() const {
    // Steps shift all numbers alike at most by `room`.
    const double bound = 1.1 * kNormalBound + law_.room() * law_.room() * std::sqrt(Total());
    for (size_t k = 0; k < kLags; ++k) {
      const int64_t lag = int64_t{1} << k;
      const double deviation = totals_.lags[k] / std::sqrt(static_cast<double>(n_ - lag));
      if (std::fabs(deviation) > bound) return TooFar(F::CORRELATED, deviation, bound).Count(lag);
    }
    return std::nullopt;
  }

  // Neighbouring cells together, of about the same probability. Not where steps could move more numbers over
  // a border than noise does.
  std::optional<v1::Finding> CheckGroups() const {
    double statistic = 0;
    int64_t groups = 0;
    double begin = 0;
    int64_t count = 0;
    for (size_t k = 0; k < kStreamCells; ++k) {
      count += totals_.cells[k];
      const double edge = Edge(k + 1);
      const double end = k + 1 == kStreamCells ? 1 : law_.Cdf(edge);
      const double expected = (end - begin) * Total();
      const bool rest_suffices = 1 - end >= 1.0 / (2 * kCellGroups);
      if (k + 1 < kStreamCells && (end - begin < 1.0 / kCellGroups || !rest_suffices)) continue;
      const double grain = law_.Grain(edge);
      const double moved = (law_.Cdf(edge + grain) - law_.Cdf(edge - grain)) * Total();
      if (k + 1 < kStreamCells && moved > 0.05 * std::sqrt(expected)) return std::nullopt;
      const double off = static_cast<double>(count) - expected;
      statistic += off * off / expected;
      ++groups;
      begin = end;
      count = 0;
    }
    const double bound = PearsonBound(groups);
    if (statistic <= bound) return std::nullopt;
    return TooFar(F::EXCEEDS, statistic, bound).Word("chi_square_cells");
  }

  std::optional<v1::Finding> CheckDistance() const {
    if (Distance() <= kKsBound) return std::nullopt;
    return TooFar(F::EXCEEDS, Distance(), kKsBound).Word("ks");
  }

  const Law law_;
  const int64_t n_;
  const Totals totals_;
};

// The first element of each block that small outputs' checks look at: both ends and two between.
std::vector<int64_t> ChosenBlocks(int64_t n) {
  const int64_t last = n - kBlock;
  return {0, last / 3 + 1, last - last / 3 - 1, last};
}

HostTensor BlockAt(const TensorView& whole, int64_t begin) {
  const auto size = static_cast<size_t>(ElementSize(whole.dtype));
  const std::string_view data =
      whole.data.substr(static_cast<size_t>(begin) * size, static_cast<size_t>(kBlock) * size);
  return {whole.dtype, {kBlock}, std::string(data)};
}

double UlpOf(Dtype dtype) {
  return std::ldexp(1.0, 1 - FormatOf(dtype).precision);
}

// An upper bound of any number's probability; float64 counts as float32, because its draws may come from
// float32 ones.
double OneValue(Dtype dtype, double farthest, double scale) {
  return std::max(UlpOf(dtype), UlpOf(v1::Dtype::float32)) * (1 + 2 * farthest / scale);
}

struct Bounds {
  double least, greatest;
  double end;  // how many are as large as this is counted
};

struct StreamResult {
  int64_t outside = -1;  // the first element that is
  int64_t at_end = 0;
  double ks = 0;
  std::optional<v1::Finding> finding, repeats;
  std::vector<std::optional<v1::Finding>> blocks;  // of each chosen block, by the checks of small outputs

  const std::optional<v1::Finding>& OfAll() const { return repeats.has_value() ? repeats : finding; }
  std::optional<v1::Finding> OfBlocks(const TensorView& actual) const {
    const std::vector<int64_t> begins = ChosenBlocks(NumElements(actual.shape));
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].has_value()) return Found(F::OF_BLOCK).Count(kBlock).Index(begins[i]).Part(*blocks[i]);
    }
    return std::nullopt;
  }
};

// The checks that go through the stream in order.
void CheckInOrder(const TensorView& actual, const Law& law, const Bounds& bounds, StreamResult* result) {
  const int64_t n = NumElements(actual.shape);
  std::atomic<int64_t> outside = n;
  std::atomic<int64_t> at_end = 0;
  const Totals totals = TotalsOf(law, n, [&](int64_t at, int64_t count, bool again, double* z) {
    ReadNumbers(actual, at, count, z);
    const auto is_outside = [&](double y) { return !(y >= bounds.least && y <= bounds.greatest); };
    int64_t ends = 0;
    int64_t others = 0;
    for (int64_t i = 0; i < count; ++i) {
      ends += z[i] >= bounds.end ? 1 : 0;
      others += is_outside(z[i]) ? 1 : 0;
    }
    if (others > 0) {
      const int64_t here = at + (std::find_if(z, z + count, is_outside) - z);
      for (int64_t first = outside; here < first && !outside.compare_exchange_weak(first, here);) {
      }
      std::replace_if(z, z + count, is_outside, law.location);
    }
    for (int64_t i = 0; i < count; ++i) z[i] = (z[i] - law.location) / law.scale;
    if (!again) at_end += ends;
  });
  result->at_end = at_end;
  if (outside < n) {
    result->outside = outside;
    return;
  }
  const Checks checks(law, n, totals);
  result->ks = checks.Distance();
  result->finding = checks.Finding(false);
}

// All checks over the whole stream, and `check_block` on the chosen blocks, side by side.
StreamResult CheckStream(const TensorView& actual, const Law& law, const Bounds& bounds,
                         const std::function<std::optional<v1::Finding>(const HostTensor&)>& check_block) {
  const std::vector<int64_t> begins = ChosenBlocks(NumElements(actual.shape));
  StreamResult result;
  result.blocks.resize(begins.size());
  ForRanges(static_cast<int64_t>(begins.size()) + 2, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      if (task == 0) {
        CheckInOrder(actual, law, bounds, &result);
      } else if (task == 1) {
        result.repeats = CheckRepeats(actual, law.one_value);
      } else {
        const auto block = static_cast<size_t>(task - 2);
        result.blocks[block] = check_block(BlockAt(actual, begins[block]));
      }
    }
  });
  return result;
}

}  // namespace

std::optional<v1::Finding> CheckUniformStream(const TensorView& actual, double from, double to) {
  const double width = to - from;
  const std::string range = absl::StrFormat("[%g, %g)", from, to);
  if (!(width > 0)) return Found(F::NO_NUMBERS_IN).Limit(range);
  const double most = std::max(std::fabs(from), std::fabs(to));
  const double ulp = UlpOf(actual.dtype);
  const Law law{.location = (from + to) / 2,
                .scale = width / std::sqrt(12.0),
                .largest = std::sqrt(3.0),
                .step = ulp,
                .least_step = width * ulp,
                .one_value = OneValue(actual.dtype, most, width)};
  const StreamResult result = CheckStream(
      actual, law, {std::min(from, InDtype(actual.dtype, from)), std::max(to, InDtype(actual.dtype, to)), to},
      [&](const HostTensor& block) { return CheckUniform(block, from, to); });
  if (result.outside >= 0) {
    const double y = ElementAsDouble(actual.dtype, actual.data.data(), result.outside);
    return Found(F::ELEMENT_OUTSIDE).Index(result.outside).Got(absl::StrFormat("%.9g", y)).Limit(range);
  }
  if (result.OfAll().has_value()) return result.OfAll();
  // Only rounding up, or a generator of (0, 1], gives the end itself.
  const auto n = NumElements(actual.shape);
  const double share = std::min(0.5, std::max(std::fabs(to), width) * ulp / width);
  if (static_cast<double>(result.at_end) > static_cast<double>(n) * share &&
      BinomialRejects(n, result.at_end, share))
    return Found(F::AT_EXCLUDED_END).Count(result.at_end).Of(n).Got(absl::StrFormat("%g", to));
  return result.OfBlocks(actual);
}

std::optional<v1::Finding> CheckNormalStream(const TensorView& actual, double mean, double std, double* ks) {
  if (!(std > 0)) return Found(F::NO_SUCH_DEVIATION).Got(absl::StrFormat("%g", std));
  const Law law{.dtype = actual.dtype,
                .location = mean,
                .scale = std,
                .step = UlpOf(actual.dtype),
                .one_value = OneValue(actual.dtype, std::fabs(mean), std)};
  constexpr double kLargest = std::numeric_limits<double>::max();
  const Parameter mean_of_all(mean), std_of_all(std);
  const StreamResult result =
      CheckStream(actual, law, {-kLargest, kLargest, kLargest},
                  [&](const HostTensor& block) { return CheckNormal(block, mean_of_all, std_of_all); });
  if (result.outside >= 0) {
    const double y = ElementAsDouble(actual.dtype, actual.data.data(), result.outside);
    return Found(F::ELEMENT_IS).Index(result.outside).Got(absl::StrFormat("%g", y));
  }
  if (ks != nullptr) *ks = result.ks;
  return result.OfAll().has_value() ? result.OfAll() : result.OfBlocks(actual);
}

std::optional<v1::Finding> CheckKeptStream(const TensorView& mask, double keep) {
  const int64_t n = NumElements(mask.shape);
  int64_t kept = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto byte = static_cast<unsigned char>(mask.data[static_cast<size_t>(i)]);
    if (byte > 1) return Found(F::ELEMENT_NOT_BIT).Index(i).Got(absl::StrCat(byte));
    kept += byte;
  }
  if (BinomialRejects(n, kept, keep)) {
    return Found(F::SHARE_KEPT)
        .Count(kept)
        .Of(n)
        .Expected(absl::StrFormat("%.1f", keep * static_cast<double>(n)));
  }
  // Rare events make the product's tails heavy, and stretches alike; then the count must do.
  if (keep < 0.1 || keep > 0.9) return std::nullopt;
  const double deviation = std::sqrt(keep * (1 - keep));
  const Law law{.location = keep, .scale = deviation, .largest = std::max(keep, 1 - keep) / deviation};
  std::optional<v1::Finding> repeats = CheckRepeats(mask, std::max(keep, 1 - keep));
  if (repeats.has_value()) return repeats;
  const Totals totals = TotalsOf(law, n, [&](int64_t at, int64_t count, bool, double* z) {
    for (int64_t i = 0; i < count; ++i)
      z[i] = ((mask.data[static_cast<size_t>(at + i)] == 1 ? 1 : 0) - keep) / deviation;
  });
  return Checks(law, n, totals).Finding(true);
}

}  // namespace diopi::baselines
