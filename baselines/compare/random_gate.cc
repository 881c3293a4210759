// Finds the parameters of a distribution among the case's arguments and chooses the checks of random.h.
// Dropout has two outputs that must agree: the mask is judged as draws, and the output, given the mask,
// element by element.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/dropped.h"
#include "baselines/compare/gates.h"
#include "baselines/compare/random.h"
#include "baselines/compare/sampled_tokens.h"
#include "baselines/compare/tails.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

// One more than an integer type's greatest number.
double BeyondGreatest(Dtype dtype) {
  const bool is_unsigned = dtype == v1::Dtype::uint8 || dtype == v1::Dtype::bool_;
  return std::ldexp(1.0, 8 * static_cast<int>(ElementSize(dtype)) - (is_unsigned ? 0 : 1));
}

// random_(from, to): integers, in any dtype. Without `to`, integer types are drawn up to their greatest
// number; for the others only the lower end is known.
std::optional<v1::Finding> Integers(const Job& job) {
  double from = 0;
  double to = 0;
  NumberOf(job.c, "from", &from);
  if (NumberOf(job.c, "to", &to)) return CheckIntegers(job.actual, from, to);
  if (!IsFloating(job.actual.dtype)) return CheckIntegers(job.actual, from, BeyondGreatest(job.actual.dtype));
  const std::vector<double> y = Numbers(job.actual);
  for (size_t i = 0; i < y.size(); ++i) {
    if (!(y[i] >= from) || y[i] != std::floor(y[i])) {
      return Found(F::ELEMENT_NOT_INTEGER_FROM)
          .Index(static_cast<int64_t>(i))
          .Got(absl::StrFormat("%.17g", y[i]))
          .Limit(absl::StrFormat("%.0f", from));
    }
  }
  return std::nullopt;
}

std::optional<v1::Finding> Uniform(const Job& job, std::string* harness_error) {
  const v1::Argument* argument = FindArgument(job.c, "from");
  if (argument != nullptr && argument->value_case() == v1::Argument::kI) return Integers(job);
  // randperm(n)
  if (argument == nullptr && FindArgument(job.c, "n") != nullptr) return CheckPermutation(job.actual);
  Parameter from;
  Parameter to;
  if (!from.Load(job, "from", 0, harness_error) || !to.Load(job, "to", 1, harness_error)) return std::nullopt;
  return CheckUniform(job.actual, from.At(0), to.At(0));
}

std::optional<v1::Finding> Normal(const Job& job, std::string* harness_error) {
  Parameter mean;
  Parameter std;
  if (!mean.Load(job, "mean", 0, harness_error) || !std.Load(job, "std", 1, harness_error))
    return std::nullopt;
  return CheckNormal(job.actual, mean, std);
}

// multinomial: several outcomes instead of two.
std::optional<v1::Finding> Categories(const Job& job, std::string* harness_error) {
  const HostTensor* weights = Find(job.inputs, "input");
  double replacement = 0;
  if (weights != nullptr && !weights->shape.empty() && NumberOf(job.c, "replacement", &replacement)) {
    return CheckCategories(job.actual, *weights, replacement != 0);
  }
  *harness_error = "the draws have no weights among the inputs, or nothing says whether they are replaced";
  return std::nullopt;
}

// The probabilities are `p`, or a tensor: the judge's input, or the operand that is drawn into.
std::optional<v1::Finding> Bernoulli(const Job& job, std::string* harness_error) {
  if (FindArgument(job.c, "num_samples") != nullptr) return Categories(job, harness_error);
  Parameter p;
  std::string name = "p";
  if (FindArgument(job.c, name) == nullptr) {
    const std::string& named = job.output.judge->input();
    name = !named.empty() ? named : Find(job.inputs, "input") != nullptr ? "input" : job.output.key;
  }
  if (!p.Load(job, name, 0.5, harness_error)) return std::nullopt;
  return CheckBernoulli(job.actual, p);
}

// Draws that keep an element (1) or drop it (0).
std::optional<v1::Finding> CheckKept(const std::vector<double>& draws, double keep) {
  const auto n = static_cast<int64_t>(draws.size());
  const auto kept = static_cast<int64_t>(std::count(draws.begin(), draws.end(), 1.0));
  if (!BinomialRejects(n, kept, keep)) return CheckIndependent(draws, keep);
  return Found(F::SHARE_KEPT)
      .Count(kept)
      .Of(n)
      .Expected(absl::StrFormat("%.1f", keep * static_cast<double>(n)));
}

