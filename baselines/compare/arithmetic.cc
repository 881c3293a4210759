#include "baselines/compare/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

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
  Remark Text() const {
    if (values_.size() < kLeast) return {};
    if (toward_zero_ && !down_ && !up_) return Of("truncated toward zero");
    if (away_ && !down_ && !up_) return Of("rounded away from zero");
    if (down_) return Of("rounded down");
    if (up_) return Of("rounded up");
    return {};
  }

 private:
  static Remark Of(const std::string& way) {
    return {"; results are " + way + " instead of to nearest",
            "results are " + way + " instead of to nearest"};
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

struct Hypothesis {
  Contracts contracts;
  const char* text;
};

// Whether the output is what a device of these contracts, which its judge must allow, gives.
// The errors must be too large without them: what is merely rounded wrongly fits every wider noise.
bool Explains(const Job& job, const OutputOracle& declared, double rms, const Contracts& contracts) {
  if (job.output.kind != v1::Judge::ACCUMULATION && contracts.tf32) return false;
  OutputOracle oracle;
  std::string error;
  if (!oracle.Load(job, Union(job.contracts, contracts), &error) || oracle.widened() == declared.widened()) {
    return false;
  }
  const Tally tally = oracle.TallyAll(job.actual, nullptr);
  if (tally.mismatches > 0 || tally.finite < static_cast<int64_t>(kLeast)) return false;
  const double explained = std::sqrt(tally.sum_z2 / static_cast<double>(tally.finite));
  return explained >= 0.2 && explained <= 2.5 && rms >= 2 * explained;
}

}  // namespace

Remark HowComputed(const Job& job, const OutputOracle& oracle, const Tally& tally) {
  if (tally.elements < static_cast<int64_t>(kLeast) || job.actual.dtype == D::float64) return {};
  Remark direction = Directions(oracle, job.actual).Text();
  if (!direction.text.empty()) return direction;
  const double rms = tally.finite == 0 ? 0 : std::sqrt(tally.sum_z2 / static_cast<double>(tally.finite));
  Contracts tf32, tc32, fastconv, native16;
  tf32.tf32 = tc32.tc32 = fastconv.fastconv = native16.native16 = true;
  for (const auto& [contracts, text] :
       {Hypothesis{tc32, "a float32 accumulator that truncates, contract tc32"},
        {fastconv, "a fast convolution algorithm, contract fastconv"},
        {tf32, "TF32 products, contract tf32"},
        {native16, "a 16-bit accumulator, contract native16"}}) {
    if (!Explains(job, oracle, rms, contracts)) continue;
    return {std::string("; the errors have the size of ") + text + ", which is not declared",
            std::string("undeclared arithmetic: ") + text};
  }
  return {};
}

}  // namespace diopi::baselines
