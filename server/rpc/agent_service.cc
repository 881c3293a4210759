// Streams that stay open for days use gRPC's callback interface, so that an idle agent or watcher costs no
// thread. A stream object is owned twice: by gRPC until OnDone and by the registry while it may send. At most
// one write is in flight for each stream; further messages are queued, or merged where only the newest state
// matters.
#include "server/rpc/agent_service.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/store/store.h"
#include "cases/base/status_macros.h"
#include "server/rpc/status.h"
#include "server/store/run_state.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

constexpr char kHealthFunction[] = "diopiAdd";
constexpr size_t kShaDigits = 64;
// Longest name of an uploaded library. It is shown, and never becomes a path.
constexpr size_t kMaxName = 255;

bool IsSha256(const std::string& text) {
  return text.size() == kShaDigits && std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
}

absl::Status CheckSubmit(const v1::SubmitRequest& request) {
  if (request.options().chip().empty()) return absl::InvalidArgumentError("a submitted run needs a chip");
  if (!request.options().impl_sha256().empty()) {
    return absl::InvalidArgumentError("a submitted run must not name its library: its first agent does");
  }
  if (!request.require_sha256().empty() && !IsSha256(request.require_sha256())) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", request.require_sha256(), "' is not a SHA-256; expected 64 hex digits"));
  }
  if (request.upload_name().empty()) return absl::OkStatus();
  if (!IsSha256(request.upload_sha256()) || request.upload_name().size() > kMaxName) {
    return absl::InvalidArgumentError("an uploaded library needs a SHA-256 and a name of 255 bytes at most");
  }
  if (request.require_sha256().empty() ||
      absl::EqualsIgnoreCase(request.require_sha256(), request.upload_sha256())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("the uploaded library has SHA-256 ", request.upload_sha256(),
                                                 ", but ", request.require_sha256(), " is required"));
}

v1::Submission SubmissionOf(const v1::SubmitRequest& request) {
  v1::Submission submission;
  submission.set_require_sha256(absl::AsciiStrToLower(request.require_sha256()));
  if (request.upload_name().empty()) return submission;
  submission.set_upload_name(request.upload_name());
  submission.set_upload_sha256(absl::AsciiStrToLower(request.upload_sha256()));
  submission.set_upload_bytes(request.upload_bytes());
  return submission;
}

// Whether the case has an output that could be wrong.
bool HasOutput(const v1::Case& c) {
  return std::any_of(c.args().begin(), c.args().end(), [](const v1::Argument& arg) {
    return arg.role() == v1::ROLE_OUTPUT && arg.has_tensor() &&
           NumElements({arg.tensor().shape().begin(), arg.tensor().shape().end()}) > 0;
  });
}

// The smallest float32 case of diopiAdd with an element.
absl::StatusOr<v1::Case> PickHealthCase(const cases::Catalog& catalog) {
  v1::Selection selection;
  selection.add_functions(kHealthFunction);
  selection.add_dtypes(v1::Dtype::float32);
  ASSIGN_OR_RETURN(const std::vector<v1::Case> cases, catalog.Select(selection));
  const v1::Case* best = nullptr;
  for (const v1::Case& c : cases) {
    const int64_t bytes = StreamedBytes(c);
    if (HasOutput(c) && (best == nullptr || bytes < StreamedBytes(*best))) best = &c;
  }
  if (best == nullptr) return absl::NotFoundError("there is no case of diopiAdd");
  return *best;
}

v1::TensorChunk WholeTensor(const std::string& key, const HostTensor& tensor) {
  v1::TensorChunk chunk;
  chunk.set_key(key);
  chunk.set_dtype(tensor.dtype);
  *chunk.mutable_shape() = {tensor.shape.begin(), tensor.shape.end()};
  chunk.set_total_bytes(static_cast<int64_t>(tensor.data.size()));
  chunk.set_data(tensor.data.data(), tensor.data.size());
  return chunk;
}

AgentCaller AsAgent(const Identity& caller) {
  return {caller.name, caller.role == Role::kAdmin};
}

absl::Status NotYours(const Identity& caller, const std::string& run_id, const std::string& owner,
                      const char* who_may) {
  return absl::PermissionDeniedError(
      absl::StrCat("run ", run_id, " belongs to '", owner.empty() ? kAnyone : owner, "', and the token of '",
                   caller.name, "' has the role ", RoleWord(caller.role), ": ", who_may));
}

