// Where the commands that show results read them: in a data folder, or on a server. The same either way.
#ifndef CLIENT_CLI_RUN_SOURCE_H_
#define CLIENT_CLI_RUN_SOURCE_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/rpc/credentials.h"
#include "diopi/v1/answer_request.pb.h"
#include "diopi/v1/answers.pb.h"
#include "reports/model/report.h"

namespace diopi::cli {

// The source of runs: a data folder's database, or a server.
class RunSource {
 public:
  virtual ~RunSource() = default;
  // Lists at most `limit` runs, newest first. Empty `chip`: all chips. `before`, unless empty: only runs
  // older than that one.
  virtual absl::StatusOr<std::vector<v1::RunInfo>> ListRuns(const std::string& chip,
                                                            const std::string& before, int limit) = 0;
  // Both accept "latest"; NotFound names the ids that exist. Explorations have no report.
  virtual absl::StatusOr<v1::RunInfo> Describe(const std::string& run_id) = 0;
  virtual absl::StatusOr<reports::RunReport> Load(const std::string& run_id) = 0;
  // The run's page on the server's dashboards; empty: there is none.
  virtual std::string PageOf(const std::string& /*run_id*/) { return ""; }
  // The answer that the request names, as its message; errors as of reports::Answer.
  template <typename Page>
  absl::StatusOr<Page> Read(const v1::AnswerRequest& request) {
    const absl::StatusOr<std::string> bytes = Answer(request);
    if (!bytes.ok()) return bytes.status();
    Page page;
    if (!page.ParseFromString(*bytes)) return absl::DataLossError("the answer is damaged");
    return page;
  }

 private:
  virtual absl::StatusOr<std::string> Answer(const v1::AnswerRequest& request) = 0;
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

// One answer.
template <typename Page>
absl::StatusOr<Page> ReadAnswer(const RunSourceOptions& options, const v1::AnswerRequest& request) {
  const absl::StatusOr<std::unique_ptr<RunSource>> source = OpenRuns(options);
  return source.ok() ? (*source)->Read<Page>(request) : source.status();
}

}  // namespace diopi::cli

#endif  // CLIENT_CLI_RUN_SOURCE_H_
