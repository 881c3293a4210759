// Owns every part of a server, in the order in which they refer to each other. TCP connections pass the door,
// which hands them to gRPC as descriptors; gRPC itself accepts only Unix sockets. One thread does what is due
// by the clock (Upkeep), so that lost agents and abandoned runs are noticed without any call. Shutdown goes
// from the outside in: health, new work, agents' streams, calls, connections, and last the changes that are
// not yet stored.
#include "server/rpc/server.h"

#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "cases/base/allocator.h"
#include "cases/base/status_macros.h"
#include "cases/findings/finding.h"
#include "grpc/health/v1/health.pb.h"
#include "proto/enum_name.h"
#include "server/door/door.h"
#include "server/rpc/address.h"
#include "server/rpc/agent_service.h"
#include "server/rpc/credentials.h"
#include "server/rpc/request_limits.h"
#include "server/rpc/self_call.h"
#include "server/rpc/service.h"
#include "server/security/loopback.h"
#include "server/security/secret.h"
#include "server/store/disk_room.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

constexpr absl::Duration kLastAnswers = absl::Milliseconds(20);
constexpr absl::Duration kUpkeepEvery = absl::Seconds(1);
constexpr size_t kOwnTokenBytes = 32;
constexpr size_t kMostFreed = size_t{32} << 20;

// gRPC's own lines go to our log, and only on demand: what matters is also returned as a status.
void LogGrpc(gpr_log_func_args* args) {
  Log(LogLevel::kDebug, "grpc", {{"file", args->file}, {"line", args->line}, {"text", args->message}});
}

AgentService::Options AgentOptionsOf(const ServerOptions& options, Authorizer* authorizer, Door* door) {
  AgentService::Options result;
  result.guard = Guard(authorizer, options.secret, "", door);
  result.agents.lost_after = options.agent_lost;
  result.agents.heartbeat = options.agent_lost / 4;
  result.max_upload_bytes = options.max_upload_bytes;
  result.max_owner_upload_bytes = options.max_owner_upload_bytes;
  result.quota = options.quota;
  return result;
}

class GrpcServer final : public ConformanceServer {
 public:
  GrpcServer(const ServerOptions& options, std::unique_ptr<Database> database, LeaseKey key,
             std::string own_token)
      : options_(options),
        own_token_(std::move(own_token)),
        authorizer_(Authorizer::FromTokens(options.data_folder, options.require_token)),
        door_(Door::Create(options.door, [this](int fd) { Take(fd); })),
        database_(std::move(database)),
        catalog_(options.catalog ? options.catalog : cases::Catalog::LoadBuiltin),
        baselines_(options.data_folder, options.reference, options.max_open_baselines),
        changes_(database_.get(), [this](const std::string& run_id, bool ended) { OnStored(run_id, ended); }),
        registry_(database_.get(), &changes_, &catalog_, &baselines_,
                  options.clock != nullptr ? options.clock : &steady_clock_,
                  {options.lease, options.batch, options.cases_folder, &metrics_}),
        service_(database_.get(), &changes_, &registry_, &baselines_, &metrics_,
                 {options.data_folder, options.slow_call, options.quota,
                  [this](const std::string& run_id, bool ended) { agents_.RunChanged(run_id, ended); },
                  [this](const std::string& run_id, const std::string& text) {
                    agents_.agents().ServerFault(run_id, text);
                  },
                  [this](const Identity& caller, const std::string& run_id, const std::string& owner) {
                    return agents_.CheckRun(caller, run_id, owner);
                  },
                  Guard(authorizer_.get(), options.secret, own_token_, door_.get()), std::move(key),
                  options.answer}),
        agents_(database_.get(), &changes_, &registry_, &catalog_, &baselines_, &metrics_,
                options.clock != nullptr ? options.clock : &steady_clock_, options.data_folder,
                AgentOptionsOf(options, authorizer_.get(), door_.get())) {
    metrics_.AddSource([this] { return Samples(); });
    metrics_.AddSource([this] { return door_->Samples(); });
  }

  ~GrpcServer() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Listen(Address address);

