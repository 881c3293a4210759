#include "server/rpc/server.h"

#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health.pb.h"
#include "server/rpc/address.h"
#include "server/rpc/agent_service.h"
#include "server/rpc/credentials.h"
#include "server/rpc/request_limits.h"
#include "server/rpc/service.h"
#include "server/security/loopback.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

constexpr absl::Duration kLastAnswers = absl::Milliseconds(20);

// gRPC's own lines go where ours go, and only when asked for: what matters comes back as a status.
void LogGrpc(gpr_log_func_args* args) {
  Log(LogLevel::kDebug, "grpc", {{"file", args->file}, {"line", args->line}, {"text", args->message}});
}

AgentService::Options AgentOptionsOf(const ServerOptions& options, Authorizer* authorizer) {
  AgentService::Options result;
  result.guard = Guard(authorizer, options.secret);
  result.agents.lost_after = options.agent_lost;
  result.agents.heartbeat = options.agent_lost / 4;
  result.max_upload_bytes = options.max_upload_bytes;
  return result;
}

class GrpcServer final : public ConformanceServer {
 public:
  GrpcServer(const ServerOptions& options, std::unique_ptr<Database> database, LeaseKey key)
      : options_(options),
        authorizer_(Authorizer::FromTokens(options.data_folder, options.require_token)),
        database_(std::move(database)),
        catalog_(options.catalog ? options.catalog : cases::Catalog::LoadBuiltin),
        baselines_(options.data_folder, options.reference, options.max_open_baselines),
        registry_(database_.get(), &catalog_, &baselines_,
                  options.clock != nullptr ? options.clock : &steady_clock_,
                  {options.lease, options.batch, options.cases_folder, &metrics_}),
        service_(database_.get(), &registry_, &baselines_, &metrics_,
                 {options.data_folder, options.slow_call,
                  [this](const std::string& run_id, bool ended) { agents_.RunChanged(run_id, ended); },
                  Guard(authorizer_.get(), options.secret), std::move(key)}),
        agents_(database_.get(), &registry_, &catalog_, &baselines_, &metrics_,
                options.clock != nullptr ? options.clock : &steady_clock_, options.data_folder,
                AgentOptionsOf(options, authorizer_.get())) {
    metrics_.AddSource([this] { return Samples(); });
  }

  ~GrpcServer() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Listen(Address address);

  const std::string& address() const override { return address_; }
  Metrics& metrics() override { return metrics_; }
  Authorizer& authorizer() override { return *authorizer_; }
  bool serving() const override { return !service_.draining(); }
  void AbandonLeases() override { service_.AbandonLeases(); }

  void Shutdown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    // Health first: whoever watches it hears before a lease is refused.
    server_->GetHealthCheckService()->SetServingStatus(false);
    service_.Drain();
    agents_.CloseAll();
    service_.AwaitIdle(grace);
    if (const SchedulerCounts counts = registry_.Counts(); counts.leases > 0) {
      Log(LogLevel::kWarn, "leases_released", {{"leases", counts.leases}, {"cases", counts.leased}});
    }
    // gRPC would wait for clients to close their connections, which idle ones never do: only answers that
    // are on their way get a moment.
    server_->Shutdown(absl::ToChronoTime(absl::Now() + std::min(grace, kLastAnswers)));
    server_->Wait();
    server_ = nullptr;
  }

 private:
  std::vector<Sample> Samples();

  const ServerOptions options_;
  const std::unique_ptr<Authorizer> authorizer_;
  const SteadyClock steady_clock_;
  Metrics metrics_{DIOPI_VERSION};
  const std::unique_ptr<Database> database_;
  LazyCatalog catalog_;
  BaselineCache baselines_;
  RunRegistry registry_;
  ConformanceService service_;
  AgentService agents_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

