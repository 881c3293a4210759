// Sigma is not stored for each contract: it is derived from the stored sigma, r and n when an element is
// read. The closed form of sigma is solved for q^2 (SquareSum), from which each contract's term is computed
// (Adjusted). Where no contract is in force, the vectorised kernel reads the stored columns directly;
// otherwise a block of adjusted sigmas is made first. Formulas: oracle.h and docs/method.md, section 6.
#include "baselines/compare/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "cases/core/reference_key.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

constexpr double kUnit = 0x1p-24;      // float32's roundoff, what sigma is made with
constexpr double kUnitTf32 = 0x1p-11;  // TF32 keeps 11 bits
constexpr double kTf32Scale = kUnitTf32 / kUnit;
constexpr double kTileProducts = 4;  // products summed in one step of a matrix unit (tc32)
constexpr int64_t kFewPoints = 256;

bool Narrow(Dtype dtype) {
  return dtype == D::float16 || dtype == D::bfloat16;
}

// Sigma in the 16-bit type's own roundoff instead of float32's.
double NarrowScale(Dtype dtype) {
  return std::ldexp(1.0, 24 - FormatOf(dtype).precision);
}

// How many terms a norm adds up, all of one sign; for other compositions it is not known.
double TermsOf(const Job& job) {
  if (job.c.function() != "diopiNorm") return 1;
  int64_t largest = 0;
  for (const auto& [key, tensor] : job.inputs) {
    if (IsFloating(tensor.dtype)) largest = std::max(largest, NumElements(tensor.shape));
  }
  const int64_t elements = NumElements(job.expected.shape);
  return elements == 0 ? 1 : std::max(1.0, static_cast<double>(largest) / static_cast<double>(elements));
}

// 3/u^2 sigma^2 of a sum in random order, and of a sum in runs of at most `run` and a tree.
double OneRun(double n, double q2, double r2) {
  return std::max(n - 1, 0.0) * (q2 / 2 + r2 / 3) + q2;
}
double Runs(double n, double run, double q2, double r2) {
  if (n <= run) return OneRun(n, q2, r2);
  const double count = n / run;
  return (run - 1) * (5.0 / 6 * q2 + r2 / (3 * count)) + 2 * r2 + (std::log2(count) + 1) * q2;
}

bool Usable(const HostTensor* tensor, const HostTensor& like, bool may_be_float32) {
  return tensor != nullptr && tensor->shape == like.shape &&
         (tensor->dtype == D::float64 || (may_be_float32 && tensor->dtype == D::float32));
}

}  // namespace

bool FitsTf32(const TensorMap& inputs) {
  for (const auto& [key, tensor] : inputs) {
    if (!IsFloating(tensor.dtype)) continue;
    const int64_t count = NumElements(tensor.shape);
    for (int64_t i = 0; i < count; ++i) {
      const double x = ElementAsDouble(tensor.dtype, tensor.data.data(), i);
      int exponent = 0;
      const double scaled = std::ldexp(std::frexp(x, &exponent), 11);
      if (std::isfinite(x) && scaled != std::trunc(scaled)) return false;
    }
  }
  return true;
}

