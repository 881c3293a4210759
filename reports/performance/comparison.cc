#include "reports/performance/comparison.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "reports/performance/performance.h"
#include "reports/performance/statistics.h"

namespace diopi::reports {
namespace {

using Change = CallComparison::Change;

std::vector<double> Scaled(std::vector<double> samples, double factor) {
  for (double& sample : samples) sample *= factor;
  return samples;
}

// Whether every value of `slow` exceeds every value of `quick` by more than the factor.
bool Apart(const std::vector<double>& quick, const std::vector<double>& slow, double factor) {
  return *std::min_element(slow.begin(), slow.end()) > factor * *std::max_element(quick.begin(), quick.end());
}

double MedianRatioOf(std::vector<double> values) {
  return IntervalOfMedian(std::move(values)).median;
}

std::vector<CallComparison> PairsOf(const std::vector<v1::Measurement>& before,
                                    const std::vector<v1::Measurement>& after) {
  std::map<std::pair<std::string, std::string>, const v1::Measurement*> known;
  for (const v1::Measurement& measurement : before) {
    known[{measurement.case_id(), measurement.case_hash()}] = &measurement;
  }
  std::vector<CallComparison> calls;
  for (const v1::Measurement& measurement : after) {
    const auto found = known.find({measurement.case_id(), measurement.case_hash()});
    if (found == known.end()) continue;
    CallComparison call;
    call.before_us = IntervalOfMedian(WarmSamples(*found->second));
    call.after_us = IntervalOfMedian(WarmSamples(measurement));
    if (!(call.before_us.low > 0) || !(call.after_us.low > 0)) continue;
    call.ratio = call.after_us.median / call.before_us.median;
    call.low = call.after_us.low / call.before_us.high;
    call.high = call.after_us.high / call.before_us.low;
    call.before = *found->second;
    call.after = measurement;
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace

std::vector<std::string> Comparison::Functions(Change change) const {
  std::set<std::string> functions;
  for (const CallComparison& call : calls) {
    if (call.change == change) functions.insert(call.after.function());
  }
  return {functions.begin(), functions.end()};
}

Comparison Compare(const std::vector<v1::Measurement>& before, const std::vector<v1::Measurement>& after,
                   const ComparisonOptions& options) {
  Comparison comparison;
  comparison.calls = PairsOf(before, after);
  if (options.share && comparison.calls.size() >= kSharedCalls) {
    std::vector<double> ratios;
    for (const CallComparison& call : comparison.calls) ratios.push_back(call.ratio);
    comparison.shared = MedianRatioOf(std::move(ratios));
  }
  comparison.noise = std::max(NoiseOf(before), NoiseOf(after));
  comparison.factor = std::max(options.factor, comparison.noise);
  std::vector<double> p;
  for (const CallComparison& call : comparison.calls) {
    const std::vector<double> was = Scaled(WarmSamples(call.before), comparison.shared);
    const std::vector<double> is = WarmSamples(call.after);
    // Both directions are tested, so each counts half.
    p.push_back(std::min(1.0, 2 * std::min(RankTest(Scaled(was, comparison.factor), is),
                                           RankTest(Scaled(is, comparison.factor), was))));
  }
  const std::vector<double> adjusted = HolmAdjusted(p);
  for (size_t i = 0; i < comparison.calls.size(); ++i) {
    CallComparison& call = comparison.calls[i];
    call.p = adjusted[i];
    if (call.p > kComparisonAlpha) continue;
    const std::vector<double> was = Scaled(RoundMedians(call.before), comparison.shared);
    const std::vector<double> is = RoundMedians(call.after);
    if (Apart(was, is, comparison.factor)) call.change = Change::kSlower;
    if (Apart(is, was, comparison.factor)) call.change = Change::kFaster;
  }
  std::stable_sort(
      comparison.calls.begin(), comparison.calls.end(), [](const CallComparison& a, const CallComparison& b) {
        return std::make_tuple(a.after.function(), -a.ratio) < std::make_tuple(b.after.function(), -b.ratio);
      });
  return comparison;
}

std::string ChangeName(Change change) {
  return change == Change::kSlower ? "slower" : change == Change::kFaster ? "faster" : "";
}

}  // namespace diopi::reports
