#include "client/rpc/client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "diopi/v1/service.grpc.pb.h"

namespace diopi::rpc {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

absl::Status CheckAddress(const std::string& address) {
  const bool unix_socket = absl::StartsWith(address, "unix:");
  const size_t colon = address.rfind(':');
  const bool complete = colon != std::string::npos && colon + 1 < address.size() && colon > 0;
  const bool port = complete && std::all_of(address.begin() + static_cast<std::ptrdiff_t>(colon) + 1,
                                            address.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (complete && (unix_socket || port)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", address, "' is no server address; expected HOST:PORT or unix:PATH"));
}

class GrpcClient final : public Client {
 public:
  GrpcClient(std::string address, const ClientOptions& options)
      : address_(std::move(address)), options_(options) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // A restarted server is met again soon. The minimum is how long one attempt may take, not a pause.
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
    channel_ = grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
    stub_ = v1::Conformance::NewStub(channel_);
  }

  absl::Status Greet() {
    v1::ServerInfoRequest request;
    return Unary(
        [&](grpc::ClientContext* context) { return stub_->GetServerInfo(context, request, &server_); });
  }

  const v1::ServerInfoResponse& server() const override { return server_; }
  const std::string& address() const override { return address_; }

  absl::StatusOr<v1::CreateRunResponse> CreateRun(const v1::CreateRunRequest& request) override {
    return Call<v1::CreateRunResponse>(&v1::Conformance::Stub::CreateRun, request);
  }

  absl::StatusOr<v1::ReportResponse> Report(const v1::ReportRequest& request) override {
    return Call<v1::ReportResponse>(&v1::Conformance::Stub::Report, request);
  }

  absl::StatusOr<v1::RunInfo> FinishRun(const v1::FinishRunRequest& request) override {
    auto response = Call<v1::FinishRunResponse>(&v1::Conformance::Stub::FinishRun, request);
    if (!response.ok()) return response.status();
    return std::move(*response->mutable_run());
  }

  absl::StatusOr<v1::RunInfo> GetRun(const std::string& run_id) override {
    v1::GetRunRequest request;
    request.set_run_id(run_id);
    return Call<v1::RunInfo>(&v1::Conformance::Stub::GetRun, request);
  }

  absl::StatusOr<v1::ListRunsResponse> ListRuns(const v1::ListRunsRequest& request) override {
    return Call<v1::ListRunsResponse>(&v1::Conformance::Stub::ListRuns, request);
  }

  absl::StatusOr<v1::LeaseMessage::Header> Lease(const v1::LeaseRequest& request,
                                                 LeaseAssembler::Consumer consumer) override {
    const Clock::time_point give_up = Clock::now() + options_.retry_for;
    milliseconds backoff = options_.first_backoff;
    for (;;) {
      LeaseAssembler assembler(consumer);
      const absl::Status status = ReadLease(request, &assembler);
      if (status.ok()) return assembler.header();
      // Once cases have come they count: no second stream under the same call.
      if (!absl::IsUnavailable(status) || assembler.has_header()) return status;
      if (!WaitToRetry(give_up, &backoff)) return status;
    }
  }

  void Cancel() override {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    for (grpc::ClientContext* context : contexts_) context->TryCancel();
    wake_.notify_all();
  }

 private:
  // Registers a call in flight for Cancel.
  class InFlight {
   public:
    InFlight(GrpcClient* client, grpc::ClientContext* context) : client_(client), context_(context) {
      const std::lock_guard lock(client_->mutex_);
      client_->contexts_.insert(context_);
      if (client_->cancelled_) context_->TryCancel();
    }
    ~InFlight() {
      const std::lock_guard lock(client_->mutex_);
      client_->contexts_.erase(context_);
    }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

   private:
    GrpcClient* client_;
    grpc::ClientContext* context_;
  };

  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(grpc::Status (v1::Conformance::Stub::*method)(grpc::ClientContext*,
                                                                              const Request&, Response*),
                                const Request& request) {
    Response response;
    const absl::Status status = Unary(
        [&](grpc::ClientContext* context) { return (stub_.get()->*method)(context, request, &response); });
    if (!status.ok()) return status;
    return response;
  }

  absl::Status Unary(const std::function<grpc::Status(grpc::ClientContext*)>& call) {
    const Clock::time_point give_up = Clock::now() + options_.retry_for;
    milliseconds backoff = options_.first_backoff;
    for (;;) {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + options_.call_deadline);
      const InFlight in_flight(this, &context);
      const absl::Status status = Translate(call(&context));
      if (!absl::IsUnavailable(status) || !WaitToRetry(give_up, &backoff)) return status;
    }
  }

  absl::Status ReadLease(const v1::LeaseRequest& request, LeaseAssembler* assembler) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + options_.lease_deadline);
    const InFlight in_flight(this, &context);
    const auto reader = stub_->Lease(&context, request);
    v1::LeaseMessage message;
    absl::Status status;
    while (status.ok() && reader->Read(&message)) status = assembler->Add(&message);
    if (!status.ok()) context.TryCancel();
    const absl::Status ended = Translate(reader->Finish());
    if (!status.ok()) return status;
    if (!ended.ok()) return ended;
    return assembler->Finish();
  }

  // False when the time is up or Cancel was called.
  bool WaitToRetry(Clock::time_point give_up, milliseconds* backoff) {
    const Clock::time_point next = Clock::now() + *backoff;
    if (next > give_up) return false;
    const milliseconds pause = std::exchange(*backoff, std::min(*backoff * 2, options_.max_backoff));
    if (channel_->GetState(true) != GRPC_CHANNEL_READY) {
      // A channel only gets on with connecting while somebody waits for it; a plain pause would leave it to
      // gRPC's poll every five seconds.
      channel_->WaitForConnected(std::chrono::system_clock::now() + pause);
      const std::lock_guard lock(mutex_);
      return !cancelled_;
    }
    std::unique_lock lock(mutex_);
    return !wake_.wait_until(lock, next, [this] { return cancelled_; });
  }

  absl::Status Translate(const grpc::Status& status) const {
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    switch (code) {
      case absl::StatusCode::kOk:
        return absl::OkStatus();
      case absl::StatusCode::kUnavailable:
        return absl::UnavailableError(
            absl::StrCat("cannot reach the server at ", address_, ": ", status.error_message()));
      case absl::StatusCode::kDeadlineExceeded:
        return absl::DeadlineExceededError(
            absl::StrCat("the server at ", address_, " did not answer in time: ", status.error_message()));
      default:
        return absl::Status(code, status.error_message());
    }
  }

  std::string address_;
  ClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Conformance::Stub> stub_;
  v1::ServerInfoResponse server_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool cancelled_ = false;
  std::set<grpc::ClientContext*> contexts_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(const std::string& address,
                                                        const ClientOptions& options) {
  const absl::Status valid = CheckAddress(address);
  if (!valid.ok()) return valid;
  auto client = std::make_unique<GrpcClient>(address, options);
  const absl::Status greeted = client->Greet();
  if (!greeted.ok()) return greeted;
  return client;
}

}  // namespace diopi::rpc