// A mask is a bool: the byte 0 or 1, 1 where the element is kept.
std::optional<v1::Finding> DropoutMask(const Job& job) {
  const std::vector<double> y = Numbers(job.actual);
  for (size_t i = 0; i < y.size(); ++i) {
    if (job.actual.dtype == v1::Dtype::bool_ && static_cast<unsigned char>(job.actual.data[i]) > 1) {
      const auto index = static_cast<int64_t>(i);
      return Found(F::ELEMENT_IS).Index(index).Got(ElementText(job.actual, index));
    }
    if (y[i] != 0 && y[i] != 1)
      return Found(F::ELEMENT_NOT_BIT).Index(static_cast<int64_t>(i)).Got(absl::StrFormat("%g", y[i]));
  }
  return CheckKept(y, Training(job.c) ? 1 - DropRate(job.c) : 1);
}

// Where no mask says what was dropped, zeros do, except where the input is 0 itself.
std::optional<v1::Finding> CheckZeros(const std::vector<double>& y, const std::vector<double>& x,
                                      double keep) {
  std::vector<double> draws;
  for (size_t i = 0; i < y.size(); ++i) {
    if (x[i] != 0) draws.push_back(y[i] != 0 ? 1 : 0);
  }
  return CheckKept(draws, keep);
}

std::optional<v1::Finding> DropoutOut(const Job& job, v1::OutputStats* stats, std::string* harness_error) {
  const std::string& named = job.output.judge->input();
  const HostTensor* input = Find(job.inputs, named.empty() ? "input" : named);
  if (input == nullptr || input->shape != job.actual.shape || !IsFloating(job.actual.dtype)) {
    *harness_error = "dropout's input is not among the inputs";
    return std::nullopt;
  }
  const HostTensor* mask = Find(job.all_actual, "mask");
  const std::vector<double> kept =
      mask == nullptr ? Numbers(job.actual) : BroadcastNumbers(*mask, job.actual.shape);
  if (kept.size() != static_cast<size_t>(NumElements(job.actual.shape))) return Found(F::MASK_SHAPE);
  const double keep = Training(job.c) ? 1 - DropRate(job.c) : 1;
  std::optional<v1::Finding> wrong = CheckDropped(
      *input, job.actual, keep, [&](int64_t i) { return kept[static_cast<size_t>(i)] != 0; }, stats);
  if (wrong.has_value() || mask != nullptr) return wrong;
  return CheckZeros(Numbers(job.actual), Numbers(*input), keep);
}

}  // namespace

bool JudgeRandom(const Job& job, v1::OutputStats* stats, Findings* findings) {
  std::string* const harness_error = &findings->harness_error;
  std::optional<v1::Finding> found;
  switch (job.output.judge->distribution()) {
    case v1::Judge::UNIFORM:
      found = Uniform(job, harness_error);
      break;
    case v1::Judge::NORMAL:
      found = Normal(job, harness_error);
      break;
    case v1::Judge::BERNOULLI:
      found = Bernoulli(job, harness_error);
      break;
    case v1::Judge::DROPOUT_MASK:
      found = DropoutMask(job);
      break;
    case v1::Judge::DROPOUT_OUT:
      found = DropoutOut(job, stats, harness_error);
      break;
    case v1::Judge::TOKENS:
      found = CheckSampledTokens(job, harness_error);
      break;
    default:
      *harness_error = absl::StrCat("output ", job.output.key, " is random but has no distribution");
  }
  if (!harness_error->empty()) return false;
  int64_t zeros = 0;
  for (const double y : Numbers(job.actual)) {
    if (y == 0) ++zeros;
    if (std::isnan(y)) stats->set_nan_actual(stats->nan_actual() + 1);
  }
  const int64_t elements = NumElements(job.actual.shape);
  if (elements > 0) stats->set_zero_fraction(static_cast<double>(zeros) / static_cast<double>(elements));
  stats->set_public_pass(PublicRuleAccepts(job));
  if (found.has_value()) Fail("RANDOM", {*std::move(found)}, stats, findings);
  return true;
}

}  // namespace diopi::baselines
