#include "client/cli/run_source.h"

#include <iterator>
#include <utility>

#include "cases/base/status_macros.h"
#include "client/command_line/options.h"
#include "client/rpc/client.h"
#include "client/setup/credential_flags.h"
#include "client/setup/paths.h"
#include "reports/model/answer.h"
#include "server/store/database.h"
#include "server/store/queries.h"

namespace diopi::cli {
namespace {

class DataFolderSource final : public RunSource {
 public:
  DataFolderSource(std::unique_ptr<server::Database> database, std::string folder)
      : database_(std::move(database)), folder_(std::move(folder)) {}
  absl::StatusOr<std::vector<v1::RunInfo>> ListRuns(const std::string& chip, const std::string& before,
                                                    int limit) override {
    return database_->ListRuns(chip, limit, before);
  }
  absl::StatusOr<v1::RunInfo> Describe(const std::string& run_id) override {
    return database_->GetRun(run_id);
  }
  absl::StatusOr<reports::RunReport> Load(const std::string& run_id) override {
    absl::StatusOr<reports::RunReport> report = reports::LoadReport(*database_, run_id);
    if (report.ok()) report->data_folder = folder_;
    return report;
  }

 private:
  absl::StatusOr<std::string> Answer(const v1::AnswerRequest& request) override {
    if (queries_ == nullptr) {
      ASSIGN_OR_RETURN(queries_, server::Queries::Open(server::DatabasePath(folder_)));
    }
    return reports::Answer(*queries_, request);
  }

  std::unique_ptr<server::Database> database_;
  std::unique_ptr<server::Queries> queries_;  // null until an answer is read
  const std::string folder_;
};

class ServerSource final : public RunSource {
 public:
  explicit ServerSource(std::unique_ptr<rpc::Client> client) : client_(std::move(client)) {}
  absl::StatusOr<std::vector<v1::RunInfo>> ListRuns(const std::string& chip, const std::string& before,
                                                    int limit) override {
    v1::ListRunsRequest request;
    request.set_chip(chip);
    request.set_before(before);
    request.set_limit(limit);
    ASSIGN_OR_RETURN(v1::ListRunsResponse response, client_->ListRuns(request));
    return std::vector<v1::RunInfo>(std::make_move_iterator(response.mutable_runs()->begin()),
                                    std::make_move_iterator(response.mutable_runs()->end()));
  }
  absl::StatusOr<v1::RunInfo> Describe(const std::string& run_id) override { return client_->GetRun(run_id); }
  absl::StatusOr<reports::RunReport> Load(const std::string& run_id) override {
    v1::ReadVerdictsRequest request;
    request.set_run_id(run_id);
    ASSIGN_OR_RETURN(rpc::RunVerdicts read, client_->ReadVerdicts(request));
    return reports::BuildReport(std::move(read.run), std::move(read.verdicts));
  }
  std::string PageOf(const std::string& run_id) override { return client_->PageOf(run_id); }

 private:
  absl::StatusOr<std::string> Answer(const v1::AnswerRequest& request) override {
    return client_->ReadAnswer(request);
  }

  std::unique_ptr<rpc::Client> client_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RunSource>> OpenDataFolder(const std::string& data_folder) {
  ASSIGN_OR_RETURN(std::unique_ptr<server::Database> database,
                   server::Database::Open(server::DatabasePath(data_folder), {.read_only = true}));
  return std::make_unique<DataFolderSource>(std::move(database), agent::AbsolutePath(data_folder));
}

absl::StatusOr<std::unique_ptr<RunSource>> ConnectToRuns(const std::string& server,
                                                         const rpc::CredentialFiles& credentials) {
  ASSIGN_OR_RETURN(std::unique_ptr<rpc::Client> client,
                   rpc::Client::Connect(server, credentials, rpc::ClientOptions()));
  return std::make_unique<ServerSource>(std::move(client));
}

void AddRunSourceOptions(CLI::App* app, RunSourceOptions* options) {
  const std::string heading = app->option_defaults()->get_group();
  CLI::Option* data = AddDataOption(app, &options->data);
  AddServerOption(app, &options->server)->excludes(data);
  agent::AddCredentialFlags(app, &options->credentials);
  Heading(heading, app);
}

absl::StatusOr<std::unique_ptr<RunSource>> OpenRuns(const RunSourceOptions& options) {
  return options.server.empty() ? OpenDataFolder(options.data)
                                : ConnectToRuns(options.server, options.credentials);
}

}  // namespace diopi::cli
