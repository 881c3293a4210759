// How it works: a failed output's errors are compared with those that each declarable arithmetic would make.
// An arithmetic explains an output when every element passes under its contract; its likelihood comes from
// figures measured on real implementations (libdiopi_variants, libdiopi_native16): the RMS error in units of
// its noise, and whether errors point toward zero, which only those of a truncating accumulator do. The
// alternative is "anything else": a bug, whose errors may have any size. The confidence is the posterior of
// the likeliest.
#include "baselines/compare/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cases/core/reference_key.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using F = v1::Finding;

constexpr size_t kLeast = 16;  // elements that chance cannot move one way together (2^-16), or to one size

// Each element that a directed rounding would change lies on its side of r, within one unit. Elements with
// noise above w/10 before the rounding say nothing.
class Directions {
 public:
  Directions(const OutputOracle& oracle, const HostTensor& actual) {
    const int64_t elements = NumElements(actual.shape);
    for (int64_t i = 0; i < elements && any(); ++i) {
      const Point p = oracle.PointAt(actual, i);
      if (p.leaning != 0) {
        Add(p, oracle.At(actual, i));
      } else if (p.bad != 0 || p.finite == 0) {
        Clear();
      }
    }
  }
  Remark Seen() const {
    if (values_.size() < kLeast) return {};
    if (toward_zero_ && !down_ && !up_) return Of("truncated");
    if (away_ && !down_ && !up_) return Of("rounded_away");
    if (down_) return Of("rounded_down");
    if (up_) return Of("rounded_up");
    return {};
  }

 private:
  static Remark Of(const std::string& way) {
    const v1::Finding wrong = Found(F::ROUNDED_WRONG).Word(way);
    return {{wrong}, wrong, 1 - 4 * std::ldexp(1.0, -static_cast<int>(kLeast))};
  }
  bool any() const { return toward_zero_ || away_ || down_ || up_; }
  void Clear() { toward_zero_ = away_ = down_ = up_ = false; }
  void Add(const Point& p, const Sample& s) {
    if (values_.size() < kLeast) values_.insert(s.r);
    const double slack = 8 * s.sigma;
    const double w = p.d == 0 ? 0 : std::fabs(p.d) / p.ulps;
    const double radial = s.r < 0 ? -p.d : p.d;
    const auto within = [&](double d) { return d <= slack && d >= -w - slack; };
    toward_zero_ &= within(radial);
    away_ &= within(-radial);
    down_ &= within(p.d);
    up_ &= within(-p.d);
  }

  std::set<double> values_;  // distinct r, up to kLeast: equal ones are rounded alike
  bool toward_zero_ = true;
  bool away_ = true;
  bool down_ = true;
  bool up_ = true;
};

// The direction of an arithmetic's errors.
enum class RoundingBias { kNone, kTowardZero, kEither };

// A contract as an explanation. `log2_rms` and `spread`: mean and standard deviation of log2 of the RMS error
// in units of the contract's own noise, over the outputs that fail without it.
struct Hypothesis {
  Contracts contract;
  F::Code found;
  double log2_rms;
  double spread;
  RoundingBias bias;
  double prior;
};

const std::vector<Hypothesis>& Hypotheses() {
  static const auto* const kAll = new std::vector<Hypothesis>{
      {{.tc32 = true}, F::TRUNCATING_ACCUMULATOR, 1.4, 0.5, RoundingBias::kTowardZero, 0.15},
      {{.fastconv = true}, F::WINOGRAD, -1.2, 1.5, RoundingBias::kNone, 0.4},
      {{.tf32 = true}, F::TF32_PRODUCTS, -0.9, 0.8, RoundingBias::kEither, 0.2},
      {{.native16 = true}, F::INTERMEDIATE_16_BIT, -1.2, 0.9, RoundingBias::kNone, 0.3}};
  return *kAll;
}
// A bug's errors are equally likely to have any size, over so many octaves.
constexpr double kOctaves = 20;
constexpr double kBugPrior = 0.06;
// Standard errors, and units of the RMS error, beyond which errors count as biased.
constexpr double kBiasErrors = 3;
constexpr double kBiasSize = 0.5;
constexpr double kAgainst = 0.01;

struct Errors {
  double rms = 0;     // of z
  double radial = 0;  // mean of z away from zero, in units of that
  double count = 0;
};

// Over every element, not only those whose rounding can be told from noise.
Errors ErrorsUnder(const Job& job, const OutputOracle& oracle) {
  double squares = 0, radial = 0;
  Errors errors;
  const int64_t elements = NumElements(job.actual.shape);
  for (int64_t i = 0; i < elements; ++i) {
    const Sample s = oracle.At(job.actual, i);
    const Point p = Judge(oracle.rule(), s.y, s.r, s.sigma, s.low);
    if (p.finite == 0) continue;
    squares += p.z2;
    radial += s.r < 0 ? -p.z : p.z;
    ++errors.count;
  }
  if (errors.count == 0 || squares == 0) return errors;
  errors.rms = std::sqrt(squares / errors.count);
  errors.radial = radial / errors.count / errors.rms;
  return errors;
}

