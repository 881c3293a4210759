// Each call is checked, handed to registry, scheduler and database, and answered. Lease and Fetch write the
// bytes of their messages themselves: the generated code would copy every tensor twice. A verdict is stored
// in the database before the scheduler marks the case as done, so that no acknowledged verdict is lost with
// the server.
#include "server/rpc/service.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/stage.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"
#include "cases/findings/describe.h"
#include "proto/enum_name.h"
#include "server/rpc/case_stream.h"
#include "server/rpc/lease_frame.h"
#include "server/rpc/status.h"
#include "server/rpc/verdict_stream.h"
#include "server/store/run_state.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

// The number of cases for an agent that does not ask for a number, and the most.
constexpr int kDefaultLeaseCases = 16;
constexpr int kMaxLeaseCases = 1024;
// Chunks of memory kept for the next tensors, enough for a few streams.
constexpr size_t kIdleChunks = 16;

absl::Status CheckVerdicts(const ActiveRun& run, const v1::ReportRequest& request) {
  for (const v1::Verdict& verdict : request.verdicts()) {
    const std::optional<size_t> index = run.scheduler.IndexOf(verdict.case_id());
    if (!index.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("case '", verdict.case_id(), "' is not in run ", run.run_id));
    }
    if (verdict.case_hash() != run.HashAt(*index)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the verdict on ", verdict.case_id(), " is for another version of it: hash '",
                       verdict.case_hash(), "', run ", run.run_id, " has '", run.HashAt(*index), "'"));
    }
    if (verdict.outcome() == v1::OUTCOME_UNSPECIFIED || !v1::Outcome_IsValid(verdict.outcome())) {
      return absl::InvalidArgumentError(
          absl::StrCat("the verdict on ", verdict.case_id(), " has no known outcome"));
    }
  }
  for (const v1::Measurement& measurement : request.measurements()) {
    const std::optional<size_t> index = run.scheduler.IndexOf(measurement.judged_case());
    if (index.has_value() && measurement.judged_hash() == run.HashAt(*index)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the measurement of ", measurement.case_id(), " relies on case '", measurement.judged_case(),
        "', which run ", run.run_id, " does not have in this version"));
  }
  return absl::OkStatus();
}

// Accepts a verdict only from an agent that was given the case.
absl::Status CheckLeases(const ActiveRun& run, const v1::ReportRequest& request,
                         const std::vector<std::string>& leases) {
  for (const v1::Verdict& verdict : request.verdicts()) {
    if (!leases.empty() && run.scheduler.WasLeased(verdict.case_id(), leases)) continue;
    return absl::PermissionDeniedError(absl::StrCat("the report on ", verdict.case_id(),
                                                    " names no lease under which agent '", request.agent_id(),
                                                    "' received the case"));
  }
  return absl::OkStatus();
}

absl::Status CheckAgent(const std::string& agent_id) {
  if (!agent_id.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("agent_id is empty: every agent needs a name of its own");
}

void LogFinished(const v1::RunInfo& run, const std::string& agent) {
  Log(LogLevel::kInfo, absl::StrCat("run_", EnumName(run.state())),
      {{"run_id", run.run_id()},
       {"agent", agent},
       {"chip", run.options().chip()},
       {"done", run.done()},
       {"cases", run.cases()}});
}

// The generated service numbers its methods in the order of the description.
int IndexOf(const char* method) {
  return v1::LeaseRequest::descriptor()
      ->file()
      ->FindServiceByName("Conformance")
      ->FindMethodByName(method)
      ->index();
}

absl::Status ShuttingDown() {
  return absl::UnavailableError("the server is shutting down");
}

}  // namespace

