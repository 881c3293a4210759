#include "server/rpc/service.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/core/fill.h"
#include "server/rpc/case_stream.h"
#include "server/rpc/status.h"

namespace diopi::server {
namespace {

// What an agent gets that does not say how much it wants, and at most.
constexpr int kDefaultLeaseCases = 16;
constexpr int kMaxLeaseCases = 1024;

absl::Status CheckVerdicts(const ActiveRun& run, const v1::ReportRequest& request) {
  for (const v1::Verdict& verdict : request.verdicts()) {
    const std::optional<size_t> index = run.scheduler.IndexOf(verdict.case_id());
    if (!index.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("case '", verdict.case_id(), "' is not in run ", run.run_id));
    }
    if (verdict.case_hash() != run.hashes[*index]) {
      return absl::InvalidArgumentError(
          absl::StrCat("the verdict on ", verdict.case_id(), " is for another version of it: hash '",
                       verdict.case_hash(), "', run ", run.run_id, " has '", run.hashes[*index], "'"));
    }
    if (verdict.outcome() == v1::OUTCOME_UNSPECIFIED || !v1::Outcome_IsValid(verdict.outcome())) {
      return absl::InvalidArgumentError(
          absl::StrCat("the verdict on ", verdict.case_id(), " has no known outcome"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAgent(const std::string& agent_id) {
  if (!agent_id.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("agent_id is empty: every agent needs a name of its own");
}

// Our own faults are the operator's to see too, not only the client's.
grpc::Status Answer(const char* call, const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kResourceExhausted:
      spdlog::error("event=failed call={} status=\"{}\"", call, std::string(status.message()));
      break;
    default:
      break;
  }
  return ToGrpc(status);
}

}  // namespace

ConformanceService::InFlight::InFlight(ConformanceService* service) : service_(service) {
  const std::lock_guard lock(service_->mutex_);
  ++service_->in_flight_;
}

ConformanceService::InFlight::~InFlight() {
  const std::lock_guard lock(service_->mutex_);
  if (--service_->in_flight_ == 0) service_->idle_.notify_all();
}

bool ConformanceService::AwaitIdle(absl::Duration limit) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, absl::ToChronoMilliseconds(limit), [this] { return in_flight_ == 0; });
}

grpc::Status ConformanceService::GetServerInfo(grpc::ServerContext*, const v1::ServerInfoRequest*,
                                               v1::ServerInfoResponse* response) {
  response->set_version(DIOPI_VERSION);
  response->set_generator_version(kGeneratorVersion);
  response->set_data_folder(data_folder_);
  return grpc::Status::OK;
}

grpc::Status ConformanceService::CreateRun(grpc::ServerContext*, const v1::CreateRunRequest* request,
                                           v1::CreateRunResponse* response) {
  const InFlight in_flight(this);
  absl::StatusOr<v1::CreateRunResponse> created =
      request->resume_run().empty() ? registry_->Create(request->options())
                                    : registry_->Resume(request->resume_run(), request->options());
  if (!created.ok()) return Answer("CreateRun", created.status());
  *response = *std::move(created);
  spdlog::info("event={} run={} chip=\"{}\" cases={} done={}",
               request->resume_run().empty() ? "run_created" : "run_resumed", response->run_id(),
               request->options().chip(), response->cases(), response->done());
  if (response->without_baseline_size() > 0) {
    spdlog::warn("event=without_baseline run={} operators={}", response->run_id(),
                 absl::StrJoin(response->without_baseline(), ","));
  }
  return grpc::Status::OK;
}

absl::Status ConformanceService::SendBatch(ActiveRun* run, const LeaseBatch& batch,
                                           grpc::ServerWriter<v1::LeaseMessage>* writer) {
  const MessageSink sink = [writer](const v1::LeaseMessage& message) {
    // Small messages share packets; the end of a case goes out at once, so that the agent can begin.
    grpc::WriteOptions options;
    if (!message.has_case_end()) options.set_buffer_hint();
    return writer->Write(message, options);
  };
  for (size_t i = 0; i < batch.cases.size(); ++i) {
    const absl::StatusOr<v1::Case> c = run->CaseAt(batch.cases[i]);
    if (!c.ok()) return c.status();
    std::string unavailable;
    const bool sent = !draining_ && SendCase(*c, baselines_, sink, &unavailable);
    if (!unavailable.empty()) {
      spdlog::debug("event=no_baseline run={} case={} reason=\"{}\"", run->run_id, c->id(), unavailable);
    }
    if (sent) continue;
    run->scheduler.Return(batch.lease_id, absl::MakeConstSpan(batch.cases).subspan(i));
    return draining_ ? absl::UnavailableError("the server is shutting down")
                     : absl::CancelledError("the agent went away");
  }
  return absl::OkStatus();
}

grpc::Status ConformanceService::Lease(grpc::ServerContext*, const v1::LeaseRequest* request,
                                       grpc::ServerWriter<v1::LeaseMessage>* writer) {
  const InFlight in_flight(this);
  if (draining_) return {grpc::StatusCode::UNAVAILABLE, "the server is shutting down"};
  absl::Status status = CheckAgent(request->agent_id());
  if (!status.ok()) return Answer("Lease", status);
  const absl::StatusOr<std::shared_ptr<ActiveRun>> run = registry_->Find(request->run_id());
  if (!run.ok()) return Answer("Lease", run.status());
  LeaseLimits limits;
  limits.max_cases =
      request->max_cases() > 0 ? std::min(request->max_cases(), kMaxLeaseCases) : kDefaultLeaseCases;
  limits.max_bytes = request->max_bytes();
  const LeaseBatch batch = (*run)->scheduler.Lease(request->agent_id(), limits);
  v1::LeaseMessage message;
  v1::LeaseMessage::Header& header = *message.mutable_header();
  header.set_lease_id(batch.lease_id);
  header.set_expires_in_s(absl::ToDoubleSeconds(batch.expires_in));
  header.set_cases(static_cast<int32_t>(batch.cases.size()));
  header.set_run_complete(batch.complete);
  header.set_retry_in_s(absl::ToDoubleSeconds(batch.retry_in));
  if (!writer->Write(message)) {
    (*run)->scheduler.Return(batch.lease_id, batch.cases);
    return {grpc::StatusCode::CANCELLED, "the agent went away"};
  }
  spdlog::debug("event=lease run={} agent={} lease={} cases={}", (*run)->run_id, request->agent_id(),
                batch.lease_id, batch.cases.size());
  return Answer("Lease", SendBatch(run->get(), batch, writer));
}

grpc::Status ConformanceService::Report(grpc::ServerContext*, const v1::ReportRequest* request,
                                        v1::ReportResponse* response) {
  const InFlight in_flight(this);
  absl::Status status = CheckAgent(request->agent_id());
  if (!status.ok()) return Answer("Report", status);
  const absl::StatusOr<std::shared_ptr<ActiveRun>> run = registry_->Find(request->run_id());
  if (!run.ok()) return Answer("Report", run.status());
  status = CheckVerdicts(**run, *request);
  if (!status.ok()) return Answer("Report", status);
  for (const std::string& lease : request->renew_leases()) {
    (*run)->scheduler.Renew(request->agent_id(), lease);
  }
  if (request->verdicts().empty()) return grpc::Status::OK;
  const std::vector<v1::Verdict> verdicts(request->verdicts().begin(), request->verdicts().end());
  const absl::StatusOr<AppendResult> appended = database_->Append((*run)->run_id, verdicts);
  if (!appended.ok()) return Answer("Report", appended.status());
  // Only now: what is done in the scheduler is stored for certain.
  for (const v1::Verdict& verdict : verdicts) {
    (*run)->scheduler.MarkDone(request->agent_id(), verdict.case_id());
  }
  response->set_stored(appended->stored);
  response->set_duplicates(appended->duplicates);
  return grpc::Status::OK;
}

absl::Status ConformanceService::Finish(const v1::FinishRunRequest& request, v1::RunInfo* info) {
  const absl::StatusOr<std::shared_ptr<ActiveRun>> run = registry_->Find(request.run_id());
  if (!run.ok()) return run.status();
  const std::string& run_id = (*run)->run_id;
  (*run)->scheduler.Release(request.agent_id());
  const SchedulerCounts counts = (*run)->scheduler.Counts();
  // Others may still be at it: the run goes on until the last one leaves.
  std::string state = "running";
  if (counts.done == counts.total) {
    state = "finished";
  } else if (request.aborted() && counts.leases == 0) {
    state = "aborted";
  }
  absl::StatusOr<v1::RunInfo> stored = database_->GetRun(run_id);
  if (stored.ok() && stored->state() != state) {
    absl::Status status = database_->SetState(run_id, state);
    if (!status.ok()) return status;
    stored = database_->GetRun(run_id);
  }
  if (!stored.ok()) return stored.status();
  if (state != "running") registry_->Forget(run_id);
  *info = *std::move(stored);
  return absl::OkStatus();
}

grpc::Status ConformanceService::FinishRun(grpc::ServerContext*, const v1::FinishRunRequest* request,
                                           v1::FinishRunResponse* response) {
  const InFlight in_flight(this);
  absl::Status status = CheckAgent(request->agent_id());
  if (status.ok()) status = Finish(*request, response->mutable_run());
  if (status.ok()) {
    spdlog::info("event=agent_left run={} agent={} state={} done={} cases={}", response->run().run_id(),
                 request->agent_id(), response->run().state(), response->run().done(),
                 response->run().cases());
  }
  return Answer("FinishRun", status);
}

grpc::Status ConformanceService::GetRun(grpc::ServerContext*, const v1::GetRunRequest* request,
                                        v1::RunInfo* response) {
  absl::StatusOr<v1::RunInfo> run = database_->GetRun(request->run_id());
  if (!run.ok()) return Answer("GetRun", run.status());
  *response = *std::move(run);
  return grpc::Status::OK;
}

grpc::Status ConformanceService::ListRuns(grpc::ServerContext*, const v1::ListRunsRequest* request,
                                          v1::ListRunsResponse* response) {
  absl::StatusOr<std::vector<v1::RunInfo>> runs = database_->ListRuns(request->chip(), request->limit());
  if (!runs.ok()) return Answer("ListRuns", runs.status());
  for (v1::RunInfo& run : *runs) *response->add_runs() = std::move(run);
  return grpc::Status::OK;
}

}  // namespace diopi::server