  const std::string& address() const override { return address_; }
  Metrics& metrics() override { return metrics_; }
  Authorizer& authorizer() override { return *authorizer_; }
  void SetDashboards(const std::string& address) override { service_.SetDashboards(address); }
  std::vector<v1::AgentInfo> Agents() override { return agents_.List(""); }
  absl::Status SetTls(const TlsTexts& tls) override {
    return options_.tls.any() ? door_->SetTls(tls) : absl::OkStatus();
  }
  std::vector<ReadyPart> Ready() override {
    if (!serving()) return {{"server", absl::UnavailableError("it is shutting down")}};
    return {{"calls", self_call_->Try()},
            {"cases", catalog_.Get().status()},
            {"database", database_->TryWriting()},
            {"disk", CheckRoom(options_.data_folder)}};
  }
  bool serving() const override { return !service_.draining(); }
  void AbandonLeases() override { service_.AbandonLeases(); }

  void Shutdown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    StopUpkeep();
    // Health first, so that its watchers learn of it before a lease is refused.
    server_->GetHealthCheckService()->SetServingStatus(false);
    service_.Drain();
    agents_.CloseAll();
    service_.AwaitIdle(grace);
    service_.Stop();
    if (const SchedulerCounts counts = registry_.Counts(); counts.leases > 0) {
      Log(LogLevel::kWarn, "leases_released", {{"leases", counts.leases}, {"cases", counts.leased}});
    }
    // gRPC would wait for clients to close their connections, which idle ones never do: wait only a moment,
    // for answers on their way.
    server_->Shutdown(absl::ToChronoTime(absl::Now() + std::min(grace, kLastAnswers)));
    server_->Wait();
    door_->Stop(std::chrono::seconds(1));  // gRPC has closed its ends, so only slow readers need the time
    server_ = nullptr;
    changes_.Flush().IgnoreError();  // for the last time; losses are logged
  }

 private:
  std::vector<Sample> Samples();
  // A connection from the door.
  void Take(int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = fd;
    acceptor_->HandleNewConnection(&connection);
  }
  void OnStored(const std::string& run_id, bool ended) {
    agents_.RunChanged(run_id, ended);
    if (ended) registry_.Forget(run_id);
  }
  // Runs on a thread of its own: does what is due by the clock, independent of calls.
  void Upkeep();
  void StopUpkeep();
  void ReapRuns();

  const ServerOptions options_;
  const std::string own_token_;  // known to this process alone
  const std::unique_ptr<Authorizer> authorizer_;
  const std::unique_ptr<Door> door_;
  const SteadyClock steady_clock_;
  Metrics metrics_{DIOPI_VERSION};
  const std::unique_ptr<Database> database_;
  LazyCatalog catalog_;
  BaselineCache baselines_;
  RunChanges changes_;
  RunRegistry registry_;
  ConformanceService service_;
  AgentService agents_;
  std::string address_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<SelfCall> self_call_;
  std::mutex upkeep_mutex_;
  std::condition_variable upkeep_wake_;
  bool upkeep_ends_ ABSL_GUARDED_BY(upkeep_mutex_) = false;
  std::thread upkeep_;
};

void GrpcServer::Upkeep() {
  const absl::Duration reap_every =
      std::clamp(options_.reap_after / 10, kUpkeepEvery, absl::Duration(absl::Minutes(1)));
  absl::Duration since_reaping = reap_every;
  std::unique_lock lock(upkeep_mutex_);
  while (!upkeep_wake_.wait_for(lock, absl::ToChronoMilliseconds(kUpkeepEvery),
                                [this]()
                                    ABSL_EXCLUSIVE_LOCKS_REQUIRED(upkeep_mutex_) { return upkeep_ends_; })) {
    lock.unlock();
    agents_.agents().Tick();
    since_reaping += kUpkeepEvery;
    if (since_reaping >= reap_every) {
      since_reaping = absl::ZeroDuration();
      ReapRuns();
      ReturnFreedMemory(kMostFreed);
    }
    lock.lock();
  }
}

