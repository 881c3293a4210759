// The runs that a gate looks at.
#ifndef CLIENT_CLI_GATE_RUNS_H_
#define CLIENT_CLI_GATE_RUNS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/rpc/credentials.h"
#include "reports/gate/gate.h"
#include "reports/model/report.h"

namespace diopi::cli {

// Where runs are read: a data folder's database, or a server.
class RunSource {
 public:
  virtual ~RunSource() = default;
  // At most `limit`, newest first; `chip` empty: every chip; `before` not empty: only older than that run.
  virtual absl::StatusOr<std::vector<v1::RunInfo>> ListRuns(const std::string& chip,
                                                            const std::string& before, int limit) = 0;
  // "latest" is accepted; NotFound names the ids that exist.
  virtual absl::StatusOr<reports::RunReport> Load(const std::string& run_id) = 0;
};

// Errors as of Database::Open.
absl::StatusOr<std::unique_ptr<RunSource>> OpenDataFolder(const std::string& data_folder);

// Errors as of rpc::LoadCredentials and rpc::Client.
absl::StatusOr<std::unique_ptr<RunSource>> ConnectToRuns(const std::string& server,
                                                         const rpc::CredentialFiles& credentials);

struct GateRunsRequest {
  std::string run;      // id, or latest
  std::string chip;     // latest of this chip; empty: of any
  std::string against;  // id, last-green, or empty: none
  bool partial = false;
  bool repeats = false;                                 // also further runs of the same libraries
  const reports::Expectations* expectations = nullptr;  // what last-green may excuse
};

struct GateRuns {
  reports::RunReport run;
  std::optional<reports::RunReport> reference;
  std::vector<reports::RunReport> repeats;
  std::vector<reports::RunReport> reference_repeats;
};

// NotFound when there is no such run, or no green one: its text says what was looked for. InvalidArgument
// when the run to compare with is not finished, or is the run itself.
absl::StatusOr<GateRuns> LoadGateRuns(RunSource* source, const GateRunsRequest& request);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_GATE_RUNS_H_
