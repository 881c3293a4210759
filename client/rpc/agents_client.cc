// Uploads, downloads and submissions are not safe to repeat: they are repeated only when the server refused
// them unread, because it has no free thread (UnlessBusy). Watching a run is: it starts again after the last
// message that came. The context of Serve is kept, so that another thread can end it.
#include "client/rpc/agents_client.h"

#include <fcntl.h>

#include <fstream>
#include <mutex>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/base/status_macros.h"
#include "client/rpc/caller.h"
#include "diopi/v1/service.grpc.pb.h"
#include "server/store/run_state.h"

namespace diopi::rpc {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr size_t kUploadPiece = size_t{1} << 20;

class GrpcAgentsClient final : public AgentsClient {
 public:
  GrpcAgentsClient(std::string address, const ClientOptions& options)
      : caller_(std::move(address), options), stub_(v1::Agents::NewStub(caller_.channel())) {}

  absl::Status Serve(const v1::ServeRequest& request,
                     const std::function<void(const v1::Assignment&)>& take) override {
    grpc::ClientContext context;
    const Caller::InFlight in_flight(&caller_, &context);
    {
      const std::lock_guard lock(mutex_);
      serving_ = &context;
    }
    const auto reader = stub_->Serve(&context, request);
    v1::Assignment message;
    while (reader->Read(&message)) take(message);
    const grpc::Status ended = reader->Finish();
    const std::lock_guard lock(mutex_);
    serving_ = nullptr;
    return in_flight.Translate(ended, "Serve");
  }

  void EndServe() override {
    const std::lock_guard lock(mutex_);
    if (serving_ != nullptr) serving_->TryCancel();
  }

  absl::StatusOr<v1::HeartbeatResponse> Heartbeat(const v1::HeartbeatRequest& request) override {
    return caller_.Call(stub_.get(), &v1::Agents::Stub::Heartbeat, request);
  }

  absl::Status EndAssignment(const v1::EndAssignmentRequest& request) override {
    return caller_.Call(stub_.get(), &v1::Agents::Stub::EndAssignment, request).status();
  }

  absl::Status Leave(const std::string& agent_id) override {
    v1::LeaveRequest request;
    request.set_agent_id(agent_id);
    return caller_.Call(stub_.get(), &v1::Agents::Stub::Leave, request).status();
  }

  absl::StatusOr<v1::HealthCaseResponse> HealthCase() override {
    return caller_.Call(stub_.get(), &v1::Agents::Stub::HealthCase, v1::HealthCaseRequest());
  }

  absl::Status FetchImpl(const std::string& run_id, const std::string& path) override {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return absl::PermissionDeniedError(absl::StrCat(path, ": cannot be created"));
    absl::Status status = UnlessBusy([&] { return FetchImplOnce(run_id, path, fd); });
    close(fd);
    return status;
  }

  absl::StatusOr<v1::ListAgentsResponse> ListAgents(const std::string& chip) override {
    v1::ListAgentsRequest request;
    request.set_chip(chip);
    return caller_.Call(stub_.get(), &v1::Agents::Stub::ListAgents, request);
  }

  absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request,
                                            const std::string& upload_path) override {
    v1::SubmitResponse response;
    absl::Status status = UnlessBusy([&] { return SubmitOnce(request, upload_path, &response); });
    if (!status.ok()) return status;
    return response;
  }

  absl::Status WatchRun(const std::string& run_id,
                        const std::function<bool(const v1::RunInfo&)>& take) override {
    v1::GetRunRequest request;
    request.set_run_id(run_id);
    Clock::time_point heard = Clock::now();
    milliseconds backoff = caller_.options().first_backoff;
    for (;;) {
      grpc::ClientContext context;
      const Caller::InFlight in_flight(&caller_, &context);
      const auto reader = stub_->WatchRun(&context, request);
      v1::RunInfo run;
      bool ended = false;
      while (reader->Read(&run)) {
        heard = Clock::now();
        backoff = caller_.options().first_backoff;
        ended = server::IsOver(run.state());
        if (take(run)) continue;
        context.TryCancel();
        while (reader->Read(&run)) {
        }
        ended = true;
      }
      absl::Status status = in_flight.Translate(reader->Finish(), "WatchRun");
      if (ended) return absl::OkStatus();
      if (!status.ok() && !absl::IsUnavailable(status)) return status;
      if (!caller_.WaitToRetry(heard + caller_.options().retry_for, &backoff)) return status;
    }
  }

