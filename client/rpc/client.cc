// A call that is safe to repeat is repeated until the server answers or the time is over. A stream of cases
// is repeated only while no case has been delivered, because a delivered case counts; reading verdicts goes
// on where it broke. Streams of tensors are read as bytes rather than as messages, which would copy each
// tensor once more.
#include "client/rpc/client.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"
#include "client/rpc/caller.h"
#include "client/rpc/lease_frame.h"
#include "client/rpc/verdict_collector.h"
#include "diopi/v1/service.grpc.pb.h"

namespace diopi::rpc {
namespace {
class GrpcClient final : public Client {
 public:
  GrpcClient(std::string address, const ClientOptions& options)
      : caller_(std::move(address), options),
        stub_(v1::Conformance::NewStub(caller_.channel())),
        lease_method_("/diopi.v1.Conformance/Lease", grpc::internal::RpcMethod::SERVER_STREAMING,
                      caller_.channel()),
        fetch_method_("/diopi.v1.Conformance/Fetch", grpc::internal::RpcMethod::SERVER_STREAMING,
                      caller_.channel()) {}

  absl::Status Greet() {
    v1::ServerInfoRequest request;
    return caller_.Unary("GetServerInfo", [&](grpc::ClientContext* context) {
      return stub_->GetServerInfo(context, request, &server_);
    });
  }

  const v1::ServerInfoResponse& server() const override { return server_; }
  const std::string& address() const override { return caller_.address(); }

  absl::StatusOr<v1::CreateRunResponse> CreateRun(const v1::CreateRunRequest& request) override {
    return caller_.Call(stub_.get(), &v1::Conformance::Stub::CreateRun, request);
  }

  absl::StatusOr<v1::ReportResponse> Report(const v1::ReportRequest& request) override {
    return caller_.Call(stub_.get(), &v1::Conformance::Stub::Report, request);
  }

  absl::StatusOr<v1::RunInfo> FinishRun(const v1::FinishRunRequest& request) override {
    ASSIGN_OR_RETURN(auto response, caller_.Call(stub_.get(), &v1::Conformance::Stub::FinishRun, request));
    return std::move(*response.mutable_run());
  }

  absl::StatusOr<v1::RunInfo> GetRun(const std::string& run_id) override {
    v1::GetRunRequest request;
    request.set_run_id(run_id);
    return caller_.Call(stub_.get(), &v1::Conformance::Stub::GetRun, request);
  }

  absl::StatusOr<v1::ListRunsResponse> ListRuns(const v1::ListRunsRequest& request) override {
    return caller_.Call(stub_.get(), &v1::Conformance::Stub::ListRuns, request);
  }

  absl::StatusOr<RunVerdicts> ReadVerdicts(const v1::ReadVerdictsRequest& request) override {
    VerdictCollector collector(request);
    Caller::Attempts attempts;
    for (;;) {
      const size_t before = collector.size();
      absl::Status status = ReadBatches(&collector);
      if (status.ok()) return collector.Finish();
      if (absl::IsUnimplemented(status)) return TooOld("send verdicts");
      const bool further = collector.size() > before;
      if (further) attempts = {};
      if (further && absl::IsDeadlineExceeded(status)) continue;
      if (!caller_.WaitToRetry(status, &attempts)) return status;
    }
  }

  absl::StatusOr<std::string> ReadAnswer(const v1::AnswerRequest& request) override {
    Caller::Attempts attempts;
    for (;;) {
      grpc::ClientContext context;
      Caller::InFlight in_flight(&caller_, &context, caller_.options().lease_deadline);
      const auto reader = stub_->ReadAnswer(&context, request);
      std::string bytes;
      v1::AnswerPart part;
      while (in_flight.Await([&] { return reader->Read(&part); })) bytes += part.bytes();
      const absl::Status status = in_flight.Translate(reader->Finish(), "ReadAnswer");
      if (status.ok()) return bytes;
      if (absl::IsUnimplemented(status)) return TooOld("give this answer");
      if (!caller_.WaitToRetry(status, &attempts)) return status;
    }
  }

  absl::StatusOr<v1::LeaseMessage::Header> Lease(const v1::LeaseRequest& request,
                                                 LeaseAssembler::Consumer consumer) override {
    Caller::Attempts attempts;
    v1::LeaseRequest full = request;
    if (caller_.options().recipes) full.set_generator_version(kGeneratorVersion);
    if (caller_.options().cache != nullptr) full.set_fetch_above(caller_.options().cache_above);
    bool delivered = false;
    const LeaseAssembler::Consumer deliver = [&](LeasedCase leased) {
      delivered = true;
      return consumer(std::move(leased));
    };
    for (;;) {
      LeaseAssembler assembler(deliver, {caller_.options().cache.get(), server_.generator_version()});
      absl::Status status = ReadStream(lease_method_, full, &assembler);
      if (status.ok()) status = assembler.Finish();
      if (status.ok() && assembler.waiting()) status = FetchWaiting(request, &assembler);
      Count(assembler.counts());
      if (status.ok()) return assembler.header();
      // Cases that have come count, so the same call opens no second stream. The server hands out again what
      // only a header announced.
      if (delivered || !caller_.WaitToRetry(status, &attempts)) return status;
    }
  }

