// The distributions that a random output's elements should follow, according to the case's arguments.
#ifndef BASELINES_COMPARE_RANDOM_H_
#define BASELINES_COMPARE_RANDOM_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "baselines/compare/expect.h"
#include "cases/base/tensor_view.h"

namespace diopi::baselines {

// A parameter that is a number, or one number per element (a tensor of the output's shape or broadcast to
// it).
class Parameter {
 public:
  Parameter() = default;
  explicit Parameter(double number) : values_{number} {}
  // Reads the argument of that name; `fallback` when the case has none. False, with the reason, when it is
  // neither.
  bool Load(const Job& job, const std::string& name, double fallback, std::string* error);
  double At(size_t i) const { return values_.size() == 1 ? values_[0] : values_[i]; }
  bool constant() const { return values_.size() == 1; }

 private:
  std::vector<double> values_;
};

// `from` spread over `shape` by numpy's broadcasting, as numbers. Empty when it does not fit.
std::vector<double> BroadcastNumbers(const HostTensor& from, const std::vector<int64_t>& shape);

// The elements as numbers: `count` from `at` on, or all.
void ReadNumbers(const TensorView& tensor, int64_t at, int64_t count, double* to);
std::vector<double> Numbers(const HostTensor& tensor);

// The nearest number of a floating type: where a bound, or a value near it, is rounded to.
double InDtype(Dtype dtype, double value);

std::optional<v1::Finding> FirstOf(std::initializer_list<std::optional<v1::Finding>> findings);

// Each returns what the first check that failed found.
std::optional<v1::Finding> CheckUniform(const HostTensor& actual, double from, double to);
std::optional<v1::Finding> CheckIntegers(const HostTensor& actual, double from, double to);  // [from, to)
std::optional<v1::Finding> CheckNormal(const HostTensor& actual, const Parameter& mean, const Parameter& std);
// 0 ... n - 1 in a random order.
std::optional<v1::Finding> CheckPermutation(const HostTensor& actual);
// Indices drawn by the weights of each row (the last dimension of `weights`).
std::optional<v1::Finding> CheckCategories(const HostTensor& actual, const HostTensor& weights,
                                           bool replacement);
// The mask of a dropout that keeps with probability `keep`: no element depends on another.
std::optional<v1::Finding> CheckIndependent(const std::vector<double>& kept, double keep);
// The public harness's verdict on a random output; for comparison only.
bool PublicRuleAccepts(const Job& job);
// The same from an output's share of elements that are not 0, and from its Kolmogorov-Smirnov distance times
// sqrt(N).
bool PublicRuleAccepts(const v1::Case& c, v1::Judge::Distribution distribution, double nonzero, double ks);

// The fourth moment of n standardised normal numbers: `sum` of their FourthMomentTerm. `room`: how far their
// roundings may have moved it.
std::optional<v1::Finding> CheckFourthMoment(double n, double sum, double room);

// How far a number within `slack` of z may be off in FourthMomentTerm.
double FourthMomentSlack(double z, double slack);

// That `far` of n normal numbers lie beyond so many standard deviations.
v1::Finding FarValues(Dtype dtype, double deviations, int64_t far, int64_t n);

// The farthest of n normal numbers, in standard deviations, lies `surely` as far or farther and `maybe` as
// far as that: not beyond what n of them reach, and not short of 5 where they reach farther.
std::optional<v1::Finding> CheckFarthest(Dtype dtype, double surely, double maybe, int64_t n);

// Correlation of standardised numbers with those 1, 2, 4, ... 4096 elements ahead: shows repeated blocks and
// reused states. The product of two draws has heavy tails, so it needs at least 1024 of them.
std::optional<v1::Finding> CheckLags(const std::vector<double>& z);

std::optional<v1::Finding> CheckBernoulli(const HostTensor& actual, const Parameter& p);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_RANDOM_H_