  absl::StatusOr<v1::RunInfo> CancelRun(const std::string& run_id) override {
    v1::CancelRunRequest request;
    request.set_run_id(run_id);
    ASSIGN_OR_RETURN(auto response, caller_.Call(stub_.get(), &v1::Agents::Stub::CancelRun, request));
    return std::move(*response.mutable_run());
  }

  bool WaitForServer(milliseconds limit) override {
    if (caller_.channel()->GetState(true) == GRPC_CHANNEL_READY) return true;
    return caller_.channel()->WaitForConnected(std::chrono::system_clock::now() + limit);
  }

  void Cancel() override { caller_.Cancel(); }

 private:
  // Makes a call that is not safe to repeat, and retries only when the server refused it unread.
  absl::Status UnlessBusy(const std::function<absl::Status()>& call) {
    Caller::Attempts attempts;
    for (;;) {
      absl::Status status = call();
      if (!IsBusy(status) || !caller_.WaitToRetry(status, &attempts)) return status;
    }
  }

  absl::Status FetchImplOnce(const std::string& run_id, const std::string& path, int fd) {
    v1::FetchImplRequest request;
    request.set_run_id(run_id);
    grpc::ClientContext context;
    Caller::InFlight in_flight(&caller_, &context, caller_.options().lease_deadline);
    const auto reader = stub_->FetchImpl(&context, request);
    v1::ImplChunk chunk;
    bool written = true;
    while (written && in_flight.Await([&] { return reader->Read(&chunk); }))
      written = WriteAll(fd, chunk.data());
    if (!written) context.TryCancel();
    const absl::Status ended = in_flight.Translate(reader->Finish(), "FetchImpl");
    return written ? ended : absl::ResourceExhaustedError(absl::StrCat(path, ": cannot be written"));
  }

  absl::Status SubmitOnce(const v1::SubmitRequest& request, const std::string& upload_path,
                          v1::SubmitResponse* response) {
    grpc::ClientContext context;
    const Caller::InFlight in_flight(&caller_, &context, caller_.options().lease_deadline);
    const auto writer = stub_->Submit(&context, response);
    bool open = writer->Write(request);
    std::ifstream file;
    if (!upload_path.empty()) file.open(upload_path, std::ios::binary);
    while (open && file.is_open() && file) {
      v1::SubmitRequest piece;
      piece.mutable_chunk()->resize(kUploadPiece);
      file.read(piece.mutable_chunk()->data(), kUploadPiece);
      piece.mutable_chunk()->resize(static_cast<size_t>(file.gcount()));
      if (!piece.chunk().empty()) open = writer->Write(piece);
    }
    writer->WritesDone();
    return in_flight.Translate(writer->Finish(), "Submit");
  }

  Caller caller_;
  const std::unique_ptr<v1::Agents::Stub> stub_;
  std::mutex mutex_;
  grpc::ClientContext* serving_ = nullptr;  // guarded by mutex_
};

}  // namespace

absl::StatusOr<std::unique_ptr<AgentsClient>> AgentsClient::Make(const std::string& address,
                                                                 const ClientOptions& options) {
  RETURN_IF_ERROR(CheckServer(address, options.credentials));
  return std::make_unique<GrpcAgentsClient>(address, options);
}

absl::StatusOr<std::unique_ptr<AgentsClient>> AgentsClient::Make(const std::string& address,
                                                                 const CredentialFiles& credentials,
                                                                 ClientOptions options) {
  ASSIGN_OR_RETURN(options.credentials, LoadCredentials(credentials));
  return Make(address, options);
}

}  // namespace diopi::rpc
