// An exploration: random calls of a library, judged like a run's cases until a number of calls or a time is
// reached.
#ifndef CLIENT_EXPLORE_EXPLORE_H_
#define CLIENT_EXPLORE_EXPLORE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/generate/oracle_pool.h"
#include "cases/base/stop_signal.h"
#include "cases/explore/generator.h"
#include "client/judge/case_judge.h"
#include "diopi/v1/verdict.pb.h"
#include "impl_loader/worker/worker.h"

namespace diopi::explore {

struct ExploreOptions {
  int64_t most_calls = 0;                // 0: no limit
  std::chrono::duration<double> time{};  // 0: no limit
  bool stop_on_first = false;            // ends when a call has failed
  agent::CaseJudgeOptions judge;         // `diagnose` is ignored
  int oracles = 1;                       // processes of the pool
};

struct FailedCall {
  Call call;
  v1::Verdict verdict;
  // The function's calls in the same process before it, in order: the first ones and the last ones.
  std::vector<std::shared_ptr<const Call>> before;
  bool beside = false;  // the last of them ran again on another thread meanwhile
};

struct ExploreResult {
  int64_t calls = 0;                                // judged
  std::map<v1::Outcome, int64_t> outcomes;          // of these
  std::map<std::string, int64_t> calls_of;          // of these, by function
  std::map<std::string, std::string> unreferenced;  // cases without reference, by id, and why
  std::vector<FailedCall> failures;                 // in the order of the calls
  double elements = 0;                              // judged by gate P
  double random_outputs = 0;                        // judged by their distribution
  double seconds = 0;
  int stop_signal = 0;  // that ended it; 0: none
  // FailedPrecondition: it ended because the library could not be loaded again, as when its file was
  // replaced.
  absl::Status unloadable;

  // An upper bound for a correct library: docs/method.md, 4.1 and 7.
  double ExpectedFalseAlarms() const;
};

// Called now and then with the result so far.
using Progress = std::function<void(const ExploreResult&)>;

// One thread for each worker, all of which have loaded the library. Ends with an error only for one of ours.
absl::StatusOr<ExploreResult> Explore(Generator* generator, const ExploreOptions& options,
                                      baselines::OraclePool* oracle,
                                      std::vector<std::unique_ptr<loader::Worker>> workers,
                                      const StopSignal& stop, const Progress& progress);

}  // namespace diopi::explore

#endif  // CLIENT_EXPLORE_EXPLORE_H_
