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

// The rounds of a call that count, in microseconds that `factor` scales.
struct Rounds {
  std::vector<double> samples;
  double least = 0;  // of their medians
  double most = 0;
};

Rounds RoundsOf(const v1::Measurement& measurement, double factor) {
  const std::vector<std::vector<double>> quiet = QuietRounds(measurement);
  Rounds rounds;
  for (const std::vector<double>& round : quiet)
    rounds.samples.insert(rounds.samples.end(), round.begin(), round.end());
  rounds.samples = Scaled(std::move(rounds.samples), factor);
  rounds.least = IntervalOfMedian(quiet.front()).median * factor;
  rounds.most = IntervalOfMedian(quiet.back()).median * factor;
  return rounds;
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
  const double factor = comparison.factor;
  std::vector<double> p;
  for (CallComparison& call : comparison.calls) {
    const Rounds was = RoundsOf(call.before, comparison.shared), is = RoundsOf(call.after, 1);
    // Both directions are tested, so each counts half.
    p.push_back(std::min(1.0, 2 * std::min(RankTest(Scaled(was.samples, factor), is.samples),
                                           RankTest(Scaled(is.samples, factor), was.samples))));
    if (is.least > factor * was.most) call.change = Change::kSlower;
    if (was.least > factor * is.most) call.change = Change::kFaster;
  }
  const std::vector<double> adjusted = HolmAdjusted(p);
  for (size_t i = 0; i < comparison.calls.size(); ++i) {
    CallComparison& call = comparison.calls[i];
    call.p = adjusted[i];
    if (call.p > kComparisonAlpha) call.change = Change::kNone;
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
