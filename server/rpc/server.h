// A running server: data folder, database, service and the port it listens on.
#ifndef SERVER_RPC_SERVER_H_
#define SERVER_RPC_SERVER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/door/guest_book.h"
#include "server/runs/run_registry.h"
#include "server/scheduler/scheduler.h"
#include "server/security/authorizer.h"
#include "server/security/tls_files.h"
#include "server/store/quota.h"
#include "server/telemetry/metrics.h"

namespace diopi::v1 {
class AgentInfo;
class AnswerRequest;
}  // namespace diopi::v1

namespace diopi::server {

struct ServerOptions {
  std::string data_folder;                // created if missing
  std::string listen = "127.0.0.1:7410";  // HOST:PORT (0: any free port) or unix:PATH
  std::string reference = "cpu";          // uses DATA/baselines/REFERENCE
  absl::Duration lease = absl::Seconds(30);
  absl::Duration batch;  // what a batch should take; zero: agents get as many cases as they ask for
  size_t max_open_baselines = 256;                // files
  LazyCatalog::Loader catalog;                    // empty: the built-in operators
  std::string cases_folder;                       // read beside them; for the records of runs
  const Clock* clock = nullptr;                   // null: the steady clock
  absl::Duration slow_call = absl::Seconds(1);    // a call that takes longer is logged
  absl::Duration agent_lost = absl::Seconds(20);  // a standing agent that is silent for so long is lost
  int64_t max_upload_bytes = 512LL << 20;         // of a library that comes with a submitted run
  // Quotas of a token, if the server requires tokens. 0: no limit.
  Quota quota = {.open_runs = 1000, .bytes = int64_t{16} << 30};
  int64_t max_owner_upload_bytes = int64_t{16} << 30;  // of all libraries of its runs
  absl::Duration reap_after = absl::Hours(24);  // a run that is stalled for so long is aborted; zero: never
  // gRPC's threads, which limit the calls in flight. gRPC refuses others with "Server Threadpool Exhausted",
  // and clients try again. A call in flight holds at most one case in memory.
  int max_threads = 128;
  TlsFiles tls;                // certificate, key and, for mutual TLS, ca; empty: plaintext
  DoorLimits door;             // for connections over TCP
  bool insecure = false;       // plaintext on an address that others can reach
  bool require_token = false;  // even when DATA/tokens is missing
  // Called with what Start does to an older database, which may take minutes; it is also logged. May be
  // empty.
  std::function<void(const std::string&)> on_progress;
  // How long Start looks for damage in the database, which it refuses; zero: it does not look.
  absl::Duration check_for = absl::Seconds(5);
  std::string secret;  // what callers on a Unix socket must know; empty: nothing
  // The bytes of an answer about results; empty: this server gives none. Thread-safe.
  std::function<absl::StatusOr<std::string>(const v1::AnswerRequest&)> answer;
};

// A part of what a server needs in order to serve, and what is wrong with it.
struct ReadyPart {
  std::string name;  // "database"
  absl::Status status;
};

class ConformanceServer {
 public:
  // InvalidArgument for an invalid address, for plaintext on one that is not loopback without `insecure`, and
  // as of ReadTlsFiles; Unavailable, "cannot listen on ADDRESS: why"; the database's statuses, DataLoss with
  // what helps. Serves as soon as it returns.
  static absl::StatusOr<std::unique_ptr<ConformanceServer>> Start(const ServerOptions& options);
  virtual ~ConformanceServer() = default;  // shuts down at once

  // The address with the actual port.
  virtual const std::string& address() const = 0;
  // This server's metrics; lives as long as the server.
  virtual Metrics& metrics() = 0;
  // Used by other ways into the same server, such as HTTP; lives as long as the server.
  virtual Authorizer& authorizer() = 0;
  // Replaces the certificates for new connections, as read by ReadTlsFiles. Does nothing without TLS.
  // InvalidArgument: they cannot be used, and the former ones stay.
  virtual absl::Status SetTls(const TlsTexts& tls) = 0;
  // Sets ServerInfoResponse.dashboards for later calls.
  virtual void SetDashboards(const std::string& address) = 0;
  // The standing agents, as ListAgents answers.
  virtual std::vector<v1::AgentInfo> Agents() = 0;
  // Whether the server can serve, part by part: it calls itself as a client would, loads its cases, commits a
  // row to the database and writes to its disk. Takes seconds when a part hangs: the caller limits how often.
  virtual std::vector<ReadyPart> Ready() = 0;
  // False once Shutdown has begun; health checks say the same.
  virtual bool serving() const = 0;
  // Stops handing out work, waits up to `grace` for calls in flight and for agents' reports on their leases,
  // and closes the database. Cases still leased then are not done: leases are in memory only, so the next
  // server hands these cases out at once.
  virtual void Shutdown(absl::Duration grace) = 0;
  // Makes a Shutdown in progress on another thread stop waiting for leases.
  virtual void AbandonLeases() = 0;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_SERVER_H_
