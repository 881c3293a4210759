// How fast a run's calls are: figures of each call, of each model, and of the machine.
#ifndef REPORTS_PERFORMANCE_PERFORMANCE_H_
#define REPORTS_PERFORMANCE_PERFORMANCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/median.h"
#include "cases/core/catalog.h"
#include "diopi/v1/performance.pb.h"
#include "diopi/v1/performance_answers.pb.h"
#include "diopi/v1/spec.pb.h"
#include "reports/performance/reference_times.h"
#include "server/store/performance_rows.h"

namespace diopi::reports {

// A run whose machine noise is above this has no figures: they would be wrong by such a factor.
inline constexpr double kNoiseLimit = 2;
// Processors that other work keeps busy during a round that counts as busy (v1::MeasuredRound.other_work).
inline constexpr double kOtherWork = 0.25;

// The rates that a device cannot exceed.
struct Roofline {
  double bytes_per_s = 0;                              // 0: unknown
  std::map<v1::Dtype::Code, double> operations_per_s;  // by the dtype of the call
  v1::Finding source;                                  // MEASURED_BY or SPECIFIED_BY; empty: unknown
  bool specified = false;                              // by the specification
};

// The library's own copy and products, as the run measured them.
Roofline MeasuredRoofline(const v1::MachineFacts& machine);
// The figures that a lab has filled in. A kind of arithmetic counts for the dtype that it names.
Roofline SpecRoofline(const v1::ChipSpec& spec);

// One call. Times are microseconds; a figure that cannot be said is absent, as is every one of a call whose
// record contradicts itself.
struct CallFigures {
  v1::Measurement measurement;
  MedianInterval warm_us;         // over all rounds; zeros where there is no time
  std::optional<double> cold_us;  // never below the warm median; absent where the samples contradict that
  int disturbed = 0;
  std::optional<double> bytes_per_s;       // of the work that the call cannot do without
  std::optional<double> operations_per_s;  // likewise
  // The device's best time for this work over the time with cold caches, at most 1: 0.5 means that the call
  // takes twice that time.
  std::optional<double> roofline_share;
  bool beyond_specification = false;   // with cold caches it is faster than the specification allows
  bool memory_bound = true;            // what the best time is due to
  std::optional<double> reference_us;  // of the reference device for the same kernel
  std::optional<double> score() const {
    if (!reference_us.has_value() || !measured()) return std::nullopt;
    return *reference_us / warm_us.median;
  }
  bool measured() const { return warm_us.median > 0; }
};

// Whether every call of a step was measured. Otherwise it has no time: parts have no total.
bool IsComplete(const v1::StepTotal& step);

struct PerformanceReport {
  std::string run_id;
  std::string chip;
  v1::MachineFacts machine;
  Roofline roofline;
  std::string reference;  // the device that scores are relative to, with its source; empty: none
  // How much the medians of a call's quiet rounds differ, the largest over the smallest: the 90th percentile
  // over all calls. 1 where calls have one round.
  double noise = 1;
  int64_t disturbed = 0;  // samples, of `samples`
  int64_t samples = 0;    // with warm and cold caches
  int64_t busy = 0;       // rounds, of `rounds`, beside other work of at least kOtherWork processors
  int64_t rounds = 0;
  std::vector<CallFigures> calls;    // by function, dtype, then time
  std::vector<v1::StepTotal> steps;  // by model, in the order of its stages
  // Models of the suite whose calls were captured: which of them a step makes, and how often, is unknown.
  std::vector<std::string> without_steps;

  int64_t measured() const;  // calls that have a time
  bool too_noisy() const { return noise > kNoiseLimit; }
};

// `reference` may be null. `catalog` has the models that `suite` names ("models/..."); other suites have no
// steps, and it may then be null.
//
// The roofline is the better, for bytes and for each dtype's operations, of `roofline` and the best rate that
// a call of the run reached with cold caches: what the device did, it can do.
absl::StatusOr<PerformanceReport> MakePerformanceReport(const server::StoredPerformance& stored,
                                                        Roofline roofline, const ReferenceTimes* reference,
                                                        const cases::Catalog* catalog,
                                                        const std::string& suite);

// A device's times from a run of its own, by kernel and by call: the key of a call that is no kernel is its
// case id. None from a run that is too noisy.
ReferenceTimes TimesOfRun(const server::StoredPerformance& stored, const std::string& device);

// Microseconds of all warm samples of a measurement, and of each of its rounds.
std::vector<double> WarmSamples(const v1::Measurement& measurement);
std::vector<double> RoundMedians(const v1::Measurement& measurement);

// The warm samples of the rounds that count where runs are compared, the least median first: all but those, a
// third of them at most, that are 1.5 times as slow as the others. Other work on the machine makes a round
// slower and never faster. To leave out the slowest always would leave too little of the noise.
std::vector<std::vector<double>> QuietRounds(const v1::Measurement& measurement);

// PerformanceReport.noise of these measurements.
double NoiseOf(const std::vector<v1::Measurement>& measurements);

}  // namespace diopi::reports

#endif  // REPORTS_PERFORMANCE_PERFORMANCE_H_
