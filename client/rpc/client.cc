#include "client/rpc/client.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "client/rpc/caller.h"
#include "diopi/v1/service.grpc.pb.h"

namespace diopi::rpc {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class GrpcClient final : public Client {
 public:
  GrpcClient(std::string address, const ClientOptions& options)
      : caller_(std::move(address), options), stub_(v1::Conformance::NewStub(caller_.channel())) {}

  absl::Status Greet() {
    v1::ServerInfoRequest request;
    return caller_.Unary(
        [&](grpc::ClientContext* context) { return stub_->GetServerInfo(context, request, &server_); });
  }

  const v1::ServerInfoResponse& server() const override { return server_; }
  const std::string& address() const override { return caller_.address(); }

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
    const Clock::time_point give_up = Clock::now() + caller_.options().retry_for;
    milliseconds backoff = caller_.options().first_backoff;
    for (;;) {
      LeaseAssembler assembler(consumer);
      const absl::Status status = ReadLease(request, &assembler);
      if (status.ok()) return assembler.header();
      // Once cases have come they count: no second stream under the same call.
      if (!absl::IsUnavailable(status) || assembler.has_header()) return status;
      if (!caller_.WaitToRetry(give_up, &backoff)) return status;
    }
  }

  void Cancel() override { caller_.Cancel(); }

 private:
  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(grpc::Status (v1::Conformance::Stub::*method)(grpc::ClientContext*,
                                                                              const Request&, Response*),
                                const Request& request) {
    Response response;
    const absl::Status status = caller_.Unary(
        [&](grpc::ClientContext* context) { return (stub_.get()->*method)(context, request, &response); });
    if (!status.ok()) return status;
    return response;
  }

  absl::Status ReadLease(const v1::LeaseRequest& request, LeaseAssembler* assembler) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + caller_.options().lease_deadline);
    const Caller::InFlight in_flight(&caller_, &context);
    const auto reader = stub_->Lease(&context, request);
    v1::LeaseMessage message;
    absl::Status status;
    while (status.ok() && reader->Read(&message)) status = assembler->Add(&message);
    if (!status.ok()) context.TryCancel();
    const absl::Status ended = caller_.Translate(reader->Finish());
    if (!status.ok()) return status;
    if (!ended.ok()) return ended;
    return assembler->Finish();
  }

  Caller caller_;
  std::unique_ptr<v1::Conformance::Stub> stub_;
  v1::ServerInfoResponse server_;
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