void GrpcServer::StopUpkeep() {
  {
    const std::lock_guard lock(upkeep_mutex_);
    upkeep_ends_ = true;
  }
  upkeep_wake_.notify_all();
  if (upkeep_.joinable()) upkeep_.join();
}

void GrpcServer::ReapRuns() {
  if (options_.reap_after <= absl::ZeroDuration()) return;
  const absl::StatusOr<std::vector<v1::RunInfo>> runs = registry_.Abandoned(options_.reap_after);
  if (!runs.ok()) {
    Log(LogLevel::kWarn, "not_reaped", {{"status", std::string(runs.status().message())}});
    return;
  }
  const v1::Finding why = Found(v1::Finding::ABANDONED).Limit(absl::FormatDuration(options_.reap_after));
  for (const v1::RunInfo& run : *runs) {
    Log(LogLevel::kWarn, "run_reaped",
        {{"run_id", run.run_id()},
         {"owner", run.options().owner()},
         {"done", run.done()},
         {"cases", run.cases()}});
    if (agents_.agents().Abandon(run.run_id(), why)) continue;
    changes_.Store(run.run_id(), {.state = v1::RUN_STATE_ABORTED, .aborted = why}).IgnoreError();
  }
}

void AddStates(const char* kind, const DatabaseStats::Counts& counts, std::vector<Sample>* samples) {
  for (const auto& [chip, states] : counts) {
    for (const auto& [state, runs] : states) {
      samples->push_back({"diopi_runs",
                          "Runs in the database.",
                          Sample::Kind::kGauge,
                          {{"chip", chip}, {"kind", kind}, {"state", state}},
                          static_cast<double>(runs)});
    }
  }
}

// Metrics that are only looked up when somebody asks for them.
std::vector<Sample> GrpcServer::Samples() {
  const auto count = [](auto number) { return static_cast<double>(number); };
  const SchedulerCounts leases = registry_.Counts();
  const BaselineCache::Counts cache = baselines_.GetCounts();
  std::vector<Sample> samples = {
      {"diopi_open_leases", "Leases that agents hold.", Sample::Kind::kGauge, {}, count(leases.leases)},
      {"diopi_open_cases", "Cases that agents hold.", Sample::Kind::kGauge, {}, count(leases.leased)},
      {"diopi_rpc_in_flight", "Calls being served.", Sample::Kind::kGauge, {}, count(service_.in_flight())},
      {"diopi_suite_expansions_total",
       "Selections that were expanded into lists of cases.",
       Sample::Kind::kCounter,
       {},
       count(registry_.expansions())},
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
  std::map<std::pair<std::string, std::string>, int> agents;
  for (const v1::AgentInfo& agent : agents_.agents().List(""))
    ++agents[{agent.facts().chip(), EnumName(agent.state())}];
  for (const auto& [labels, number] : agents) {
    samples.push_back({"diopi_agents",
                       "Standing agents that the server knows.",
                       Sample::Kind::kGauge,
                       {{"chip", labels.first}, {"state", labels.second}},
                       count(number)});
  }
  const absl::StatusOr<DatabaseStats> database = database_->Stats();
  if (!database.ok()) return samples;  // leave out what cannot be measured
  samples.push_back({"diopi_database_bytes",
                     "Size of the results database with its write-ahead log.",
                     Sample::Kind::kGauge,
                     {},
                     count(database->bytes)});
  AddStates("cases", database->runs, &samples);
  AddStates("exploration", database->explorations, &samples);
  return samples;
}

absl::Status GrpcServer::Listen(Address address) {
  ASSIGN_OR_RETURN(const TlsTexts tls, ReadServerTls(address, options_.tls, options_.insecure));
  // Submitted runs and their uploads belong to the standing server; an agent's own server may work beside it.
  absl::Status status = options_.secret.empty() ? agents_.Load() : absl::OkStatus();
  if (status.ok()) status = CheckFree(address);
  if (!status.ok()) return status;
  grpc::ServerBuilder builder;
  // A stream reads its next chunk while gRPC sends the last one, so this much may wait to be sent.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, 2 << 20);
  // Agents ping every five seconds during a call, to notice a dead connection (client/rpc).
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 2000);
  // The limit applies before decompression: a small message that unpacks to gigabytes would pass. No client
  // of ours compresses.
  builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  // Without it a connection could open any number of calls whose request never comes.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreamsAtOnce);
  builder.SetResourceQuota(grpc::ResourceQuota("diopi-server").SetMaxThreads(options_.max_threads));
  int unix_port = 0;  // 1, once gRPC listens
  if (address.is_unix) {
    builder.AddListeningPort(address.Text(), grpc::InsecureServerCredentials(), &unix_port);
  } else {
    acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        grpc::InsecureServerCredentials());
  }
  builder.RegisterService(&service_);
  builder.RegisterService(&agents_);
  {
    const OwnerOnlySockets owner_only;
    server_ = builder.BuildAndStart();
  }
  if (server_ == nullptr || (address.is_unix && unix_port == 0)) {
    server_ = nullptr;
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address.Text()));
  }
  if (!address.is_unix) {
    const absl::StatusOr<int> port = door_->Listen(address.host, address.port, tls);
    if (absl::IsUnavailable(port.status()))
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", address.Text(), ": ", port.status().message()));
    if (!port.ok()) return port.status();
    address.port = *port;
  }
  // "" stands for the whole server and is healthy from the start.
  server_->GetHealthCheckService()->SetServingStatus(v1::Conformance::service_full_name(), true);
  address_ = address.Text();
  // With mutual TLS, the server itself has no certificate of the authority, so it calls through its inner
  // channel.
  self_call_ = options_.tls.ca.empty()
                   ? std::make_unique<SelfCall>(address, options_.tls.any(), own_token_)
                   : std::make_unique<SelfCall>(server_->InProcessChannel({}), own_token_);
  upkeep_ = std::thread([this] { Upkeep(); });
  return absl::OkStatus();
}