// Whether the errors correlate, by five standard errors, with those of a real 16-bit evaluation
// (KEY.native16). Another order of its sums keeps such a correlation; a bug's errors have none.
bool ErrsLikeNative16(const Job& job, const OutputOracle& oracle) {
  const HostTensor* evaluated = Find(job.references, ReferenceKey(job.output.key, ReferencePart::kNative16));
  if (evaluated == nullptr || evaluated->shape != job.actual.shape || evaluated->dtype != job.actual.dtype)
    return false;
  double own = 0, other = 0, both = 0, count = 0;
  for (int64_t i = 0; i < NumElements(job.actual.shape); ++i) {
    const Sample s = oracle.At(job.actual, i);
    const Point p = Judge(oracle.rule(), s.y, s.r, s.sigma, s.low);
    const Point q = oracle.PointAt(*evaluated, i);
    if (p.finite == 0 || q.finite == 0) continue;
    // Beyond the rounding of the result, which any two evaluations share.
    const double a = p.d - p.ideal_d, b = q.d - q.ideal_d;
    const double unit = p.d == 0 ? 1 : std::fabs(p.z / p.d);
    own += a * a * unit * unit;
    other += b * b * unit * unit;
    both += a * b * unit * unit;
    ++count;
  }
  constexpr double kErrors = 5;
  return own > 0 && other > 0 && both > kErrors * std::sqrt(own * other / count);
}

double Likelihood(const Hypothesis& hypothesis, const Errors& errors) {
  const double off = (std::log2(errors.rms) - hypothesis.log2_rms) / hypothesis.spread;
  double likelihood = std::exp(-off * off / 2) / (hypothesis.spread * std::sqrt(2 * M_PI));
  const double standard_errors = errors.radial * std::sqrt(errors.count);
  const bool biased = std::fabs(standard_errors) > 2 * kBiasErrors && std::fabs(errors.radial) > kBiasSize;
  const bool against = hypothesis.bias == RoundingBias::kTowardZero
                           ? standard_errors > -kBiasErrors
                           : hypothesis.bias == RoundingBias::kNone && biased;
  if (against) likelihood *= kAgainst;
  return likelihood;
}

// Whether all elements are what a device of this contract gives, and their errors beside its own.
bool Explains(const Job& job, const OutputOracle& declared, const Hypothesis& hypothesis, Errors* errors) {
  OutputOracle oracle;
  std::string error;
  if (!oracle.Load(job, Union(job.contracts, hypothesis.contract), &error) ||
      oracle.widened() == declared.widened()) {
    return false;
  }
  const Tally tally = oracle.TallyAll(job.actual, nullptr);
  if (tally.mismatches > 0 || tally.finite < static_cast<int64_t>(kLeast)) return false;
  *errors = ErrorsUnder(job, oracle);
  return errors->rms > 0;
}

}  // namespace

Remark HowComputed(const Job& job, const OutputOracle& oracle, const Tally& tally) {
  if (tally.elements < static_cast<int64_t>(kLeast) || job.actual.dtype == D::float64) return {};
  Remark direction = Directions(oracle, job.actual).Seen();
  if (!direction.observed.empty()) return direction;
  const Hypothesis* best = nullptr;
  double highest = 0;
  double all = kBugPrior / kOctaves;
  // TF32 holds every 16-bit number: its products of them are exact.
  const bool narrow = IsFloating(job.c.dtype()) && ElementSize(job.c.dtype()) == 2;
  for (const Hypothesis& hypothesis : Hypotheses()) {
    Errors errors;
    if (narrow && hypothesis.contract.tf32) continue;
    if (!Explains(job, oracle, hypothesis, &errors)) continue;
    // Where ordinary sums do not round at all, what is left may have any size below the noise.
    double weight = hypothesis.prior * (oracle.exact() ? 2 / kOctaves : Likelihood(hypothesis, errors));
    if (hypothesis.contract.native16 && !ErrsLikeNative16(job, oracle)) weight *= kAgainst;
    all += weight;
    if (weight <= highest) continue;
    highest = weight;
    best = &hypothesis;
  }
  if (best == nullptr) return {};
  const double confidence = highest / all;
  if (confidence < kLeastConfidence) return {};
  return {{Found(F::ERRORS_SIZED_AS).Part(Found(best->found))},
          Found(F::DECLARE).Word(ContractNames(best->contract).front()).Part(Found(best->found)),
          confidence};
}

}  // namespace diopi::baselines
