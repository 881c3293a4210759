// Which calls take longer, or less long, in one run than in another, beside the noise of both.
//
// A call differs when all of this holds:
//   - k of n rounds of one run, those that nothing disturbed (QuietRounds), are slower than those of the
//   other by
//     more than the factor (rounds lie apart in time, so that a disturbance of minutes does not reach all of
//     them);
//   - so are their samples, by the rank test, at the level kComparisonAlpha adjusted for the number of calls
//     (statistics.h says why by Holm's method).
// The factor is the larger of what the caller tolerates and the noise of the two runs
// (PerformanceReport.noise). With kSharedCalls calls or more, what all of them share (the median ratio) is
// divided out first: a slower machine must not accuse every function.
#ifndef REPORTS_PERFORMANCE_COMPARISON_H_
#define REPORTS_PERFORMANCE_COMPARISON_H_

#include <cstddef>
#include <string>
#include <vector>

#include "cases/base/median.h"
#include "diopi/v1/performance.pb.h"

namespace diopi::reports {

// The chance that a comparison of two runs of one library finds any difference.
inline constexpr double kComparisonAlpha = 0.01;
inline constexpr size_t kSharedCalls = 5;

struct ComparisonOptions {
  double factor = 1.1;  // tolerated, at least 1
  bool share = true;    // divide out what all calls share; false: two chips, whose calls share nothing
};

struct CallComparison {
  v1::Measurement before;
  v1::Measurement after;
  MedianInterval before_us;
  MedianInterval after_us;
  double ratio = 1;  // of the medians, after over before
  double low = 1;    // from the bounds of the medians' intervals
  double high = 1;
  double p = 1;  // that the call is as quick as before within the factor; adjusted
  enum class Change { kNone, kSlower, kFaster } change = Change::kNone;
};

struct Comparison {
  std::string against;                // the run that it compares with
  double shared = 1;                  // the median ratio; 1 with fewer than kSharedCalls calls
  double noise = 1;                   // of the noisier run
  double factor = 1;                  // that a change must exceed
  std::vector<CallComparison> calls;  // by function, then ratio, the largest first
  std::vector<std::string> Functions(CallComparison::Change change) const;  // with such a call, sorted
};

// Calls that have times in both runs, by case id and hash.
Comparison Compare(const std::vector<v1::Measurement>& before, const std::vector<v1::Measurement>& after,
                   const ComparisonOptions& options);

// "slower", "faster"; empty for no change.
std::string ChangeName(CallComparison::Change change);

}  // namespace diopi::reports

#endif  // REPORTS_PERFORMANCE_COMPARISON_H_
