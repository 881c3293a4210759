// Measures how fast a library's calls are (diopi-agent --performance), after its cases were judged: each call
// at its true size, in a worker, in several rounds over all calls.
#ifndef CLIENT_AGENT_PERFORMANCE_H_
#define CLIENT_AGENT_PERFORMANCE_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "client/judge/case_judge.h"
#include "diopi/v1/performance.pb.h"
#include "diopi/v1/selection.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "impl_loader/caller/in_process.h"
#include "impl_loader/worker/worker.h"

namespace diopi::agent {

struct PerformanceOptions {
  bool on = false;       // --performance
  double seconds = 0.3;  // --performance-seconds: for a call in a round, approximately
  int rounds = 3;        // --performance-rounds
  int largest = 1;       // --performance-largest: cases of each function and dtype, without models
  int64_t max_bytes = int64_t{2} << 30;        // --performance-max-bytes: for the tensors of a call together
  std::chrono::milliseconds timeout{120'000};  // for all that one round does with a call
};

// A call to measure, and the case of the run whose verdict stands for it.
struct CallToMeasure {
  v1::Case c;
  std::string judged_case;
  std::string judged_hash;
  v1::Finding refused;    // why it is not measured; empty: it is
  bool is_point = false;  // a timing point: left out where the machine would take too long for it
};

// The calls that a run of `selection` measures: with models, their distinct calls at their true sizes;
// otherwise the `largest` cases of each function and dtype, and as many timing points
// (client/setup/timing_points.h), for which the largest case stands. Only calls whose cases are among
// `verdicts`, by id; those that do not pass are refused.
absl::StatusOr<std::vector<CallToMeasure>> CallsToMeasure(const cases::Catalog& catalog,
                                                          const v1::Selection& selection,
                                                          const std::map<std::string, v1::Verdict>& verdicts,
                                                          const PerformanceOptions& options);

struct PerformanceResult {
  std::vector<v1::Measurement> measurements;  // one per call, in order
  v1::MachineFacts machine;
};

// Not thread-safe. `catalog`, `worker` and `oracle`, which computes saved tensors, outlive it.
class PerformanceTest {
 public:
  PerformanceTest(const cases::Catalog& catalog, const PerformanceOptions& options, CaseJudge* judge,
                  loader::Worker* worker, loader::InProcessLibrary* oracle)
      : catalog_(catalog), options_(options), judge_(judge), worker_(worker), oracle_(oracle) {}

  // Calls `pause` between calls; false ends the test early, with what was measured so far.
  // A round beside other work (reports::kOtherWork) is repeated while that helps, and counts only where there
  // are too few quiet ones.
  PerformanceResult Run(std::vector<CallToMeasure> calls, const std::function<bool()>& pause);

 private:
  struct Prepared;
  v1::Measurement Describe(const CallToMeasure& call) const;
  absl::Status Prepare(const CallToMeasure& call, Prepared* prepared);
  absl::StatusOr<v1::TimeReply> Time(const Prepared& prepared, int cold_samples);
  void Measure(const CallToMeasure& call, int cold_samples, v1::Measurement* measurement);
  void MeasureMachine(v1::MachineFacts* machine);
  // Whether a timing point takes too long on a machine of these rates.
  bool TooSlow(const v1::CallWork& work, const v1::MachineFacts& machine) const;
  void MeasureRounds(const std::vector<CallToMeasure>& calls, const std::function<bool()>& pause,
                     std::vector<v1::Measurement>* measurements);
  // Seconds of a call given as a line of a model's file; 0 where the library cannot make it. `work` receives
  // its work.
  double TimeLine(const std::string& line, v1::CallWork* work);
  struct Rate {
    double per_second = 0;
    std::string call;
  };
  // The rates of calls of growing size, until one takes the time for a call. amount: bytes or operations.
  std::vector<Rate> MeasureRates(int64_t size, int64_t largest, int64_t factor,
                                 const std::function<std::string(int64_t)>& call,
                                 double (*amount)(const v1::CallWork&));

  const cases::Catalog& catalog_;
  const PerformanceOptions options_;
  CaseJudge* const judge_;
  loader::Worker* const worker_;
  loader::InProcessLibrary* const oracle_;
};

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_PERFORMANCE_H_
