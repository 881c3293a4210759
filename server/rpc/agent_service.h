// The Agents service: streams of standing agents, submitted runs, and streams of those who watch runs.
#ifndef SERVER_RPC_AGENT_SERVICE_H_
#define SERVER_RPC_AGENT_SERVICE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "diopi/v1/service.grpc.pb.h"
#include "server/rpc/call_record.h"
#include "server/rpc/guard.h"
#include "server/runs/agent_registry.h"
#include "server/runs/baseline_cache.h"
#include "server/runs/impl_store.h"
#include "server/runs/run_registry.h"
#include "server/store/database.h"
#include "server/store/quota.h"
#include "server/telemetry/metrics.h"

namespace diopi::server {

// Callbacks serve streams that may stay open for days, so that an idle agent costs no thread; threads serve
// short calls, as in ConformanceService.
using AgentServiceBase =
    v1::Agents::WithCallbackMethod_Serve<v1::Agents::WithCallbackMethod_WatchRun<v1::Agents::Service>>;

// Thread-safe.
class AgentService final : public AgentServiceBase {
 public:
  struct Options {
    AgentRegistry::Options agents;
    int64_t max_upload_bytes = 512LL << 20;  // limit on an uploaded library
    int64_t max_owner_upload_bytes = 0;      // limit on all libraries that one token has uploaded; 0: none
    Quota quota = {};                        // of one token
    Guard guard;                             // checks every call
  };
  // All must outlive the service.
  AgentService(Database* database, RunChanges* changes, RunRegistry* runs, LazyCatalog* catalog,
               BaselineCache* baselines, Metrics* metrics, const Clock* clock, const std::string& data_folder,
               const Options& options);

  // Call it before the first call is served: loads the last server's state from the database.
  absl::Status Load();
  // Call it when a run has new verdicts or another state; `ended`: it is now finished or aborted.
  void RunChanged(const std::string& run_id, bool ended);
  // PermissionDenied, with the run and its owner, unless the caller is its owner, an administrator, or an
  // agent to which it is assigned (AgentRegistry::CheckAssigned).
  absl::Status CheckRun(const Identity& caller, const std::string& run_id, const std::string& owner);
  // The standing agents.
  AgentRegistry& agents() { return agents_; }
  // Ends every stream; new ones are Unavailable.
  void CloseAll();

  grpc::ServerWriteReactor<v1::Assignment>* Serve(grpc::CallbackServerContext* context,
                                                  const v1::ServeRequest* request) override;
  grpc::ServerWriteReactor<v1::RunInfo>* WatchRun(grpc::CallbackServerContext* context,
                                                  const v1::GetRunRequest* request) override;
  grpc::Status Heartbeat(grpc::ServerContext* context, const v1::HeartbeatRequest* request,
                         v1::HeartbeatResponse* response) override;
  grpc::Status EndAssignment(grpc::ServerContext* context, const v1::EndAssignmentRequest* request,
                             v1::EndAssignmentResponse* response) override;
  grpc::Status Leave(grpc::ServerContext* context, const v1::LeaveRequest* request,
                     v1::LeaveResponse* response) override;
  grpc::Status HealthCase(grpc::ServerContext* context, const v1::HealthCaseRequest* request,
                          v1::HealthCaseResponse* response) override;
  grpc::Status FetchImpl(grpc::ServerContext* context, const v1::FetchImplRequest* request,
                         grpc::ServerWriter<v1::ImplChunk>* writer) override;
  // What ListAgents answers; `chip` empty: every chip.
  std::vector<v1::AgentInfo> List(const std::string& chip);
  grpc::Status ListAgents(grpc::ServerContext* context, const v1::ListAgentsRequest* request,
                          v1::ListAgentsResponse* response) override;
  grpc::Status Submit(grpc::ServerContext* context, grpc::ServerReader<v1::SubmitRequest>* reader,
                      v1::SubmitResponse* response) override;
  grpc::Status CancelRun(grpc::ServerContext* context, const v1::CancelRunRequest* request,
                         v1::CancelRunResponse* response) override;

 private:
  class AgentStream;
  class Watcher;

  absl::Status HandleSubmit(CallRecord* call, grpc::ServerReader<v1::SubmitRequest>* reader,
                            v1::SubmitResponse* response);
  absl::Status Receive(const v1::SubmitRequest& first, grpc::ServerReader<v1::SubmitRequest>* reader,
                       std::unique_ptr<ImplStore::Incoming>* incoming);
  absl::StatusOr<v1::RunInfo> MakeRun(const CallRecord* call, const v1::SubmitRequest& first,
                                      const v1::Submission& submission, ImplStore::Incoming* incoming);
  absl::Status HandleCancel(const Identity& caller, const std::string& run_id, v1::RunInfo* run);
  absl::Status HandleFetchImpl(const Identity& caller, const std::string& run_id,
                               grpc::ServerWriter<v1::ImplChunk>* writer);
  absl::Status FillHealthCase(v1::HealthCaseResponse* response);
  CallRecord Record(const grpc::ServerContextBase& context, CallRecord::What what) {
    return {metrics_, &guard_, context, std::move(what)};
  }
  void Forget(Watcher* watcher);

  Database* const database_;
  RunRegistry* const runs_;
  LazyCatalog* const catalog_;
  BaselineCache* const baselines_;
  Metrics* const metrics_;
  const Guard guard_;
  const int64_t max_owner_upload_bytes_;
  const Quota quota_;
  ImplStore uploads_;
  AgentRegistry agents_;
  std::mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::multimap<std::string, std::shared_ptr<Watcher>> watchers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace diopi::server

#endif  // SERVER_RPC_AGENT_SERVICE_H_
