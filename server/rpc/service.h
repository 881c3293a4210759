// The Conformance service: checks requests and hands them to registry, scheduler and database.
#ifndef SERVER_RPC_SERVICE_H_
#define SERVER_RPC_SERVICE_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "diopi/v1/service.grpc.pb.h"
#include "server/rpc/call_record.h"
#include "server/rpc/case_stream.h"
#include "server/rpc/chunk_pool.h"
#include "server/rpc/guard.h"
#include "server/runs/baseline_cache.h"
#include "server/runs/run_registry.h"
#include "server/security/lease_key.h"
#include "server/store/database.h"
#include "server/store/quota.h"
#include "server/telemetry/metrics.h"

namespace diopi::server {

// Thread-safe.
class ConformanceService final : public v1::Conformance::Service {
 public:
  struct Options {
    std::string data_folder;                      // reported to clients
    absl::Duration slow_call = absl::Seconds(1);  // a call that takes longer is logged
    Quota quota = {};                             // of one token
    // Called when a run has new verdicts or another state; `ended`: it is now finished or aborted.
    std::function<void(const std::string& run_id, bool ended)> run_changed;
    // Called when the server itself failed a call about the run.
    std::function<void(const std::string& run_id, const std::string& text)> fault;
    // Whether the caller may work on the run that `owner` made.
    std::function<absl::Status(const Identity& caller, const std::string& run_id, const std::string& owner)>
        check_run;
    Guard guard;   // checks every call
    LeaseKey key;  // signs the names of leases that agents get
    std::function<absl::StatusOr<std::string>(const v1::AnswerRequest&)> answer =
        nullptr;  // as ServerOptions has it
  };
  // All must outlive the service.
  ConformanceService(Database* database, RunChanges* changes, RunRegistry* registry, BaselineCache* baselines,
                     Metrics* metrics, Options options);

  // From now on the service hands out nothing: new leases are Unavailable, open ones end after the case in
  // flight.
  void Drain() { draining_ = true; }
  // Waits until no call is being served and no agent holds a lease. False: `limit` passed first.
  bool AwaitIdle(absl::Duration limit);
  // Lets AwaitIdle return once the calls in flight have ended, without waiting for leases.
  void AbandonLeases();
  // From now on calls that make or load runs give up: nobody will get their answers.
  void Stop() { stopped_ = true; }
  bool draining() const { return draining_; }
  void SetDashboards(const std::string& address);
  int in_flight();

  grpc::Status GetServerInfo(grpc::ServerContext* context, const v1::ServerInfoRequest* request,
                             v1::ServerInfoResponse* response) override;
  grpc::Status CreateRun(grpc::ServerContext* context, const v1::CreateRunRequest* request,
                         v1::CreateRunResponse* response) override;
  // Lease and Fetch write bytes, not messages: see the constructor.
  template <typename Request>
  using Streamer = grpc::ServerSplitStreamer<Request, grpc::ByteBuffer>;
  grpc::Status StreamLease(grpc::ServerContext* context, Streamer<v1::LeaseRequest>* stream);
  grpc::Status StreamFetch(grpc::ServerContext* context, Streamer<v1::FetchRequest>* stream);
  grpc::Status Report(grpc::ServerContext* context, const v1::ReportRequest* request,
                      v1::ReportResponse* response) override;
  grpc::Status FinishRun(grpc::ServerContext* context, const v1::FinishRunRequest* request,
                         v1::FinishRunResponse* response) override;
  grpc::Status GetRun(grpc::ServerContext* context, const v1::GetRunRequest* request,
                      v1::RunInfo* response) override;
  grpc::Status ListRuns(grpc::ServerContext* context, const v1::ListRunsRequest* request,
                        v1::ListRunsResponse* response) override;
  grpc::Status ReadVerdicts(grpc::ServerContext* context, const v1::ReadVerdictsRequest* request,
                            grpc::ServerWriter<v1::VerdictBatch>* writer) override;
  grpc::Status ReadAnswer(grpc::ServerContext* context, const v1::AnswerRequest* request,
                          grpc::ServerWriter<v1::AnswerPart>* writer) override;

 private:
  // A call being served: a record, counted for AwaitIdle.
  class Call {
   public:
    Call(ConformanceService* service, const grpc::ServerContextBase& context, CallRecord::What what);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();
    absl::Status Admit(const google::protobuf::Message& request) { return record_.Admit(request); }
    const Identity& caller() const { return record_.caller(); }
    // Whether the caller may work on a run, and still waits. Only while the call lives.
    RunCaller run_caller() const;
    // Turns `status` into the call's answer. Call it once.
    grpc::Status End(const absl::Status& status);

   private:
    ConformanceService* const service_;
    CallRecord record_;
  };

  absl::Status HandleCreateRun(const Call& call, const v1::CreateRunRequest& request,
                               v1::CreateRunResponse* response);
  using Writer = grpc::internal::WriterInterface<grpc::ByteBuffer>;
  absl::Status HandleLease(const Call& call, const v1::LeaseRequest& request, Writer* writer);
  absl::Status HandleFetch(const Call& call, const v1::FetchRequest& request, Writer* writer);
  absl::Status HandleReport(const Call& call, const v1::ReportRequest& request, v1::ReportResponse* response);
  absl::Status HandleListRuns(const v1::ListRunsRequest& request, v1::ListRunsResponse* response);
  absl::Status Store(ActiveRun* run, const v1::ReportRequest& request, v1::ReportResponse* response);

  absl::Status SendBatch(ActiveRun* run, const LeaseBatch& batch, const CaseStreamOptions& options,
                         Writer* writer);
  MessageSink SinkOf(Writer* writer);
  void LogProblem(const ActiveRun& run, const std::string& case_id, const std::string& problem);
  absl::Status Finish(const Call& call, const v1::FinishRunRequest& request, v1::RunInfo* info);
  void PublishChange(const std::string& run_id, bool ended);

  Database* const database_;
  RunChanges* const changes_;
  RunRegistry* const registry_;
  BaselineCache* const baselines_;
  Metrics* const metrics_;
  const Options options_;
  ChunkPool chunks_;
  std::atomic<bool> draining_ = false;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable idle_;
  int in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  bool leases_abandoned_ ABSL_GUARDED_BY(mutex_) = false;
  std::string dashboards_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace diopi::server

#endif  // SERVER_RPC_SERVICE_H_