// A stream that ends before it has begun.
template <typename Message>
class Refusal final : public grpc::ServerWriteReactor<Message> {
 public:
  explicit Refusal(const absl::Status& why) { this->Finish(ToGrpc(why)); }
  void OnDone() override { delete this; }
};

}  // namespace

// One agent's stream. gRPC holds it until OnDone, the registry for as long as it may send.
class AgentService::AgentStream final : public grpc::ServerWriteReactor<v1::Assignment>, public AgentLink {
 public:
  AgentStream(AgentRegistry* agents, std::string agent_id)
      : agents_(agents), agent_id_(std::move(agent_id)) {}

  static AgentStream* Start(AgentRegistry* agents, const v1::ServeRequest& request, CallRecord* call) {
    auto stream = std::make_shared<AgentStream>(agents, request.facts().agent_id());
    stream->self_ = stream;
    const absl::Status registered = agents->Register(request, stream, AsAgent(call->caller()));
    if (!registered.ok()) {
      call->End(registered);
      stream->Close(registered);
    }
    return stream.get();
  }

  void Send(const v1::Assignment& message) override {
    const std::lock_guard lock(mutex_);
    if (end_.has_value()) return;
    waiting_.push_back(message);
    Continue();
  }

  void Close(const absl::Status& why) override {
    const std::lock_guard lock(mutex_);
    if (end_.has_value()) return;
    end_ = why;
    Continue();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    waiting_.pop_front();
    if (!ok) {
      waiting_.clear();
      if (!end_.has_value()) end_ = absl::CancelledError("the agent disconnected");
    }
    Continue();
  }

  void OnCancel() override {
    agents_->StreamEnded(agent_id_, this);
    Close(absl::CancelledError("the agent disconnected"));
  }

  void OnDone() override {
    agents_->StreamEnded(agent_id_, this);
    self_ = nullptr;  // may destroy this object
  }

 private:
  void Continue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (writing_ || finished_) return;
    if (!waiting_.empty()) {
      writing_ = true;
      StartWrite(&waiting_.front());
    } else if (end_.has_value()) {
      finished_ = true;
      Finish(ToGrpc(*end_));
    }
  }

  AgentRegistry* const agents_;
  const std::string agent_id_;
  std::shared_ptr<AgentStream> self_;
  std::mutex mutex_;
  std::deque<v1::Assignment> waiting_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
};

// A stream that watches a run. Changes during a write become one message.
class AgentService::Watcher final : public grpc::ServerWriteReactor<v1::RunInfo> {
 public:
  Watcher(AgentService* service, std::string run_id) : service_(service), run_id_(std::move(run_id)) {}

  const std::string& run_id() const { return run_id_; }

  void Changed() {
    const std::lock_guard lock(mutex_);
    changed_ = true;
    Continue();
  }

  void Close(const absl::Status& why) {
    const std::lock_guard lock(mutex_);
    if (!end_.has_value()) end_ = why;
    Continue();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ok && !end_.has_value()) end_ = absl::CancelledError("nobody is watching the run any more");
    if (IsOver(run_.state()) && !end_.has_value()) end_ = absl::OkStatus();
    Continue();
  }

  void OnCancel() override { Close(absl::CancelledError("nobody is watching the run any more")); }
  void OnDone() override { service_->Forget(this); }

 private:
  void Continue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (writing_ || finished_) return;
    if (changed_ && !end_.has_value()) {
      changed_ = false;
      absl::StatusOr<v1::RunInfo> run = service_->database_->GetRun(run_id_);
      if (run.ok()) {
        run_ = *std::move(run);
        // Watchers of an exploration get its figures only.
        if (run_.has_exploration()) {
          run_.mutable_exploration()->clear_functions();
          run_.mutable_exploration()->clear_causes();
        }
        writing_ = true;
        StartWrite(&run_);
        return;
      }
      end_ = run.status();
    }
    if (!end_.has_value()) return;
    finished_ = true;
    Finish(ToGrpc(*end_));
  }

  AgentService* const service_;
  const std::string run_id_;
  std::mutex mutex_;
  v1::RunInfo run_ ABSL_GUARDED_BY(mutex_);
  bool changed_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
};

