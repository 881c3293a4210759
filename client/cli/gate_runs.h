// Reads runs from a folder or a server, and finds those that a gate needs.
#ifndef CLIENT_CLI_GATE_RUNS_H_
#define CLIENT_CLI_GATE_RUNS_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/rpc/credentials.h"
#include "reports/gate/gate.h"
#include "reports/model/report.h"

namespace diopi::cli {

// The source of runs: a data folder's database, or a server.
class RunSource {
 public:
  virtual ~RunSource() = default;
  // At most `limit` runs, newest first. Empty `chip`: all chips. `before`, unless empty: only runs older than
  // that one.
  virtual absl::StatusOr<std::vector<v1::RunInfo>> ListRuns(const std::string& chip,
                                                            const std::string& before, int limit) = 0;
  // Both accept "latest"; NotFound names the ids that exist. Explorations have no report.
  virtual absl::StatusOr<v1::RunInfo> Describe(const std::string& run_id) = 0;
  virtual absl::StatusOr<reports::RunReport> Load(const std::string& run_id) = 0;
};

// Errors are those of Database::Open.
absl::StatusOr<std::unique_ptr<RunSource>> OpenDataFolder(const std::string& data_folder);

// Errors are those of rpc::LoadCredentials and rpc::Client.
absl::StatusOr<std::unique_ptr<RunSource>> ConnectToRuns(const std::string& server,
                                                         const rpc::CredentialFiles& credentials);

// --data, --server, and the credentials for it.
struct RunSourceOptions {
  std::string data;
  std::string server;  // empty: the folder
  rpc::CredentialFiles credentials;
};
// --data and --server under the current heading, the credentials under theirs.
void AddRunSourceOptions(CLI::App* app, RunSourceOptions* options);
absl::StatusOr<std::unique_ptr<RunSource>> OpenRuns(const RunSourceOptions& options);

struct GateRunsRequest {
  std::string run;      // id, or latest
  std::string chip;     // for "latest": of this chip; empty: of any
  std::string against;  // id, last-green, or empty: none
  bool partial = false;
  bool repeats = false;                                 // also load further runs of the same libraries
  const reports::Expectations* expectations = nullptr;  // failures that a last-green run may have
};

struct GateRuns {
  reports::RunReport run;
  std::optional<reports::RunReport> reference;
  std::vector<reports::RunReport> repeats;
  std::vector<reports::RunReport> reference_repeats;
};

// NotFound when there is no such run or no green run; the message says what was searched. InvalidArgument
// when the run to compare with is not finished, or is the judged run itself.
absl::StatusOr<GateRuns> LoadGateRuns(RunSource* source, const GateRunsRequest& request);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_GATE_RUNS_H_
