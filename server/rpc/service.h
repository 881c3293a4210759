// The Conformance service: checks requests and hands them to registry, scheduler and database.
#ifndef SERVER_RPC_SERVICE_H_
#define SERVER_RPC_SERVICE_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "diopi/v1/service.grpc.pb.h"
#include "server/rpc/baseline_cache.h"
#include "server/rpc/run_registry.h"
#include "server/store/database.h"

namespace diopi::server {

// Thread-safe.
class ConformanceService final : public v1::Conformance::Service {
 public:
  // All must outlive the service.
  ConformanceService(Database* database, RunRegistry* registry, BaselineCache* baselines,
                     std::string data_folder)
      : database_(database),
        registry_(registry),
        baselines_(baselines),
        data_folder_(std::move(data_folder)) {}

  // From now on nothing is handed out: new leases are Unavailable, open ones end after the case in flight.
  void Drain() { draining_ = true; }
  // Waits until no call is being served; false when `limit` passed first.
  bool AwaitIdle(absl::Duration limit);

  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::ServerInfoRequest*,
                             v1::ServerInfoResponse* response) override;
  grpc::Status CreateRun(grpc::ServerContext*, const v1::CreateRunRequest* request,
                         v1::CreateRunResponse* response) override;
  grpc::Status Lease(grpc::ServerContext*, const v1::LeaseRequest* request,
                     grpc::ServerWriter<v1::LeaseMessage>* writer) override;
  grpc::Status Report(grpc::ServerContext*, const v1::ReportRequest* request,
                      v1::ReportResponse* response) override;
  grpc::Status FinishRun(grpc::ServerContext*, const v1::FinishRunRequest* request,
                         v1::FinishRunResponse* response) override;
  grpc::Status GetRun(grpc::ServerContext*, const v1::GetRunRequest* request, v1::RunInfo* response) override;
  grpc::Status ListRuns(grpc::ServerContext*, const v1::ListRunsRequest* request,
                        v1::ListRunsResponse* response) override;

 private:
  // A call being served, for AwaitIdle.
  class InFlight {
   public:
    explicit InFlight(ConformanceService* service);
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    ~InFlight();

   private:
    ConformanceService* const service_;
  };

  absl::Status SendBatch(ActiveRun* run, const LeaseBatch& batch,
                         grpc::ServerWriter<v1::LeaseMessage>* writer);
  absl::Status Finish(const v1::FinishRunRequest& request, v1::RunInfo* info);

  Database* const database_;
  RunRegistry* const registry_;
  BaselineCache* const baselines_;
  const std::string data_folder_;
  std::atomic<bool> draining_ = false;
  std::mutex mutex_;
  std::condition_variable idle_;
  int in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_SERVICE_H_