AgentService::AgentService(Database* database, RunChanges* changes, RunRegistry* runs, LazyCatalog* catalog,
                           BaselineCache* baselines, Metrics* metrics, const Clock* clock,
                           const std::string& data_folder, const Options& options)
    : database_(database),
      runs_(runs),
      catalog_(catalog),
      baselines_(baselines),
      metrics_(metrics),
      guard_(options.guard),
      max_owner_upload_bytes_(options.max_owner_upload_bytes),
      quota_(options.quota),
      uploads_(data_folder, options.max_upload_bytes),
      agents_(database, changes, clock, options.agents) {}

absl::Status AgentService::Load() {
  ASSIGN_OR_RETURN(const std::vector<v1::RunInfo> open, database_->OpenSubmissions());
  std::map<std::string, ImplStore::Kept> needed;
  for (const v1::RunInfo& run : open) {
    needed[run.run_id()] = {run.options().owner(), run.submission().upload_bytes()};
  }
  uploads_.RemoveAllBut(std::move(needed));
  return agents_.Load();
}

void AgentService::RunChanged(const std::string& run_id, bool ended) {
  if (ended) {
    agents_.Finished(run_id);
    uploads_.Remove(run_id);
  }
  std::vector<std::shared_ptr<Watcher>> watchers;
  {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = watchers_.equal_range(run_id);
    for (auto it = begin; it != end; ++it) watchers.push_back(it->second);
  }
  for (const std::shared_ptr<Watcher>& watcher : watchers) watcher->Changed();
}

void AgentService::Forget(Watcher* watcher) {
  std::shared_ptr<Watcher> last;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = watchers_.equal_range(watcher->run_id());
  for (auto it = begin; it != end; ++it) {
    if (it->second.get() != watcher) continue;
    last = std::move(it->second);
    watchers_.erase(it);
    return;
  }
}

void AgentService::CloseAll() {
  agents_.CloseAll();
  std::vector<std::shared_ptr<Watcher>> watchers;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& [run, watcher] : watchers_) watchers.push_back(watcher);
  }
  for (const auto& watcher : watchers) watcher->Close(absl::UnavailableError("the server is shutting down"));
}

grpc::ServerWriteReactor<v1::Assignment>* AgentService::Serve(grpc::CallbackServerContext* context,
                                                              const v1::ServeRequest* request) {
  CallRecord call = Record(*context, {"Serve", "", request->facts().agent_id()});
  absl::Status status = call.Admit(*request);
  if (status.ok()) status = guard_.CheckChip(call.caller(), request->facts().chip());
  if (!status.ok()) {
    call.End(status);
    return new Refusal<v1::Assignment>(status);
  }
  return AgentStream::Start(&agents_, *request, &call);
}