ConformanceService::ConformanceService(Database* database, RunChanges* changes, RunRegistry* registry,
                                       BaselineCache* baselines, Metrics* metrics, Options options)
    : database_(database),
      changes_(changes),
      registry_(registry),
      baselines_(baselines),
      metrics_(metrics),
      options_(std::move(options)),
      chunks_(kIdleChunks) {
  // The generated stubs would serialise a message and copy its tensor. These two calls write the same bytes
  // from slices that refer to the tensor; the other side sees no difference.
  MarkMethodStreamed(IndexOf("Lease"),
                     new grpc::internal::SplitServerStreamingHandler<v1::LeaseRequest, grpc::ByteBuffer>(
                         [this](grpc::ServerContext* context, Streamer<v1::LeaseRequest>* stream) {
                           return StreamLease(context, stream);
                         }));
  MarkMethodStreamed(IndexOf("Fetch"),
                     new grpc::internal::SplitServerStreamingHandler<v1::FetchRequest, grpc::ByteBuffer>(
                         [this](grpc::ServerContext* context, Streamer<v1::FetchRequest>* stream) {
                           return StreamFetch(context, stream);
                         }));
}

ConformanceService::Call::Call(ConformanceService* service, const grpc::ServerContextBase& context,
                               CallRecord::What what)
    : service_(service),
      record_(service->metrics_, &service->options_.guard, context, std::move(what),
              service->options_.slow_call) {
  const std::lock_guard lock(service_->mutex_);
  ++service_->in_flight_;
}

ConformanceService::Call::~Call() {
  const std::lock_guard lock(service_->mutex_);
  --service_->in_flight_;
  service_->idle_.notify_all();
}

RunCaller ConformanceService::Call::run_caller() const {
  const auto access = [this](const std::string& run_id, const std::string& owner) {
    return service_->options_.check_run(caller(), run_id, owner);
  };
  return {access, [this] { return service_->stopped_ ? ShuttingDown() : record_.StillWanted(); }};
}

grpc::Status ConformanceService::Call::End(const absl::Status& status) {
  // A server that shuts down refuses everybody, which is not a fault.
  if (IsServerFault(status) && !service_->draining_ && !record_.run_id().empty()) {
    service_->options_.fault(record_.run_id(), std::string(status.message()));
  }
  return record_.End(status);
}

bool ConformanceService::AwaitIdle(absl::Duration limit) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, absl::ToChronoMilliseconds(limit),
                        [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
                          return in_flight_ == 0 && (leases_abandoned_ || registry_->Counts().leases == 0);
                        });
}

void ConformanceService::AbandonLeases() {
  const std::lock_guard lock(mutex_);
  leases_abandoned_ = true;
  idle_.notify_all();
}

int ConformanceService::in_flight() {
  const std::lock_guard lock(mutex_);
  return in_flight_;
}

grpc::Status ConformanceService::GetServerInfo(grpc::ServerContext* context,
                                               const v1::ServerInfoRequest* request,
                                               v1::ServerInfoResponse* response) {
  Call call(this, *context, {"GetServerInfo"});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  response->set_version(DIOPI_VERSION);
  response->set_generator_version(kGeneratorVersion);
  response->set_data_folder(options_.data_folder);
  const std::lock_guard lock(mutex_);
  response->set_dashboards(dashboards_);
  return call.End(absl::OkStatus());
}

void ConformanceService::SetDashboards(const std::string& address) {
  const std::lock_guard lock(mutex_);
  dashboards_ = address;
}

absl::Status ConformanceService::HandleCreateRun(const Call& call, const v1::CreateRunRequest& request,
                                                 v1::CreateRunResponse* response) {
  ASSIGN_OR_RETURN(
      v1::CreateRunResponse created,
      request.resume_run().empty()
          ? registry_->Create(request.options(), call.caller().name == kAnyone ? Quota{} : options_.quota,
                              call.run_caller().wanted)
          : registry_->Resume(request.resume_run(), request.options(), request.join(), call.run_caller()));
  *response = std::move(created);
  StageReached("run_created");
  Log(LogLevel::kInfo, request.resume_run().empty() ? "run_created" : "run_resumed",
      {{"run_id", response->run_id()},
       {"chip", request.options().chip()},
       {"host", request.options().host()},
       {"cases", response->cases()},
       {"done", response->done()}});
  if (response->without_baseline_size() > 0) {
    Log(LogLevel::kWarn, "without_baseline",
        {{"run_id", response->run_id()}, {"operators", absl::StrJoin(response->without_baseline(), ",")}});
  }
  PublishChange(response->run_id(), /*ended=*/false);  // watchers of a queued run see that it has begun
  return absl::OkStatus();
}

