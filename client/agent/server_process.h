// A diopi-server of the agent's own: on a Unix socket in a private folder, gone with the agent.
#ifndef CLIENT_AGENT_SERVER_PROCESS_H_
#define CLIENT_AGENT_SERVER_PROCESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "client/agent/process.h"

namespace diopi::agent {

// A folder only this user may enter, removed with its owner. Move-only.
class PrivateFolder {
 public:
  static absl::StatusOr<PrivateFolder> Make();
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&& other) noexcept;
  ~PrivateFolder() { Remove(); }
  const std::string& path() const { return path_; }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  void Remove();
  std::string path_;
};

class ServerProcess {
 public:
  // Starts `program` over `data_folder`, with the operator files of `cases_folder` unless it is empty, and
  // waits until it says that it is ready. Internal, or FailedPrecondition where the environment is at fault,
  // with its exit status, when it ends instead (its own words are on stderr by then); DeadlineExceeded after
  // a minute.
  static absl::StatusOr<ServerProcess> Start(const std::string& program, const std::string& data_folder,
                                             const std::string& cases_folder = "");

  // unix:PATH
  const std::string& address() const { return address_; }
  pid_t pid() const { return process_.pid(); }
  // SIGTERM, then SIGKILL when it does not end by itself.
  void Stop();

 private:
  ServerProcess(PrivateFolder folder, Process process, std::string address)
      : folder_(std::move(folder)), process_(std::move(process)), address_(std::move(address)) {}

  PrivateFolder folder_;  // outlives the process
  Process process_;
  std::string address_;
};

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_SERVER_PROCESS_H_