grpc::ServerWriteReactor<v1::RunInfo>* AgentService::WatchRun(grpc::CallbackServerContext* context,
                                                              const v1::GetRunRequest* request) {
  CallRecord call = Record(*context, {"WatchRun", request->run_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) {
    call.End(status);
    return new Refusal<v1::RunInfo>(status);
  }
  const absl::StatusOr<v1::RunInfo> run = database_->GetRun(request->run_id());  // resolves "latest"
  auto watcher = std::make_shared<Watcher>(this, run.ok() ? run->run_id() : request->run_id());
  bool closed = false;
  {
    const std::lock_guard lock(mutex_);
    watchers_.emplace(watcher->run_id(), watcher);
    closed = closed_;
  }
  if (closed) {
    watcher->Close(absl::UnavailableError("the server is shutting down"));
  } else if (!run.ok()) {
    watcher->Close(run.status());
  } else {
    watcher->Changed();
  }
  return watcher.get();
}

grpc::Status AgentService::Heartbeat(grpc::ServerContext* context, const v1::HeartbeatRequest* request,
                                     v1::HeartbeatResponse* response) {
  CallRecord call = Record(*context, {"Heartbeat", "", request->agent_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  absl::Status own = agents_.CheckOwner(request->agent_id(), AsAgent(call.caller()));
  if (own.ok()) response->set_known(agents_.Heartbeat(*request));
  return call.End(own);
}

grpc::Status AgentService::EndAssignment(grpc::ServerContext* context,
                                         const v1::EndAssignmentRequest* request,
                                         v1::EndAssignmentResponse*) {
  CallRecord call = Record(*context, {"EndAssignment", request->run_id(), request->agent_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  absl::Status own = agents_.CheckOwner(request->agent_id(), AsAgent(call.caller()));
  if (own.ok()) agents_.EndAssignment(*request);
  return call.End(own);
}

grpc::Status AgentService::Leave(grpc::ServerContext* context, const v1::LeaveRequest* request,
                                 v1::LeaveResponse*) {
  CallRecord call = Record(*context, {"Leave", "", request->agent_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  absl::Status own = agents_.CheckOwner(request->agent_id(), AsAgent(call.caller()));
  if (own.ok()) agents_.Leave(request->agent_id());
  return call.End(own);
}

absl::Status AgentService::FillHealthCase(v1::HealthCaseResponse* response) {
  ASSIGN_OR_RETURN(const cases::Catalog* catalog, catalog_->Get());
  ASSIGN_OR_RETURN(const v1::Case c, PickHealthCase(*catalog));
  *response->mutable_case_() = c;
  const absl::StatusOr<std::shared_ptr<const OpenBaseline>> open = baselines_->Get(c.operator_());
  absl::Status usable = open.ok() ? (*open)->Check(c) : open.status();
  if (usable.ok()) {
    absl::StatusOr<baselines::Baseline> baseline = (*open)->reader->Read(c.id());
    usable = baseline.status();
    if (usable.ok()) {
      for (const auto& [key, tensor] : baseline->inputs) *response->add_inputs() = WholeTensor(key, tensor);
      for (const auto& [key, tensor] : baseline->references) {
        *response->add_references() = WholeTensor(key, tensor);
      }
      response->set_reference((*open)->reference);
    }
  }
  if (!usable.ok()) response->set_unavailable(std::string(usable.message()));
  return absl::OkStatus();
}

grpc::Status AgentService::HealthCase(grpc::ServerContext* context, const v1::HealthCaseRequest* request,
                                      v1::HealthCaseResponse* response) {
  CallRecord call = Record(*context, {"HealthCase"});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  return call.End(FillHealthCase(response));
}

grpc::Status AgentService::FetchImpl(grpc::ServerContext* context, const v1::FetchImplRequest* request,
                                     grpc::ServerWriter<v1::ImplChunk>* writer) {
  CallRecord call = Record(*context, {"FetchImpl", request->run_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  const absl::Status status = HandleFetchImpl(call.caller(), request->run_id(), writer);
  if (IsServerFault(status)) agents_.ServerFault(request->run_id(), std::string(status.message()));
  return call.End(status);
}

absl::Status AgentService::HandleFetchImpl(const Identity& caller, const std::string& run_id,
                                           grpc::ServerWriter<v1::ImplChunk>* writer) {
  ASSIGN_OR_RETURN(const v1::RunInfo run, database_->GetRun(run_id));
  RETURN_IF_ERROR(CheckRun(caller, run.run_id(), run.options().owner()));
  return uploads_.Read(run.run_id(), [writer](std::string piece) {
    v1::ImplChunk chunk;
    chunk.set_data(std::move(piece));
    return writer->Write(chunk);
  });
}

absl::Status AgentService::CheckRun(const Identity& caller, const std::string& run_id,
                                    const std::string& owner) {
  if (caller.role == Role::kAdmin || caller.name == owner) return absl::OkStatus();
  absl::Status assigned = agents_.CheckAssigned(caller.name, run_id);
  if (!absl::IsPermissionDenied(assigned)) return assigned;
  return NotYours(caller, run_id, owner,
                  "only its owner, an agent while the run is assigned to it, and admin tokens may do this");
}

std::vector<v1::AgentInfo> AgentService::List(const std::string& chip) {
  std::vector<v1::AgentInfo> list = agents_.List(chip);
  std::map<std::string, v1::RunInfo> runs;
  for (v1::AgentInfo& agent : list) {
    if (agent.run_id().empty()) continue;
    if (!runs.contains(agent.run_id())) {
      const absl::StatusOr<v1::RunInfo> run = database_->GetRun(agent.run_id());
      runs[agent.run_id()] = run.ok() ? *run : v1::RunInfo();
    }
    agent.set_cases(runs[agent.run_id()].cases());
    agent.set_done(runs[agent.run_id()].done());
  }
  return list;
}

grpc::Status AgentService::ListAgents(grpc::ServerContext* context, const v1::ListAgentsRequest* request,
                                      v1::ListAgentsResponse* response) {
  CallRecord call = Record(*context, {"ListAgents"});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  for (v1::AgentInfo& agent : List(request->chip())) *response->add_agents() = std::move(agent);
  return call.End(absl::OkStatus());
}

absl::Status AgentService::Receive(const v1::SubmitRequest& first,
                                   grpc::ServerReader<v1::SubmitRequest>* reader,
                                   std::unique_ptr<ImplStore::Incoming>* incoming) {
  if (first.upload_name().empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<ImplStore::Incoming> received,
                   uploads_.Receive(first.options().owner(), first.upload_bytes(),
                                    first.options().owner() == kAnyone ? 0 : max_owner_upload_bytes_));
  v1::SubmitRequest message;
  while (reader->Read(&message)) {
    RETURN_IF_ERROR(received->Add(message.chunk()));
  }
  *incoming = std::move(received);
  return (*incoming)->Check(first.upload_sha256());
}

absl::StatusOr<v1::RunInfo> AgentService::MakeRun(const CallRecord* call, const v1::SubmitRequest& first,
                                                  const v1::Submission& submission,
                                                  ImplStore::Incoming* incoming) {
  NewRun more;
  more.submission = &submission;
  if (first.options().owner() != kAnyone) more.quota = quota_;
  std::string kept;
  if (incoming != nullptr) {
    more.before_commit = [&](const std::string& run_id) {
      absl::Status status = uploads_.Keep(incoming, run_id);
      if (status.ok()) kept = run_id;
      return status;
    };
  }
  absl::StatusOr<v1::RunInfo> run =
      runs_->Submit(first.options(), more, [call] { return call->StillWanted(); });
  if (!run.ok() && !kept.empty()) uploads_.Remove(kept);
  return run;
}

absl::Status AgentService::HandleSubmit(CallRecord* call, grpc::ServerReader<v1::SubmitRequest>* reader,
                                        v1::SubmitResponse* response) {
  v1::SubmitRequest first;
  if (!reader->Read(&first)) return absl::InvalidArgumentError("nothing was submitted");
  absl::Status status = call->Admit(first);
  if (!status.ok()) return status;
  status = CheckSubmit(first);
  if (status.ok() && !first.upload_name().empty()) {
    status = Guard::Require(call->caller(), Role::kAdmin, "uploading a library");
  }
  if (!status.ok()) return status;
  first.mutable_options()->set_owner(call->caller().name);
  const v1::Submission submission = SubmissionOf(first);
  ASSIGN_OR_RETURN(v1::SubmitResponse fit, agents_.Check(first.options().chip(), submission));
  std::unique_ptr<ImplStore::Incoming> incoming;
  RETURN_IF_ERROR(Receive(first, reader, &incoming));
  ASSIGN_OR_RETURN(v1::RunInfo run, MakeRun(call, first, submission, incoming.get()));
  *response = std::move(fit);
  *response->mutable_run() = run;
  agents_.Enqueue(run);
  return absl::OkStatus();
}

grpc::Status AgentService::Submit(grpc::ServerContext* context, grpc::ServerReader<v1::SubmitRequest>* reader,
                                  v1::SubmitResponse* response) {
  CallRecord call = Record(*context, {"Submit"});
  return call.End(HandleSubmit(&call, reader, response));
}

absl::Status AgentService::HandleCancel(const Identity& caller, const std::string& run_id, v1::RunInfo* run) {
  absl::StatusOr<v1::RunInfo> found = database_->GetRun(run_id);
  if (!found.ok()) return found.status();
  if (found->options().owner() != caller.name && caller.role != Role::kAdmin) {
    return NotYours(caller, found->run_id(), found->options().owner(),
                    "only its owner and admin tokens may cancel it");
  }
  RETURN_IF_ERROR(agents_.Cancel(found->run_id()));
  found = database_->GetRun(found->run_id());
  if (!found.ok()) return found.status();
  *run = *std::move(found);
  return absl::OkStatus();
}

grpc::Status AgentService::CancelRun(grpc::ServerContext* context, const v1::CancelRunRequest* request,
                                     v1::CancelRunResponse* response) {
  CallRecord call = Record(*context, {"CancelRun", request->run_id()});
  if (absl::Status status = call.Admit(*request); !status.ok()) return call.End(status);
  return call.End(HandleCancel(call.caller(), request->run_id(), response->mutable_run()));
}

}  // namespace diopi::server