grpc::Status ConformanceService::CreateRun(grpc::ServerContext* context, const v1::CreateRunRequest* request,
                                           v1::CreateRunResponse* response) {
  Call call(this, *context, {"CreateRun", request->resume_run()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  if (request->resume_run().empty()) {
    absl::Status chip = options_.guard.CheckChip(call.caller(), request->options().chip());
    if (!chip.ok()) return call.End(chip);
  }
  v1::CreateRunRequest owned = *request;
  owned.mutable_options()->set_owner(call.caller().name);
  return call.End(HandleCreateRun(call, owned, response));
}

MessageSink ConformanceService::SinkOf(Writer* writer) {
  return [this, writer](const OutgoingMessage& message) {
    // Small messages share packets; the end of a case goes out at once, so that the agent can begin.
    grpc::WriteOptions options;
    if (!message.ends_case) options.set_buffer_hint();
    if (!writer->Write(message.bytes, options)) return false;
    metrics_->Streamed(message.tensor_bytes);
    return true;
  };
}

void ConformanceService::LogProblem(const ActiveRun& run, const std::string& case_id,
                                    const std::string& problem) {
  if (problem.empty()) return;
  Log(LogLevel::kDebug, "no_baseline", {{"run_id", run.run_id}, {"case", case_id}, {"reason", problem}});
}

absl::Status ConformanceService::SendBatch(ActiveRun* run, const LeaseBatch& batch,
                                           const CaseStreamOptions& options, Writer* writer) {
  CaseStream stream(baselines_, &chunks_, SinkOf(writer));
  for (size_t i = 0; i < batch.cases.size(); ++i) {
    ASSIGN_OR_RETURN(const v1::Case c, run->CaseAt(batch.cases[i]));
    std::string problem;
    const bool sent = !draining_ && stream.SendCase(c, options, &problem);
    LogProblem(*run, c.id(), problem);
    if (sent) continue;
    run->scheduler.Return(batch.lease_id, absl::MakeConstSpan(batch.cases).subspan(i));
    return draining_ ? ShuttingDown() : absl::CancelledError("the agent disconnected");
  }
  return absl::OkStatus();
}

absl::Status ConformanceService::HandleFetch(const Call& call, const v1::FetchRequest& request,
                                             Writer* writer) {
  if (draining_) return ShuttingDown();
  RETURN_IF_ERROR(CheckAgent(request.agent_id()));
  if (request.cases_size() > kMaxLeaseCases) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensors of ", request.cases_size(), " cases wanted; at most ", kMaxLeaseCases, " are allowed"));
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<ActiveRun> run,
                   registry_->Find(request.run_id(), call.run_caller()));
  CaseStream stream(baselines_, &chunks_, SinkOf(writer));
  for (const v1::FetchRequest::Wanted& wanted : request.cases()) {
    const std::optional<size_t> index = run->scheduler.IndexOf(wanted.case_id());
    if (!index.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("case '", wanted.case_id(), "' is not in run ", run->run_id));
    }
    ASSIGN_OR_RETURN(const v1::Case c, run->CaseAt(*index));
    std::string problem;
    const bool sent = !draining_ && stream.SendWanted(c, wanted, &problem);
    LogProblem(*run, c.id(), problem);
    if (!sent) return draining_ ? ShuttingDown() : absl::CancelledError("the agent disconnected");
  }
  return absl::OkStatus();
}

