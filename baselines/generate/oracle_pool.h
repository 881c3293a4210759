// The references of many cases, computed in child processes, one for each processor.
#ifndef BASELINES_GENERATE_ORACLE_POOL_H_
#define BASELINES_GENERATE_ORACLE_POOL_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/store/store.h"
#include "cases/base/process_pool.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {

// Not thread-safe. A child that crashes, or works on one case for longer than a minute, costs that case only.
class OraclePool {
 public:
  // Runs in the calling thread, with the case's place in the unit. The error says why there is no reference.
  using Done = std::function<void(size_t place, absl::StatusOr<Baseline> baseline)>;

  // Loads the reference's library here, and starts the children: before this process has other threads.
  static absl::StatusOr<std::unique_ptr<OraclePool>> Open(const std::string& reference_library,
                                                          int processes);

  // Hands these cases to a child, which computes one after the other; waits where all are busy.
  absl::Status Compute(std::vector<v1::Case> unit, Done done);
  // Waits for all that was started.
  absl::Status Wait();
  // One case, waited for.
  absl::StatusOr<Baseline> ComputeOne(const v1::Case& c);

 private:
  struct Unit {
    std::vector<v1::Case> cases;
    std::vector<size_t> places;
    Done done;
  };

  explicit OraclePool(std::unique_ptr<loader::InProcessLibrary> reference)
      : reference_(std::move(reference)) {}
  absl::StatusOr<ProcessPool::Fields> Answer(const ProcessPool::Fields& serialized);
  absl::Status Start(const std::shared_ptr<const Unit>& unit);
  void Take(const std::shared_ptr<const Unit>& unit, absl::StatusOr<ProcessPool::Fields> fields);
  absl::Status StartAgain();

  std::unique_ptr<loader::InProcessLibrary> reference_;
  std::vector<std::shared_ptr<const Unit>> again_;  // units of one, out of those whose process died
  std::unique_ptr<ProcessPool> pool_;
};

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_ORACLE_POOL_H_