// What to do about a damaged database.
absl::Status WithHelp(const absl::Status& damaged, const std::string& data_folder) {
  return absl::DataLossError(absl::StrCat(
      damaged.message(), "\nWhat is damaged: diopi-server check --data ", data_folder,
      "\nTo go on, replace results.db (and remove results.db-wal and results.db-shm) by that of a copy made "
      "with "
      "diopi-server backup, or by what can still be read: sqlite3 results.db .recover | sqlite3 new.db"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConformanceServer>> ConformanceServer::Start(const ServerOptions& options) {
  gpr_set_log_function(LogGrpc);
  // Never paired with grpc_shutdown, so that the library stays up until the process ends. When its last user
  // goes, gRPC 1.51 stops its executor's threads, and at times waits ten seconds for one that is not woken,
  // which would delay a server's end.
  static const bool library_kept = (grpc_init(), true);
  (void)library_kept;
  // gRPC keeps both for the whole process; they apply to servers built from now on.
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  // gRPC answers health checks without this description of them, which reflection needs.
  google::protobuf::LinkMessageReflection<grpc::health::v1::HealthCheckRequest>();
  ASSIGN_OR_RETURN(Address address, ParseAddress(options.listen));
  Database::Options file;
  file.on_progress = [&options](const std::string& text) {
    Log(LogLevel::kInfo, "database", {{"text", text}});
    if (options.on_progress) options.on_progress(text);
  };
  file.check_for = options.check_for;
  file.log = [](const std::string& text) { Log(LogLevel::kInfo, "database", {{"text", text}}); };
  absl::StatusOr<std::unique_ptr<Database>> database =
      Database::Open(DatabasePath(options.data_folder), file);
  if (absl::IsDataLoss(database.status())) return WithHelp(database.status(), options.data_folder);
  if (!database.ok()) return database.status();
  ASSIGN_OR_RETURN(LeaseKey key, LeaseKey::Open(options.data_folder));
  ASSIGN_OR_RETURN(std::string own_token, RandomHex(kOwnTokenBytes));
  auto server =
      std::make_unique<GrpcServer>(options, *std::move(database), std::move(key), std::move(own_token));
  RETURN_IF_ERROR(server->Listen(std::move(address)));
  return server;
}

}  // namespace diopi::server