// What is looked up when somebody asks for the metrics.
std::vector<Sample> GrpcServer::Samples() {
  const auto count = [](auto number) { return static_cast<double>(number); };
  const SchedulerCounts leases = registry_.Counts();
  const BaselineCache::Counts cache = baselines_.GetCounts();
  std::vector<Sample> samples = {
      {"diopi_open_leases", "Leases that agents hold.", Sample::Kind::kGauge, {}, count(leases.leases)},
      {"diopi_open_cases", "Cases that agents hold.", Sample::Kind::kGauge, {}, count(leases.leased)},
      {"diopi_rpc_in_flight", "Calls being served.", Sample::Kind::kGauge, {}, count(service_.in_flight())},
      {"diopi_baseline_hits_total",
       "Lookups of baselines that were open.",
       Sample::Kind::kCounter,
       {},
       count(cache.hits)},
      {"diopi_baseline_misses_total",
       "Lookups of baselines that had to be opened.",
       Sample::Kind::kCounter,
       {},
       count(cache.misses)},
      {"diopi_baseline_open_files",
       "Baseline files that are open.",
       Sample::Kind::kGauge,
       {},
       count(cache.open)},
  };
  const absl::StatusOr<DatabaseStats> database = database_->Stats();
  if (!database.ok()) return samples;  // what cannot be measured is left out
  samples.push_back({"diopi_database_bytes",
                     "Size of the results database with its write-ahead log.",
                     Sample::Kind::kGauge,
                     {},
                     count(database->bytes)});
  for (const auto& [state, runs] : database->runs) {
    samples.push_back(
        {"diopi_runs", "Runs in the database.", Sample::Kind::kGauge, {{"state", state}}, count(runs)});
  }
  return samples;
}

absl::Status GrpcServer::Listen(Address address) {
  const auto credentials = MakeServerCredentials(address, options_.tls, options_.insecure);
  if (!credentials.ok()) return credentials.status();
  absl::Status status = agents_.Load();
  if (status.ok()) status = CheckFree(address);
  if (!status.ok()) return status;
  grpc::ServerBuilder builder;
  // Otherwise two servers may share a port and each gets half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // A stream reads its next chunk while gRPC sends the last one: so much of it may wait to be sent.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, 2 << 20);
  // Agents ping every five seconds of a call, to notice a connection that is dead (client/rpc).
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 2000);
  // The limit is on what arrives: a small message that unpacks to gigabytes would pass it. No client of ours
  // packs.
  builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetResourceQuota(grpc::ResourceQuota("diopi-server").SetMaxThreads(options_.max_threads));
  int port = 0;
  builder.AddListeningPort(address.Text(), *credentials, &port);
  builder.RegisterService(&service_);
  builder.RegisterService(&agents_);
  {
    const OwnerOnlySockets owner_only;
    server_ = builder.BuildAndStart();
  }
  if (server_ == nullptr || port == 0) {
    server_ = nullptr;
    // Taken since we looked, or something gRPC alone minds.
    const absl::Status why = CheckFree(address);
    return why.ok() ? absl::UnavailableError(absl::StrCat("cannot listen on ", address.Text())) : why;
  }
  // "" stands for the whole server and is healthy from the start.
  server_->GetHealthCheckService()->SetServingStatus(v1::Conformance::service_full_name(), true);
  if (!address.is_unix) address.port = port;
  address_ = address.Text();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConformanceServer>> ConformanceServer::Start(const ServerOptions& options) {
  gpr_set_log_function(LogGrpc);
  // Never paired: the library stays up until the process ends. When its last user goes, gRPC 1.51 takes its
  // executor's threads down, which at times waits ten seconds for one that is not woken; a server that stops
  // stops at once.
  static const bool library_kept = (grpc_init(), true);
  (void)library_kept;
  // Both are properties of the process in gRPC; they apply to servers that are built from now on.
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  // gRPC answers health checks without this description of them, which reflection needs.
  google::protobuf::LinkMessageReflection<grpc::health::v1::HealthCheckRequest>();
  absl::StatusOr<Address> address = ParseAddress(options.listen);
  if (!address.ok()) return address.status();
  absl::StatusOr<std::unique_ptr<Database>> database = Database::Open(DatabasePath(options.data_folder), {});
  if (!database.ok()) return database.status();
  absl::StatusOr<LeaseKey> key = LeaseKey::Open(options.data_folder);
  if (!key.ok()) return key.status();
  auto server = std::make_unique<GrpcServer>(options, *std::move(database), *std::move(key));
  absl::Status status = server->Listen(*std::move(address));
  if (!status.ok()) return status;
  return server;
}

}  // namespace diopi::server