bool OutputOracle::Load(const Job& job, const Contracts& declared, std::string* harness_error) {
  const std::string& key = job.output.key;
  const HostTensor* sigma = Find(job.references, ReferenceKey(key, ReferencePart::kSigma));
  const HostTensor* low = Find(job.references, ReferenceKey(key, ReferencePart::kLow));
  n_ = Find(job.references, ReferenceKey(key, ReferencePart::kTerms));
  if (job.expected.dtype != D::float64 || !Usable(sigma, job.expected, true) ||
      (low != nullptr && !Usable(low, job.expected, false)) ||
      (n_ != nullptr && !Usable(n_, job.expected, true))) {
    *harness_error = absl::StrCat("the reference of ", key, " is not r (float64) with its sigma");
    return false;
  }
  const Dtype dtype = job.output.dtype;
  const v1::Judge& judge = *job.output.judge;
  elements_ = NumElements(job.expected.shape);
  rule_ = RuleFor(dtype, judge.kf());
  const Contracts allowed = Allowed(declared, judge.arithmetic());
  // A table function of given numbers may be off by kf alone, which is stricter than kf and 8 sigma: sigma
  // contains a rounding of the input, and given numbers have none. No correct implementation fails by it
  // (compare_rule_test: glibc's functions, the same rounded twice, and CUDA's documented maximum everywhere;
  // 192 verdicts over 3.8 million elements, glibc's worst 1.96 ulp). z is then in units of w alone, which the
  // factor (1 + kf) of gate R allows for; gate B does not look at kf > 0.
  const bool table_function = job.output.kind == v1::Judge::MATH && judge.kf() > 0;
  const bool own_arithmetic =
      allowed.native16 && (Narrow(dtype) || (Narrow(job.c.dtype()) && dtype == D::float32));
  view_ = {job.expected.data.data(), table_function && !own_arithmetic ? nullptr : sigma->data.data(),
           sigma->dtype, low == nullptr ? nullptr : low->data.data()};
  Adjust(job, allowed);
  const HostTensor* exact = Find(job.references, ReferenceKey(key, ReferencePart::kExact));
  exact_ = exact != nullptr && !exact->data.empty() && exact->data[0] != 0 && !fastconv_ && scale_ == 1 &&
           !(tf32_ && !FitsTf32(job.inputs));
  return true;
}

void OutputOracle::Adjust(const Job& job, const Contracts& allowed) {
  const Dtype dtype = job.output.dtype;
  if (dtype == D::float64 || view_.sigma == nullptr || elements_ == 0) return;
  const v1::Judge::Arithmetic arithmetic = job.output.judge->arithmetic();
  const bool narrow = Narrow(dtype);
  const bool terms = n_ != nullptr;
  tf32_ = allowed.tf32 && !narrow && terms;
  tc32_ = terms && arithmetic != v1::Judge::PLAIN && (narrow || allowed.tc32);
  fastconv_ = allowed.fastconv && terms;
  if (fastconv_) FindMaxSquareSum();
  const bool scaled_tf32 = allowed.tf32 && !narrow && !terms;
  if (scaled_tf32) scale_ = kTf32Scale;
  // Statistics that a 16-bit case returns in float32 were computed in 16 bits, too.
  const Dtype computed = narrow ? dtype : job.c.dtype();
  const bool native16 = allowed.native16 && Narrow(computed);
  if (native16 || (narrow && allowed.p_cast)) scale_ = NarrowScale(computed);
  if (scale_ != 1) plain_ = Find(job.references, ReferenceKey(job.output.key, ReferencePart::kPlainSigma));
  if (native16) {
    run_ = std::ldexp(1.0, FormatOf(computed).precision - 2);
    if (!narrow) stored_as_ = std::ldexp(1.0, -FormatOf(computed).precision);
    if (!terms) terms_ = TermsOf(job);
    constexpr std::array kEvaluations = {ReferencePart::kNative16, ReferencePart::kNative16Pairwise,
                                         ReferencePart::kNative16Lanes, ReferencePart::kNative16Cautious};
    for (size_t k = 0; k < kEvaluations.size(); ++k) {
      const HostTensor* evaluated = Find(job.references, ReferenceKey(job.output.key, kEvaluations[k]));
      const bool fits =
          evaluated != nullptr && evaluated->dtype == dtype && evaluated->shape == job.expected.shape;
      native16_[k] = fits ? evaluated : nullptr;
    }
  }
  adjusted_ = tf32_ || tc32_ || fastconv_ || scale_ != 1;
  // Sigma 0, everything 0 or moved: nothing to widen.
  bool noisy = false;
  for (int64_t i = 0; i < elements_ && !noisy; ++i) {
    noisy = ElementAsDouble(view_.sigma_dtype, view_.sigma, i) > 0;
  }
  if (!noisy) return;
  widened_.tf32 = tf32_ || scaled_tf32;
  widened_.tc32 = tc32_ && !narrow;
  widened_.fastconv = fastconv_;
  widened_.native16 = native16;
  widened_.p_cast = narrow && allowed.p_cast;
}