absl::Status ConformanceService::HandleLease(const Call& call, const v1::LeaseRequest& request,
                                             Writer* writer) {
  if (draining_) return ShuttingDown();
  RETURN_IF_ERROR(CheckAgent(request.agent_id()));
  ASSIGN_OR_RETURN(const std::shared_ptr<ActiveRun> run,
                   registry_->Find(request.run_id(), call.run_caller()));
  registry_->KeepAlive(run.get());
  LeaseLimits limits;
  limits.max_cases =
      request.max_cases() > 0 ? std::min(request.max_cases(), kMaxLeaseCases) : kDefaultLeaseCases;
  limits.max_bytes = request.max_bytes();
  limits.workers = std::max(request.workers(), 1);
  const LeaseBatch batch = run->scheduler.Lease(request.agent_id(), limits);
  v1::LeaseMessage message;
  v1::LeaseMessage::Header& header = *message.mutable_header();
  if (!batch.cases.empty()) {
    header.set_lease_id(options_.key.Sign({run->run_id, request.agent_id()}, batch.lease_id));
  }
  header.set_expires_in_s(absl::ToDoubleSeconds(batch.expires_in));
  header.set_cases(static_cast<int32_t>(batch.cases.size()));
  header.set_run_complete(batch.complete);
  header.set_retry_in_s(absl::ToDoubleSeconds(batch.retry_in));
  if (!writer->Write(EncodeMessage(message))) {
    run->scheduler.Return(batch.lease_id, batch.cases);
    return absl::CancelledError("the agent disconnected");
  }
  metrics_->Leased(batch.cases.size());
  if (!batch.cases.empty()) StageReached("lease_sent");
  if (Logs(LogLevel::kDebug)) {
    Log(LogLevel::kDebug, "lease",
        {{"run_id", run->run_id},
         {"agent", request.agent_id()},
         {"lease", batch.lease_id},
         {"cases", batch.cases.size()}});
  }
  return SendBatch(run.get(), batch, {request.generator_version(), request.fetch_above()}, writer);
}

grpc::Status ConformanceService::StreamLease(grpc::ServerContext* context,
                                             Streamer<v1::LeaseRequest>* stream) {
  v1::LeaseRequest request;
  if (!stream->Read(&request)) return ToGrpc(absl::InvalidArgumentError("no LeaseRequest"));
  Call call(this, *context, {"Lease", request.run_id(), request.agent_id()});
  if (absl::Status status = call.Admit(request); !status.ok()) return call.End(status);
  return call.End(HandleLease(call, request, stream));
}

grpc::Status ConformanceService::StreamFetch(grpc::ServerContext* context,
                                             Streamer<v1::FetchRequest>* stream) {
  v1::FetchRequest request;
  if (!stream->Read(&request)) return ToGrpc(absl::InvalidArgumentError("no FetchRequest"));
  Call call(this, *context, {"Fetch", request.run_id(), request.agent_id()});
  if (absl::Status status = call.Admit(request); !status.ok()) return call.End(status);
  return call.End(HandleFetch(call, request, stream));
}

absl::Status ConformanceService::Store(ActiveRun* run, const v1::ReportRequest& request,
                                       v1::ReportResponse* response) {
  StageReached("report_received");
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const AppendResult appended,
                   database_->AppendEach(run->run_id, {request.verdicts().data(),
                                                       static_cast<size_t>(request.verdicts_size())}));
  metrics_->Appended(absl::FromChrono(std::chrono::steady_clock::now() - start));
  metrics_->Reported(static_cast<size_t>(appended.stored), static_cast<size_t>(appended.duplicates));
  StageReached("report_stored");
  // Only now, so that everything done in the scheduler is stored for certain.
  std::map<v1::Outcome, size_t> fresh;
  for (const v1::Verdict& verdict : request.verdicts()) {
    if (run->scheduler.MarkDone(request.agent_id(), verdict.case_id(), verdict.elapsed_us() * 1e-6)) {
      ++fresh[verdict.outcome()];
    }
  }
  for (const auto& [outcome, count] : fresh) metrics_->Verdict(run->chip, EnumName(outcome), count);
  PublishChange(run->run_id, /*ended=*/false);
  response->set_stored(appended.stored);
  response->set_duplicates(appended.duplicates);
  return absl::OkStatus();
}

