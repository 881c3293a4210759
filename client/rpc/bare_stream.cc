#include "client/rpc/bare_stream.h"

#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"
#include "diopi/v1/service.grpc.pb.h"

namespace diopi::rpc {
namespace {

constexpr int64_t kChunkBytes = 1 << 20;

v1::LeaseMessage MakeChunk() {
  v1::LeaseMessage message;
  v1::TensorChunk& chunk = *message.mutable_reference();
  chunk.set_key("out");
  chunk.set_dtype(v1::Dtype::uint8);
  chunk.add_shape(64 * kChunkBytes);
  chunk.set_offset(kChunkBytes);
  chunk.set_total_bytes(64 * kChunkBytes);
  chunk.set_data(std::string(kChunkBytes, 'x'));
  return message;
}

class StubService final : public v1::Conformance::Service {
 public:
  explicit StubService(int64_t bytes) : bytes_(bytes) {}
  grpc::Status Lease(grpc::ServerContext*, const v1::LeaseRequest*,
                     grpc::ServerWriter<v1::LeaseMessage>* writer) override {
    const v1::LeaseMessage message = MakeChunk();
    for (int64_t sent = 0; sent < bytes_; sent += kChunkBytes) {
      if (!writer->Write(message)) break;
    }
    return grpc::Status::OK;
  }

 private:
  const int64_t bytes_;
};

class RawService final : public v1::Conformance::Service {
 public:
  explicit RawService(int64_t bytes) {
    const int lease = v1::LeaseRequest::descriptor()
                          ->file()
                          ->FindServiceByName("Conformance")
                          ->FindMethodByName("Lease")
                          ->index();
    using Stream = grpc::ServerSplitStreamer<v1::LeaseRequest, grpc::ByteBuffer>;
    MarkMethodStreamed(lease,
                       new grpc::internal::SplitServerStreamingHandler<v1::LeaseRequest, grpc::ByteBuffer>(
                           [bytes](grpc::ServerContext*, Stream* stream) {
                             v1::LeaseRequest request;
                             stream->Read(&request);
                             const grpc::Slice slice(MakeChunk().SerializeAsString());
                             const grpc::ByteBuffer message(&slice, 1);
                             for (int64_t sent = 0; sent < bytes; sent += kChunkBytes) {
                               if (!stream->Write(message)) break;
                             }
                             return grpc::Status::OK;
                           }));
  }
};

class Server final : public BareStreamServer {
 public:
  explicit Server(std::unique_ptr<v1::Conformance::Service> service) : service_(std::move(service)) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
    address_ = absl::StrCat("127.0.0.1:", port);
  }
  ~Server() override {
    if (server_ != nullptr) server_->Shutdown();
  }
  bool serves() const { return server_ != nullptr; }
  const std::string& address() const override { return address_; }

 private:
  const std::unique_ptr<v1::Conformance::Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace

std::unique_ptr<BareStreamServer> BareStreamServer::Start(Kind kind, int64_t bytes) {
  std::unique_ptr<v1::Conformance::Service> service;
  if (kind == Kind::kStub) {
    service = std::make_unique<StubService>(bytes);
  } else {
    service = std::make_unique<RawService>(bytes);
  }
  auto server = std::make_unique<Server>(std::move(service));
  if (!server->serves()) return nullptr;
  return server;
}

absl::StatusOr<int64_t> DrawBareStream(const std::string& address, BareStreamServer::Kind kind) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  const auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  grpc::ClientContext context;
  int64_t bytes = 0;
  grpc::Status status;
  if (kind == BareStreamServer::Kind::kStub) {
    const auto stub = v1::Conformance::NewStub(channel);
    const auto reader = stub->Lease(&context, {});
    v1::LeaseMessage message;
    while (reader->Read(&message)) bytes += static_cast<int64_t>(message.reference().data().size());
    status = reader->Finish();
  } else {
    const grpc::internal::RpcMethod method("/diopi.v1.Conformance/Lease",
                                           grpc::internal::RpcMethod::SERVER_STREAMING, channel);
    const std::unique_ptr<grpc::ClientReader<grpc::ByteBuffer>> reader(
        grpc::internal::ClientReaderFactory<grpc::ByteBuffer>::Create(channel.get(), method, &context,
                                                                      v1::LeaseRequest()));
    grpc::ByteBuffer message;
    while (reader->Read(&message)) bytes += kChunkBytes;
    status = reader->Finish();
  }
  if (!status.ok()) return absl::UnavailableError(status.error_message());
  return bytes;
}

}  // namespace diopi::rpc