double OutputOracle::SquareSum(double sigma, double r, double n) const {
  const double terms = std::max(n - 1, 0.0);
  const double variance = 3 * (sigma / kUnit) * (sigma / kUnit);
  return std::max((variance - terms * r * r / 3) / (terms / 2 + 1), 0.0);
}

void OutputOracle::FindMaxSquareSum() {
  for (int64_t i = 0; i < elements_; ++i) {
    const double q2 =
        SquareSum(ElementAsDouble(view_.sigma_dtype, view_.sigma, i), ElementAsDouble(D::float64, view_.r, i),
                  ElementAsDouble(n_->dtype, n_->data.data(), i));
    if (std::isfinite(q2)) max_square_sum_ = std::max(max_square_sum_, q2);
  }
}

double OutputOracle::Adjusted(double sigma, double plain, double r, double n) const {
  // NaN, or the value that stands for a variance that overflowed: left to the rule.
  if (!(sigma < double{std::numeric_limits<float>::max()}) || !std::isfinite(r)) return sigma;
  double variance = run_ > 0 ? Native16(plain, r, n) : plain * plain;
  if (fastconv_) variance += kUnit * kUnit * (1100 + 9 * n) * max_square_sum_;
  variance *= scale_ * scale_;
  variance += std::max(sigma * sigma - plain * plain, 0.0);
  if (stored_as_ > 0) variance += stored_as_ * stored_as_ * r * r / 3;
  if (tf32_ || tc32_) {
    const double q2 = SquareSum(sigma, r, n);
    if (tf32_) {
      variance += 2.0 / 3 * kUnitTf32 * kUnitTf32 * q2 + 2.25 * kUnitTf32 * kUnitTf32 * r * r;
    }
    if (tc32_) {
      const double lost = 0.72 * kUnit * (n / kTileProducts) * (0.53 * std::sqrt(q2) + 0.5 * std::fabs(r));
      variance += lost * lost;
    }
  }
  return std::sqrt(variance);
}

// sigma^2, still in float32's unit, for runs of limited length.
double OutputOracle::Native16(double sigma, double r, double n) const {
  if (n_ != nullptr) {
    if (n <= run_) return sigma * sigma;
    return kUnit * kUnit / 3 * Runs(n, run_, SquareSum(sigma, r, n), r * r);
  }
  if (terms_ <= run_) return sigma * sigma;
  return sigma * sigma * Runs(terms_, run_, 1 / terms_, 1) / OneRun(terms_, 1 / terms_, 1);
}

bool OutputOracle::Excused(const HostTensor& actual, int64_t index) const {
  if (!excuses()) return false;
  const double y = ElementAsDouble(actual.dtype, actual.data.data(), index);
  const Sample s = At(actual, index);
  if (!std::isfinite(s.r)) return false;
  // Sigma is right where the evaluation keeps to half of what gate P allows: 4 sigma, exceeded by chance once
  // in 1,500 elements.
  PointwiseRule half = rule_;
  half.lambda /= 2;
  return std::any_of(native16_.begin(), native16_.end(), [&](const HostTensor* evaluation) {
    if (evaluation == nullptr) return false;
    const double evaluated = ElementAsDouble(evaluation->dtype, evaluation->data.data(), index);
    if (Judge(half, evaluated, s.r, s.sigma, s.low).bad == 0) return false;
    if (!std::isfinite(evaluated)) return !std::isfinite(y);
    return Judge(rule_, y, evaluated, s.sigma, 0).bad == 0;
  });
}