  TransferCounts transfers() const override { return {received_, cached_, generated_}; }

  void Cancel() override { caller_.Cancel(); }

 private:
  // Reads bytes instead of messages, which would copy the tensors once more.
  template <typename Request>
  absl::Status ReadStream(const grpc::internal::RpcMethod& method, const Request& request,
                          LeaseAssembler* assembler) {
    grpc::ClientContext context;
    Caller::InFlight in_flight(&caller_, &context, caller_.options().lease_deadline);
    const std::unique_ptr<grpc::ClientReader<grpc::ByteBuffer>> reader(
        grpc::internal::ClientReaderFactory<grpc::ByteBuffer>::Create(caller_.channel().get(), method,
                                                                      &context, request));
    grpc::ByteBuffer bytes;
    LeaseFrame frame;
    absl::Status status;
    while (status.ok() && in_flight.Await([&] { return reader->Read(&bytes); })) {
      status = ParseLeaseFrame(bytes, &frame);
      if (!status.ok()) break;
      status = frame.is_chunk ? assembler->AddChunk(frame.head, frame.reference, frame.data)
                              : assembler->Add(&frame.message);
    }
    if (!status.ok()) context.TryCancel();
    const std::string name = method.name();
    const absl::Status ended = in_flight.Translate(reader->Finish(), name.substr(name.rfind('/') + 1));
    return status.ok() ? ended : status;
  }

  absl::Status ReadBatches(VerdictCollector* collector) {
    grpc::ClientContext context;
    Caller::InFlight in_flight(&caller_, &context, caller_.options().lease_deadline);
    const auto reader = stub_->ReadVerdicts(&context, collector->request());
    v1::VerdictBatch batch;
    absl::Status status;
    while (status.ok() && in_flight.Await([&] { return reader->Read(&batch); }))
      status = collector->Add(&batch);
    if (!status.ok()) context.TryCancel();
    const absl::Status ended = in_flight.Translate(reader->Finish(), "ReadVerdicts");
    return status.ok() ? ended : status;
  }

  absl::Status TooOld(const char* to) const {
    return absl::FailedPreconditionError(absl::StrCat(
        "the server at ", address(), " (diopi-server ", server_.version(), ") is too old to ", to,
        ": it needs diopi-server ", DIOPI_VERSION,
        server_.version() == DIOPI_VERSION ? ", of this program's build or a later one" : " or newer"));
  }

  // Fetches the tensors that the cases of a lease still need. Repeating the request is harmless, so this
  // waits for a server that restarts.
  absl::Status FetchWaiting(const v1::LeaseRequest& lease, LeaseAssembler* assembler) {
    Caller::Attempts attempts;
    for (;;) {
      v1::FetchRequest request;
      request.set_run_id(lease.run_id());
      request.set_agent_id(lease.agent_id());
      for (v1::FetchRequest::Wanted& wanted : assembler->StartFetch()) {
        *request.add_cases() = std::move(wanted);
      }
      absl::Status status = ReadStream(fetch_method_, request, assembler);
      if (status.ok()) return assembler->FinishFetch();
      if (!caller_.WaitToRetry(status, &attempts)) return status;
    }
  }

  void Count(const TransferCounts& counts) {
    received_ += counts.received;
    cached_ += counts.cached;
    generated_ += counts.generated;
  }

  Caller caller_;
  std::unique_ptr<v1::Conformance::Stub> stub_;
  v1::ServerInfoResponse server_;
  const grpc::internal::RpcMethod lease_method_;
  const grpc::internal::RpcMethod fetch_method_;
  std::atomic<int64_t> received_ = 0;
  std::atomic<int64_t> cached_ = 0;
  std::atomic<int64_t> generated_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(const std::string& address,
                                                        const ClientOptions& options) {
  RETURN_IF_ERROR(CheckServer(address, options.credentials));
  auto client = std::make_unique<GrpcClient>(address, options);
  const absl::Status greeted = client->Greet();
  if (!greeted.ok()) return ExplainFailure(greeted, address, options.credentials);
  return client;
}

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(const std::string& address,
                                                        const CredentialFiles& credentials,
                                                        ClientOptions options) {
  ASSIGN_OR_RETURN(options.credentials, LoadCredentials(credentials));
  return Connect(address, options);
}

std::string Client::PageOf(const std::string& run_id) const {
  std::string page = server().dashboards();
  const size_t host = page.find("://:");
  const bool is_unix = absl::StartsWith(address(), "unix:");
  if (host != std::string::npos)
    page.insert(host + 3, is_unix ? "localhost" : address().substr(0, address().rfind(':')));
  return page.empty() ? page : absl::StrCat(page, "/runs/", run_id);
}

}  // namespace diopi::rpc