absl::Status ConformanceService::HandleReport(const Call& call, const v1::ReportRequest& request,
                                              v1::ReportResponse* response) {
  absl::Status status = CheckAgent(request.agent_id());
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(const std::shared_ptr<ActiveRun> run,
                   registry_->Find(request.run_id(), call.run_caller()));
  RETURN_IF_ERROR(CheckVerdicts(*run, request));
  registry_->KeepAlive(run.get());
  std::vector<std::string> leases;
  for (const std::string& lease : request.renew_leases()) {
    std::optional<std::string> known = options_.key.Verify({run->run_id, request.agent_id()}, lease);
    if (known.has_value()) leases.push_back(*std::move(known));
  }
  RETURN_IF_ERROR(CheckLeases(*run, request, leases));
  for (const std::string& lease : leases) run->scheduler.Renew(request.agent_id(), lease);
  if (request.has_exploration()) {
    RETURN_IF_ERROR(database_->WriteExploration(run->run_id, request.exploration()));
    PublishChange(run->run_id, /*ended=*/false);
  }
  if (!request.measurements().empty() || request.has_machine()) {
    status = database_->AppendPerformance(
        run->run_id, {request.measurements().data(), static_cast<size_t>(request.measurements_size())},
        request.has_machine() ? &request.machine() : nullptr);
    if (!status.ok()) return status;
  }
  return request.verdicts().empty() ? absl::OkStatus() : Store(run.get(), request, response);
}