double OutputOracle::Evaluated(int64_t index) const {
  const HostTensor* evaluation = native16_.front();
  if (evaluation == nullptr) return std::numeric_limits<double>::quiet_NaN();
  return ElementAsDouble(evaluation->dtype, evaluation->data.data(), index);
}

double OutputOracle::SigmaAt(int64_t index) const {
  if (view_.sigma == nullptr) return 0;
  const double sigma = ElementAsDouble(view_.sigma_dtype, view_.sigma, index);
  if (!adjusted_) return sigma;
  const double n = n_ == nullptr ? 0 : ElementAsDouble(n_->dtype, n_->data.data(), index);
  const double plain = plain_ == nullptr ? sigma : ElementAsDouble(D::float32, plain_->data.data(), index);
  return Adjusted(sigma, plain, ElementAsDouble(D::float64, view_.r, index), n);
}

Sample OutputOracle::At(const HostTensor& actual, int64_t index) const {
  Sample sample = SampleAt(actual.dtype, actual.data.data(), view_, index);
  sample.sigma = SigmaAt(index);
  return sample;
}

Point OutputOracle::PointAt(const HostTensor& actual, int64_t index) const {
  const Sample s = At(actual, index);
  return Judge(rule_, s.y, s.r, s.sigma, s.low);
}

Tally OutputOracle::TallyBlock(const HostTensor& actual, int64_t begin, int64_t end,
                               std::vector<double>* buffer) const {
  if (!adjusted_) return TallyPointwise(actual.dtype, actual.data.data(), view_, rule_, begin, end);
  buffer->resize(static_cast<size_t>(end - begin));
  for (int64_t i = begin; i < end; ++i) (*buffer)[static_cast<size_t>(i - begin)] = SigmaAt(i);
  const auto from = [&](const void* data, Dtype dtype) {
    return data == nullptr ? nullptr : static_cast<const char*>(data) + begin * ElementSize(dtype);
  };
  const OracleView block{from(view_.r, D::float64), buffer->data(), D::float64, from(view_.low, D::float64)};
  Tally tally =
      TallyPointwise(actual.dtype, from(actual.data.data(), actual.dtype), block, rule_, 0, end - begin);
  for (int64_t& index : tally.first) index += begin;
  if (tally.last >= 0) tally.last += begin;
  return tally;
}

int64_t OutputOracle::ArgMax(const HostTensor& actual, int64_t begin, double max_z) const {
  std::vector<double> buffer;
  int64_t end = std::min(begin + kBlock, elements_);
  // Tallies take a fraction of the time that single points do.
  while (end - begin > kFewPoints) {
    const int64_t part = std::min(begin + kFewPoints, end);
    const Tally tally = TallyBlock(actual, begin, part, &buffer);
    if (tally.finite == 0 || tally.max_z < max_z) {
      begin = part;
    } else {
      end = part;
    }
  }
  for (int64_t i = begin; i < end; ++i) {
    const Point p = PointAt(actual, i);
    if (p.finite != 0 && std::fabs(p.z) >= max_z) return i;
  }
  return begin;
}

Tally OutputOracle::TallyAll(const HostTensor& actual, int64_t* argmax) const {
  Tally total;
  std::vector<double> buffer;
  int64_t best = -1;  // the first block that holds the maximum
  double max_z = -1;
  for (int64_t begin = 0; begin < elements_; begin += kBlock) {
    const Tally block = TallyBlock(actual, begin, std::min(begin + kBlock, elements_), &buffer);
    if (block.finite > 0 && block.max_z > max_z) {
      best = begin;
      max_z = block.max_z;
    }
    total.Merge(block);
  }
  if (argmax != nullptr) *argmax = best < 0 ? -1 : ArgMax(actual, best, max_z);
  return total;
}

}  // namespace diopi::baselines
