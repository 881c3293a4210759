// Gates P, R and B and, where sums are exact, gate X (docs/method.md, section 4).
// One streaming pass over the output (TallyAll) counts the elements that gate P rejects and sums up what
// gates R and B need, for the device's output and for the device reference's. This decides most outputs. Only
// when a figure of the whole output exceeds its limit does a second pass (LookAgain) do what is too costly
// for every output: it counts how often values of r repeat, because equal values are rounded alike, and
// subtracts the bias of perfect rounding. Under native16 a third pass judges the bias over all elements,
// because its wide sigma would hide it. Finally a failed output is compared with known patterns and with the
// errors of known arithmetics, to name the likely cause.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/arithmetic.h"
#include "baselines/compare/gates.h"
#include "baselines/compare/groups.h"
#include "baselines/compare/oracle.h"
#include "cases/core/reference_key.h"
#include "cases/slices/slices.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

constexpr double kMinLeaning = 64;  // fewer lean one way by chance

// RN_T(r) as a number for messages.
double Shown(Dtype dtype, double r) {
  char bytes[16] = {};
  StoreDouble(dtype, bytes, 0, r);
  return ElementAsDouble(dtype, bytes, 0);
}

// An exact sum is RN_T(r) itself: then both lie at the same distance from r.
bool IsIdeal(const Point& p) {
  return p.bad == 0 && p.d == p.ideal_d;
}

class OracleEvidence : public JobEvidence {
 public:
  OracleEvidence(const OutputOracle& oracle, const Job& job) : JobEvidence(job), oracle_(oracle) {}
  double Expected(int64_t i) const override { return Shown(job_.actual.dtype, oracle_.At(job_.actual, i).r); }
  bool Fits(double value, int64_t i) const override {
    const Sample s = oracle_.At(job_.actual, i);
    return Passes(Judge(oracle_.rule(), value, s.r, s.sigma, s.low));
  }
  bool Wrong(int64_t i) const override {
    return !Passes(oracle_.PointAt(job_.actual, i)) && !oracle_.Excused(job_.actual, i);
  }

 private:
  bool Passes(const Point& p) const { return oracle_.exact() ? IsIdeal(p) : p.bad == 0; }

  const OutputOracle& oracle_;
};

// The device reference's figures; zeros where there is none.
struct Device {
  const HostTensor* tensor = nullptr;
  HostTensor parts;  // what `tensor` points to where the output is judged in parts
  double rms_z = 0;
  double rmse = 0;
  double bias = 0;  // the larger of |mean z| and |mean z sgn r|
};

