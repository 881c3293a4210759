#include "server/rpc/server.h"

#include <grpc/support/log.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/rpc/address.h"
#include "server/rpc/service.h"

namespace diopi::server {
namespace {

constexpr int kMaxReportBytes = 64 << 20;  // verdicts with backtraces
// One case at most is in memory per call in flight.
constexpr int kMaxThreads = 128;
constexpr absl::Duration kLastAnswers = absl::Milliseconds(20);

// gRPC's own lines go where ours go, and only when asked for: what matters comes back as a status.
void LogGrpc(gpr_log_func_args* args) {
  spdlog::debug("event=grpc file={}:{} text=\"{}\"", args->file, args->line, args->message);
}

class GrpcServer final : public ConformanceServer {
 public:
  GrpcServer(const ServerOptions& options, std::unique_ptr<Database> database)
      : database_(std::move(database)),
        catalog_(options.catalog ? options.catalog : cases::Catalog::LoadBuiltin),
        baselines_(options.data_folder, options.reference, options.max_open_baselines),
        registry_(database_.get(), &catalog_, &baselines_,
                  options.clock != nullptr ? options.clock : &steady_clock_, {options.lease}),
        service_(database_.get(), &registry_, &baselines_, options.data_folder) {}

  ~GrpcServer() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Listen(Address address);

  const std::string& address() const override { return address_; }

  void Shutdown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    service_.Drain();
    service_.AwaitIdle(grace);
    // gRPC would wait for clients to close their connections, which idle ones never do: only answers that
    // are on their way get a moment.
    server_->Shutdown(absl::ToChronoTime(absl::Now() + std::min(grace, kLastAnswers)));
    server_->Wait();
    server_ = nullptr;
  }

 private:
  const SteadyClock steady_clock_;
  const std::unique_ptr<Database> database_;
  LazyCatalog catalog_;
  BaselineCache baselines_;
  RunRegistry registry_;
  ConformanceService service_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

absl::Status GrpcServer::Listen(Address address) {
  absl::Status free = CheckFree(address);
  if (!free.ok()) return free;
  grpc::ServerBuilder builder;
  // Otherwise two servers may share a port and each gets half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(kMaxReportBytes);
  builder.SetResourceQuota(grpc::ResourceQuota("diopi-server").SetMaxThreads(kMaxThreads));
  int port = 0;
  builder.AddListeningPort(address.Text(), grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service_);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port == 0) {
    server_ = nullptr;
    // Taken since we looked, or something gRPC alone minds.
    const absl::Status why = CheckFree(address);
    return why.ok() ? absl::UnavailableError(absl::StrCat("cannot listen on ", address.Text())) : why;
  }
  if (!address.is_unix) address.port = port;
  address_ = address.Text();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConformanceServer>> ConformanceServer::Start(const ServerOptions& options) {
  gpr_set_log_function(LogGrpc);
  absl::StatusOr<Address> address = ParseAddress(options.listen);
  if (!address.ok()) return address.status();
  absl::StatusOr<std::unique_ptr<Database>> database = Database::Open(DatabasePath(options.data_folder), {});
  if (!database.ok()) return database.status();
  auto server = std::make_unique<GrpcServer>(options, *std::move(database));
  const absl::Status status = server->Listen(*std::move(address));
  if (!status.ok()) return status;
  return server;
}

}  // namespace diopi::server