grpc::Status ConformanceService::Report(grpc::ServerContext* context, const v1::ReportRequest* request,
                                        v1::ReportResponse* response) {
  Call call(this, *context, {"Report", request->run_id(), request->agent_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  return call.End(HandleReport(call, *request, response));
}

void ConformanceService::PublishChange(const std::string& run_id, bool ended) {
  options_.run_changed(run_id, ended);
}

absl::Status ConformanceService::Finish(const Call& call, const v1::FinishRunRequest& request,
                                        v1::RunInfo* info) {
  ASSIGN_OR_RETURN(const std::shared_ptr<ActiveRun> run,
                   registry_->Find(request.run_id(), call.run_caller()));
  const std::string& run_id = run->run_id;
  run->scheduler.Release(request.agent_id());
  const SchedulerCounts counts = run->scheduler.Counts();
  // Other agents may still work on it: the run goes on until the last one leaves.
  v1::RunState state = v1::RUN_STATE_RUNNING;
  if (run->exploration ? !request.aborted() : counts.done == counts.total) {
    state = v1::RUN_STATE_FINISHED;
  } else if (request.aborted() && counts.leases == 0) {
    state = v1::RUN_STATE_ABORTED;
  }
  absl::StatusOr<v1::RunInfo> stored = database_->GetRun(run_id);
  // A submitted run waits for other agents when this one leaves, and stays aborted when its user cancelled
  // it.
  if (stored.ok() && stored->has_submission() && state != v1::RUN_STATE_FINISHED) {
    state = stored->state() == v1::RUN_STATE_ABORTED ? v1::RUN_STATE_ABORTED : v1::RUN_STATE_RUNNING;
  }
  if (stored.ok() && stored->state() != state) {
    RunChange change{.state = state};
    if (AbortReason(stored->options()).code() != v1::Finding::CODE_UNSPECIFIED)
      change.aborted = v1::Finding();
    // If the database cannot take the change now, it will be stored later; the agent only learns that it was
    // not stored yet.
    RETURN_IF_ERROR(changes_->Store(run_id, change));
    stored = database_->GetRun(run_id);
    if (stored.ok()) LogFinished(*stored, request.agent_id());
  }
  if (!stored.ok()) return stored.status();
  if (state == v1::RUN_STATE_FINISHED) StageReached("run_finished");
  if (state != v1::RUN_STATE_RUNNING) registry_->Forget(run_id);
  *info = *std::move(stored);
  PublishChange(info->run_id(), IsOver(info->state()));
  return absl::OkStatus();
}

grpc::Status ConformanceService::FinishRun(grpc::ServerContext* context, const v1::FinishRunRequest* request,
                                           v1::FinishRunResponse* response) {
  Call call(this, *context, {"FinishRun", request->run_id(), request->agent_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  absl::Status status = CheckAgent(request->agent_id());
  if (status.ok()) status = Finish(call, *request, response->mutable_run());
  if (status.ok()) {
    Log(LogLevel::kInfo, "agent_left",
        {{"run_id", response->run().run_id()},
         {"agent", request->agent_id()},
         {"state", EnumName(response->run().state())},
         {"done", response->run().done()},
         {"cases", response->run().cases()}});
  }
  return call.End(status);
}

grpc::Status ConformanceService::GetRun(grpc::ServerContext* context, const v1::GetRunRequest* request,
                                        v1::RunInfo* response) {
  Call call(this, *context, {"GetRun", request->run_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  absl::StatusOr<v1::RunInfo> run = database_->GetRun(request->run_id());
  if (!run.ok()) return call.End(run.status());
  *response = *std::move(run);
  return call.End(absl::OkStatus());
}

absl::Status ConformanceService::HandleListRuns(const v1::ListRunsRequest& request,
                                                v1::ListRunsResponse* response) {
  ASSIGN_OR_RETURN(std::vector<v1::RunInfo> runs,
                   database_->ListRuns(request.chip(), request.limit(), request.before()));
  for (v1::RunInfo& run : runs) *response->add_runs() = std::move(run);
  return absl::OkStatus();
}

grpc::Status ConformanceService::ListRuns(grpc::ServerContext* context, const v1::ListRunsRequest* request,
                                          v1::ListRunsResponse* response) {
  Call call(this, *context, {"ListRuns"});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  return call.End(HandleListRuns(*request, response));
}

grpc::Status ConformanceService::ReadVerdicts(grpc::ServerContext* context,
                                              const v1::ReadVerdictsRequest* request,
                                              grpc::ServerWriter<v1::VerdictBatch>* writer) {
  Call call(this, *context, {"ReadVerdicts", request->run_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  return call.End(SendVerdicts(database_, *request, [&](const v1::VerdictBatch& batch) {
    if (draining_) return ShuttingDown();
    return writer->Write(batch) ? absl::OkStatus() : absl::CancelledError("the reader disconnected");
  }));
}

grpc::Status ConformanceService::ReadAnswer(grpc::ServerContext* context, const v1::AnswerRequest* request,
                                            grpc::ServerWriter<v1::AnswerPart>* writer) {
  constexpr size_t kPart = size_t{1} << 20;
  Call call(this, *context, {"ReadAnswer"});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  if (options_.answer == nullptr) return call.End(absl::UnimplementedError("this server gives no answers"));
  const absl::StatusOr<std::string> bytes = options_.answer(*request);
  if (!bytes.ok()) return call.End(bytes.status());
  v1::AnswerPart part;
  for (size_t at = 0; at < bytes->size(); at += kPart) {
    part.set_bytes(bytes->substr(at, kPart));
    if (!writer->Write(part)) return call.End(absl::CancelledError("the reader disconnected"));
  }
  return call.End(absl::OkStatus());
}

}  // namespace diopi::server