double Root(double sum, int64_t count) {
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

double Mean(double sum, int64_t count) {
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double LargerBias(const Tally& tally) {
  return std::max(std::fabs(Mean(tally.sum_bias, tally.leaning)),
                  std::fabs(Mean(tally.sum_radial, tally.leaning)));
}

bool LoadDevice(const Job& job, const OutputOracle& oracle, Device* device, std::string* harness_error) {
  device->tensor = Find(job.references, ReferenceKey(job.output.key, ReferencePart::kDevice));
  if (device->tensor == nullptr) return true;
  device->tensor = &AsJudged(job.output, *device->tensor, &device->parts);
  if (device->tensor->dtype != job.output.dtype || device->tensor->shape != job.expected.shape) {
    *harness_error = "the device reference has another dtype or shape than the oracle";
    return false;
  }
  const Tally tally = oracle.TallyAll(*device->tensor, nullptr);
  device->rms_z = Root(tally.sum_z2, tally.finite);
  device->rmse = Root(tally.sum_d2, tally.finite);
  device->bias = tally.leaning >= kMinLeaning ? LargerBias(tally) : 0;
  return true;
}

void Grade(const Device& device, v1::OutputStats* stats) {
  if (std::isnan(stats->rmse())) return;  // no element has an error
  const double base = std::max(device.rmse, stats->rmse_ideal());
  const double ratio = base > 0 ? stats->rmse() / base : stats->rmse() > 0 ? 1e300 : 1;
  stats->set_rmse_ratio(std::min(ratio, 1e300));
  if (device.tensor == nullptr) return;
  stats->set_rms_z_device(device.rms_z);
  stats->set_rmse_device(device.rmse);
  stats->set_grade(ratio <= 1.25 ? "A" : ratio <= 2 ? "B" : ratio <= 8 ? "C" : "D");
}

v1::Finding BesideDevice(const OutputOracle& oracle, const Device& device, int64_t index) {
  const Point p = oracle.PointAt(*device.tensor, index);
  if (p.finite == 0) return Found(F::DEVICE_GIVES).Got(ElementText(*device.tensor, index));
  return Found(F::DEVICE_OFF_BY).Off(absl::StrFormat("%.1e", std::fabs(p.d)));
}

void ReportWrongNumbers(const Job& job, const OutputOracle& oracle, const Device& device, const Tally& tally,
                        v1::OutputStats* stats, Findings* findings) {
  const std::string gate = oracle.exact() ? "X" : "P";
  if (!job.explain) return Fail(gate, {}, stats, findings);
  const int64_t index = tally.first.front();
  const Point p = oracle.PointAt(job.actual, index);
  const double expected = Shown(job.actual.dtype, oracle.At(job.actual, index).r);
  v1::Finding wrong =
      WrongElements(job.actual, tally, NumberText(job.actual.dtype, expected)).Exact(oracle.exact());
  if (!oracle.exact() && p.finite != 0) {
    wrong.set_limit(absl::StrFormat("%.1e", p.tolerance));
    wrong.set_off(absl::StrFormat("%.1e", std::fabs(p.d)));
  }
  Fail(gate, {wrong}, stats, findings);
  if (oracle.exact()) findings->found.push_back(Found(F::AS_EVERY_ORDER));
  if (device.tensor != nullptr && (oracle.exact() || p.finite != 0))
    findings->found.push_back(BesideDevice(oracle, device, index));
  const OracleEvidence evidence(oracle, job);
  AddRemark(PatternOf(evidence, tally), findings);
  ReportOperands(evidence, job, tally, findings);
}

// A gate over the whole output. If single elements are wrong, its figure would mean nothing.
void FailWhole(const std::string& gate, v1::Finding found, v1::OutputStats* stats, Findings* findings) {
  if (stats->mismatches() == 0) return Fail(gate, {std::move(found)}, stats, findings);
  Fail(gate, {}, stats, findings);
}

// Sums of errors over elements.
struct Bias {
  double plain = 0;
  double radial = 0;  // signed away from zero
  void Add(double z, double r) {
    plain += z;
    radial += r < 0 ? -z : z;
  }
};

// The direction in which results that are off by `bias` are biased.
const char* Direction(bool radial, double bias) {
  if (radial) return bias < 0 ? "toward_zero" : "away_from_zero";
  return bias < 0 ? "down" : "up";
}

v1::Finding Biased(F::Code code, const char* direction, double bias, double limit) {
  return Found(code)
      .Word(direction)
      .Got(absl::StrFormat("%.2f", std::fabs(bias)))
      .Limit(absl::StrFormat("%.2f", limit));
}

// What a second look finds when a figure of the whole output is beyond its limit. Outputs that repeat a few
// values (an input all equal, a gradient spread over a window) have as many independent roundings as values.
struct SecondLook {
  double values = 0;          // (sum m)^2 / sum m^2 over the multiplicities m of r
  double leaning_values = 0;  // the same over the elements that lean
  double leaning = 0;         // how many these are
  Bias excess;                // sums of z - z of the ideal result
  double excess_z2 = 0;       // sum of (z - z of a real 16-bit evaluation)^2 under native16, of z^2 otherwise
  int64_t finite = 0;
};

// Counts multiplicities of up to 2^16 values; with more the count is what it would be without repetition.
class Repetition {
 public:
  void Add(double r) {
    ++total_;
    if (counts_.size() < kMost) {
      ++counts_[r];
    } else if (const auto known = counts_.find(r); known != counts_.end()) {
      ++known->second;
    }
  }
  double Effective() const {
    if (counts_.size() >= kMost) return total_;
    double squares = 0;
    for (const auto& [r, count] : counts_) squares += count * count;
    return squares == 0 ? 0 : total_ * total_ / squares;
  }

 private:
  static constexpr size_t kMost = size_t{1} << 16;
  absl::flat_hash_map<double, double> counts_;
  double total_ = 0;
};

// Stands for all numbers that lie as near: they are rounded alike, and beside a tie all of them may be
// rounded the other way.
double Alike(const PointwiseRule& rule, double r) {
  constexpr double kPerUlp = 64;
  const double ulp = std::max(std::ldexp(1.0, std::ilogb(r)), rule.smallest_normal) * rule.ulp_of_one;
  return std::nearbyint(r / ulp * kPerUlp) * ulp / kPerUlp;
}

// The error that a result without a bug has: a real 16-bit evaluation's under native16, RN_T(r)'s otherwise.
double IdealZ(const Job& job, const OutputOracle& oracle, const Sample& s, int64_t i) {
  const double evaluated = oracle.Evaluated(i);
  const double ideal = std::isfinite(evaluated) ? evaluated : Shown(job.actual.dtype, s.r);
  return Judge(oracle.rule(), ideal, s.r, s.sigma, s.low).z;
}

SecondLook LookAgain(const Job& job, const OutputOracle& oracle, const Tally& tally) {
  Repetition all;
  Repetition leaning;
  SecondLook look;
  for (int64_t i = 0; i < tally.elements; ++i) {
    const Sample s = oracle.At(job.actual, i);
    const Point p = Judge(oracle.rule(), s.y, s.r, s.sigma, s.low);
    if (p.finite == 0) continue;
    all.Add(s.r);
    const double shared = oracle.excuses() ? IdealZ(job, oracle, s, i) : 0;
    look.excess_z2 += (p.z - shared) * (p.z - shared);
    ++look.finite;
    if (p.leaning == 0) continue;
    leaning.Add(Alike(oracle.rule(), s.r));
    look.excess.Add(p.z - IdealZ(job, oracle, s, i), s.r);
  }
  look.values = all.Effective();
  look.leaning_values = leaning.Effective();
  look.leaning = static_cast<double>(tally.leaning);
  return look;
}

double RmsLimit(double groups, double kf, const Device& device) {
  return 2 * (1 + 3 / std::sqrt(std::max(groups, 1.0))) * (1 + kf) * std::max(1.0, device.rms_z);
}

double BiasLimit(double m, const Device& device) {
  return std::max(0.5 + 6 / std::sqrt(m), 2 * device.bias);
}

// Under native16 a number that all elements share may be rounded (a mean), which no element's sigma knows:
// what a real 16-bit evaluation has of it does not count.
void GateR(const SecondLook& look, double kf, const Device& device, v1::OutputStats* stats,
           Findings* findings) {
  const double groups = std::min(static_cast<double>(stats->groups()), look.values);
  stats->set_groups(static_cast<int64_t>(groups));
  const double limit = RmsLimit(groups, kf, device);
  if (std::min(stats->rms_z(), Root(look.excess_z2, look.finite)) <= limit) return;
  v1::Finding found =
      Found(F::RMS_ERROR).Got(absl::StrFormat("%.3g", stats->rms_z())).Limit(absl::StrFormat("%.3g", limit));
  if (device.tensor != nullptr) found.set_off(absl::StrFormat("%.3g", device.rms_z));
  FailWhole("R", std::move(found), stats, findings);
}

// The ideal result itself may be biased, where r is not spread over the last place, or where all elements
// share a number that is rounded to 16 bits: only the excess over it counts.
void GateB(const SecondLook& look, const Device& device, v1::OutputStats* stats, Findings* findings) {
  if (look.leaning_values < kMinLeaning) return;
  const double limit = BiasLimit(look.leaning_values, device);
  const auto beyond = [&](double bias, double excess) {
    return std::fabs(bias) > limit && std::fabs(excess) / look.leaning > limit;
  };
  const bool radial = beyond(stats->radial_bias(), look.excess.radial);
  if (!radial && !beyond(stats->bias(), look.excess.plain)) return;
  const double bias = radial ? stats->radial_bias() : stats->bias();
  FailWhole("B", Biased(F::BIASED, Direction(radial, bias), bias, limit), stats, findings);
}

// A tensor of one element is a factor, or a loss's gradient, whose one rounding all elements share.
bool HasSharedFactor(const Job& job) {
  return std::any_of(job.inputs.begin(), job.inputs.end(), [](const auto& input) {
    return IsFloating(input.second.dtype) && NumElements(input.second.shape) == 1;
  });
}

// Added to BiasLimit: cross_entropy's gradient, divided by a rounded count of rows, is biased by 2.19.
constexpr double kSharedFactor = 2;

// The share of elements whose errors are independent: (1 - a) / (1 + a) with a the autocorrelation of z, NaN
// left out, at `distance`. The elements of a running sum inherit their errors, so that a is close to 1.
double Independence(const std::vector<double>& z, int64_t distance) {
  const auto step = static_cast<size_t>(std::max<int64_t>(distance, 1));
  double sum = 0, count = 0;
  for (const double one : z) {
    if (std::isnan(one)) continue;
    sum += one;
    ++count;
  }
  const double mean = count == 0 ? 0 : sum / count;
  double squares = 0, products = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    if (std::isnan(z[i])) continue;
    squares += (z[i] - mean) * (z[i] - mean);
    if (i + step < z.size() && !std::isnan(z[i + step])) products += (z[i] - mean) * (z[i + step] - mean);
  }
  const double a = squares == 0 ? 0 : std::clamp(products / squares, 0.0, 1.0);
  return (1 - a) / (1 + a);
}

// Gate B under native16, where noise hides the bias of a single rounding but not that of all of them: over
// every element whose r is not representable. A scalar or a channel's factor that was rounded to 16 bits
// biases all elements, those of the 16-bit evaluation too: the bias that this explains does not count.
void GateNative16(const Job& job, const OutputOracle& oracle, v1::OutputStats* stats, Findings* findings) {
  Repetition values;
  std::vector<double> z(static_cast<size_t>(NumElements(job.actual.shape)), std::nan(""));
  Bias bias, excess;
  double count = 0;
  for (int64_t i = 0; i < NumElements(job.actual.shape); ++i) {
    const Sample s = oracle.At(job.actual, i);
    const Point p = Judge(oracle.rule(), s.y, s.r, s.sigma, s.low);
    if (p.finite == 0 || p.ideal_d == 0) continue;
    values.Add(s.r);
    z[static_cast<size_t>(i)] = p.z;
    ++count;
    bias.Add(p.z, s.r);
    excess.Add(p.z - IdealZ(job, oracle, s, i), s.r);
  }
  const double effective = values.Effective() * Independence(z, SlicesOf(job.c, job.actual.shape).inner);
  if (effective < kMinLeaning) return;
  const double excess_limit = BiasLimit(effective, Device());
  const double limit = excess_limit + (HasSharedFactor(job) ? kSharedFactor : 0);
  const auto beyond = [&](double sum, double rest) {
    return std::fabs(sum) > limit * count && std::fabs(rest) > excess_limit * count;
  };
  const bool radial = beyond(bias.radial, excess.radial);
  if (!radial && !beyond(bias.plain, excess.plain)) return;
  const double sum = radial ? bias.radial : bias.plain;
  FailWhole("B", Biased(F::BIASED_16_BIT, Direction(radial, sum), sum / count, limit), stats, findings);
}

// Gates R and B, from the figures of the first pass; a second pass only where they are suspicious.
void GateWhole(const Job& job, const OutputOracle& oracle, const Tally& tally, const Device& device,
               v1::OutputStats* stats, Findings* findings) {
  const bool narrow = FormatOf(job.actual.dtype).precision < 24;
  const double kf = narrow ? 0 : oracle.rule().kf;
  const bool rough = stats->rms_z() > RmsLimit(static_cast<double>(stats->groups()), kf, device);
  const double m = static_cast<double>(tally.leaning);
  const bool biased = kf == 0 && m >= kMinLeaning && LargerBias(tally) > BiasLimit(m, device);
  if (!rough && !biased) return;
  const SecondLook look = LookAgain(job, oracle, tally);
  if (rough) GateR(look, kf, device, stats, findings);
  if (biased) GateB(look, device, stats, findings);
}

// Where sums are exact, every element other than RN_T(r) is a mismatch.
void CountInexact(const Job& job, const OutputOracle& oracle, Tally* tally) {
  tally->mismatches = 0;
  tally->first.clear();
  tally->last = -1;
  for (int64_t i = 0; i < tally->elements; ++i) {
    if (!IsIdeal(oracle.PointAt(job.actual, i))) tally->AddMismatch(i);
  }
}

// Mismatches that a real 16-bit evaluation has as well do not count. True where there are any.
bool DropExcused(const Job& job, const OutputOracle& oracle, Tally* tally) {
  if (tally->mismatches == 0 || !oracle.excuses()) return false;
  Tally left;
  int64_t excused = 0;
  for (int64_t i = tally->first.front(); i <= tally->last; ++i) {
    if (oracle.PointAt(job.actual, i).bad == 0) continue;
    if (oracle.Excused(job.actual, i)) {
      ++excused;
    } else {
      left.AddMismatch(i);
    }
  }
  tally->mismatches = left.mismatches;
  tally->first = left.first;
  tally->last = left.last;
  return excused > 0;
}

}  // namespace

