// What the operands of wrong elements say: an elementwise function's wrong results often follow from a range
// of its operands (overflow of an intermediate result, a polynomial beyond its range), which no pattern of
// places or results shows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/expect.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

// A separation of the wrong elements by chance must be rarer than one in so many.
constexpr double kLeastWays = 1e4;

// One tensor operand, broadcast to the output's shape.
struct BroadcastOperand {
  std::string name;
  const HostTensor* tensor = nullptr;
  std::vector<int64_t> strides;  // by dimension of the output; 0: broadcast

  int64_t Source(const std::vector<int64_t>& shape, int64_t index) const {
    int64_t source = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      source += index % shape[d] * strides[d];
      index /= shape[d];
    }
    return source;
  }
  double At(const std::vector<int64_t>& shape, int64_t index) const {
    return ElementAsDouble(tensor->dtype, tensor->data.data(), Source(shape, index));
  }
};

// Empty strides where the operand cannot be broadcast to the shape.
std::vector<int64_t> BroadcastStrides(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  std::vector<int64_t> strides(to.size(), 0);
  if (from.size() > to.size()) return {};
  int64_t stride = 1;
  for (size_t i = 1; i <= from.size(); ++i) {
    const int64_t size = from[from.size() - i];
    if (size != 1 && size != to[to.size() - i]) return {};
    strides[to.size() - i] = size == 1 ? 0 : stride;
    stride *= size;
  }
  return strides;
}

// The function's tensor operands, in order; nothing where it is not elementwise.
std::vector<BroadcastOperand> OperandsOf(const Job& job) {
  std::vector<BroadcastOperand> operands;
  if (job.c.family() != "elementwise" || job.output.in_parts || job.actual.shape.empty()) return {};
  for (const v1::Argument& arg : job.c.args()) {
    const HostTensor* tensor = arg.role() == v1::ROLE_OUTPUT ? nullptr : Find(job.inputs, arg.name());
    if (tensor == nullptr || IsComplex(tensor->dtype)) continue;
    operands.push_back({arg.name(), tensor, BroadcastStrides(tensor->shape, job.actual.shape)});
    if (operands.back().strides.empty()) return {};
  }
  return operands;
}

// "add(1, 2, alpha=0.5) = 3".
std::string CallAt(const Job& job, const std::vector<BroadcastOperand>& operands, int64_t index) {
  std::vector<std::string> arguments;
  for (const BroadcastOperand& operand : operands)
    arguments.push_back(ElementText(*operand.tensor, operand.Source(job.actual.shape, index)));
  for (const v1::Argument& arg : job.c.args()) {
    double value = 0;
    const bool number = arg.has_f() || arg.has_i() || arg.has_scalar();
    if (number && NumberOf(job.c, arg.name(), &value))
      arguments.push_back(absl::StrCat(arg.name(), "=", value));
  }
  const bool backward = absl::StrContains(job.c.variant(), "backward");
  return absl::StrCat(job.c.operator_(), backward ? "_backward" : "", "(", absl::StrJoin(arguments, ", "),
                      ") = ", ElementText(job.actual, index));
}

// The range of a quantity over some elements.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  int64_t count = 0;
  int64_t nan = 0;

  void Add(double x) {
    ++count;
    if (std::isnan(x)) ++nan;
    if (x < low) low = x;
    if (x > high) high = x;
  }
};

// What tells the wrong elements' quantity from that of the others; no code: nothing does.
v1::Finding Separation(const std::string& name, const Range& wrong, const Range& right, Dtype dtype) {
  const auto have = [&](const char* word, double limit) {
    return v1::Finding(
        Found(F::ALL_HAVE).Count(wrong.count).Name(name).Word(word).Limit(NumberText(dtype, limit)));
  };
  if (wrong.nan == wrong.count && right.nan == 0) return have("equal", std::nan(""));
  if (wrong.nan > 0 || right.nan == right.count) return {};
  if (wrong.low > right.high)
    return have(wrong.low == wrong.high ? "equal" : "above",
                wrong.low == wrong.high ? wrong.low : right.high);
  if (wrong.high < right.low)
    return have(wrong.low == wrong.high ? "equal" : "below", wrong.low == wrong.high ? wrong.low : right.low);
  return {};
}

// log of the number of ways to choose k of n.
double LogWays(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

v1::Finding WhatWrongOnesHave(const Evidence& evidence, const Job& job, const BroadcastOperand& operand) {
  Range wrong, right, wrong_size, right_size;
  for (int64_t i = 0; i < NumElements(job.actual.shape); ++i) {
    const double x = operand.At(job.actual.shape, i);
    const bool is_wrong = evidence.Wrong(i);
    (is_wrong ? wrong : right).Add(x);
    (is_wrong ? wrong_size : right_size).Add(std::fabs(x));
  }
  const Dtype dtype = operand.tensor->dtype;
  v1::Finding found = Separation(operand.name, wrong, right, dtype);
  if (found.code() != F::CODE_UNSPECIFIED) return found;
  return Separation(absl::StrCat("|", operand.name, "|"), wrong_size, right_size, dtype);
}

}  // namespace

void ReportOperands(const Evidence& evidence, const Job& job, const Tally& tally, Findings* findings) {
  const std::vector<BroadcastOperand> operands = OperandsOf(job);
  if (operands.empty() || tally.first.empty() || evidence.Sampled()) return;
  findings->found.push_back(Found(F::OPERAND_GIVES).Got(CallAt(job, operands, tally.first.front())));
  const auto all = static_cast<double>(NumElements(job.actual.shape));
  if (LogWays(all, static_cast<double>(tally.mismatches)) < std::log(kLeastWays)) return;
  for (const BroadcastOperand& operand : operands) {
    v1::Finding found = WhatWrongOnesHave(evidence, job, operand);
    if (found.code() == F::CODE_UNSPECIFIED) continue;
    findings->found.push_back(std::move(found));
    return;
  }
}

}  // namespace diopi::baselines
