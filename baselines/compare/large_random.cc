#include "baselines/compare/large_random.h"

#include <atomic>
#include <cmath>
#include <utility>

#include "baselines/compare/dropped.h"
#include "baselines/compare/gates.h"
#include "baselines/compare/random.h"
#include "baselines/compare/random_stream.h"
#include "cases/base/case_parts.h"
#include "cases/base/parallel.h"

namespace diopi::baselines {
namespace {

TensorMap CopiesOf(const TensorViews& tensors) {
  TensorMap copies;
  for (const auto& [key, tensor] : tensors) copies[key] = tensor.Copy();
  return copies;
}

// As a small call's.
bool JudgeCopy(const v1::Case& c, const JudgedOutput& output, const TensorViews& inputs,
               const TensorViews& actual, v1::OutputStats* stats, Findings* findings) {
  const TensorMap given = CopiesOf(inputs);
  const TensorMap outputs = CopiesOf(actual);
  const HostTensor& own = outputs.at(output.key);
  const Job job{c, given, {}, outputs, output, own, own};
  return JudgeRandom(job, stats, findings);
}

double NumberOr(const v1::Case& c, const char* name, double fallback) {
  NumberOf(c, name, &fallback);
  return fallback;
}

std::optional<v1::Finding> CheckDropout(const v1::Case& c, const JudgedOutput& output,
                                        const TensorViews& inputs, const TensorViews& actual,
                                        v1::OutputStats* stats, std::string* harness_error) {
  const double keep = Training(c) ? 1 - DropRate(c) : 1;
  const TensorView& own = actual.at(output.key);
  const TensorView* mask = FindView(actual, "mask");
  if (output.judge->distribution() == v1::Judge::DROPOUT_MASK) return CheckKeptStream(own, keep);
  const std::string& named = output.judge->input();
  const TensorView* input = FindView(inputs, named.empty() ? "input" : named);
  if (input == nullptr || input->shape != own.shape || mask == nullptr) {
    *harness_error = "dropout's input or mask is not there";
    return std::nullopt;
  }
  if (keep < 1 && mask->shape != own.shape) return Found(v1::Finding::MASK_SHAPE);
  return CheckDropped(
      *input, own, keep, [&](int64_t i) { return mask->data[static_cast<size_t>(i)] != 0; }, stats);
}

// Figures that are no gates.
void AddFigures(const v1::Case& c, const JudgedOutput& output, const TensorView& actual, double ks,
                v1::OutputStats* stats) {
  const int64_t count = NumElements(actual.shape);
  std::atomic<int64_t> zeros{0}, nans{0};
  ForRanges(count, kParallelBytes / ElementSize(actual.dtype), [&](int64_t begin, int64_t end) {
    int64_t zeros_here = 0, nans_here = 0;
    for (int64_t i = begin; i < end; ++i) {
      const double y = ElementAsDouble(actual.dtype, actual.data.data(), i);
      zeros_here += y == 0 ? 1 : 0;
      nans_here += std::isnan(y) ? 1 : 0;
    }
    zeros += zeros_here;
    nans += nans_here;
  });
  stats->set_nan_actual(stats->nan_actual() + nans);
  const double share = static_cast<double>(zeros) / static_cast<double>(count);
  stats->set_zero_fraction(share);
  stats->set_public_pass(PublicRuleAccepts(c, output.judge->distribution(), 1 - share, ks));
}

}  // namespace

bool JudgeLargeRandom(const v1::Case& c, const JudgedOutput& output, const TensorViews& inputs,
                      const TensorViews& actual, v1::OutputStats* stats, Findings* findings) {
  const TensorView& own = actual.at(output.key);
  const auto distribution = output.judge->distribution();
  const bool is_short = NumElements(own.shape) < kShortestStream;
  // A permutation's numbers are checked one by one, and so are draws that are all alike.
  const bool listed = distribution == v1::Judge::UNIFORM &&
                      (FindArgument(c, "from") == nullptr || NumberOr(c, "from", 0) == NumberOr(c, "to", 1));
  const bool alike = distribution == v1::Judge::NORMAL && NumberOr(c, "std", 1) == 0;
  if (is_short || listed || alike) return JudgeCopy(c, output, inputs, actual, stats, findings);
  double ks = 0;
  std::optional<v1::Finding> found;
  switch (distribution) {
    case v1::Judge::UNIFORM:
      found = CheckUniformStream(own, NumberOr(c, "from", 0), NumberOr(c, "to", 1));
      break;
    case v1::Judge::NORMAL:
      found = CheckNormalStream(own, NumberOr(c, "mean", 0), NumberOr(c, "std", 1), &ks);
      break;
    default:
      found = CheckDropout(c, output, inputs, actual, stats, &findings->harness_error);
  }
  if (!findings->harness_error.empty()) return false;
  AddFigures(c, output, own, ks, stats);
  if (found.has_value()) Fail("RANDOM", {*std::move(found)}, stats, findings);
  return true;
}

}  // namespace diopi::baselines