bool JudgePointwise(const Job& job, v1::OutputStats* stats, Findings* findings) {
  OutputOracle oracle;
  Device device;
  if (!oracle.Load(job, job.contracts, &findings->harness_error) ||
      !LoadDevice(job, oracle, &device, &findings->harness_error)) {
    return false;
  }
  int64_t argmax = -1;
  Tally tally = oracle.TallyAll(job.actual, &argmax);
  if (oracle.exact()) CountInexact(job, oracle, &tally);
  const bool excused = DropExcused(job, oracle, &tally);
  tally.ToStats(stats);
  stats->set_argmax(argmax);
  stats->set_leaning(tally.leaning);
  // Truncation biases every element alike: no two are independent. Measured: a tile of 4 products on data
  // around 30 has 2.8 where independent roundings may have 2.65.
  const bool truncates = oracle.widened().tc32 || oracle.widened().tf32;
  const int64_t groups = GroupsOf(job.c, job.output, job.actual.shape);
  stats->set_groups(truncates ? std::min<int64_t>(groups, 1) : groups);
  Grade(device, stats);
  findings->widened = oracle.widened();
  for (const int64_t index : tally.first) {
    const double r = oracle.At(job.actual, index).r;
    const double tolerance = oracle.exact() ? 0 : oracle.PointAt(job.actual, index).tolerance;
    AddFirst(job.actual, index, r, tolerance, NumberText(job.actual.dtype, r), stats);
  }
  if (tally.mismatches > 0) ReportWrongNumbers(job, oracle, device, tally, stats, findings);
  // An excused overflow must not enter a mean.
  if (!excused) GateWhole(job, oracle, tally, device, stats, findings);
  if (!excused && oracle.widened().native16) GateNative16(job, oracle, stats, findings);
  if (stats->ok() || !job.explain) return true;
  // The arithmetic explains more than the values do, except for places and special values.
  if (!findings->cause.has_value()) AddRemark(HowComputed(job, oracle, tally), findings);
  return true;
}

}  // namespace diopi::baselines
