// The agent's own diopi-server: on a Unix socket in a private folder, with a secret, because the tested
// libraries may run as the same user. It ends with the agent.
#ifndef CLIENT_SETUP_SERVER_PROCESS_H_
#define CLIENT_SETUP_SERVER_PROCESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "cases/base/process.h"
#include "cases/base/temporary_folder.h"

namespace diopi::agent {

class ServerProcess {
 public:
  // Starts `program` over `data_folder`, with the operator files of `cases_folder` unless it is empty, and
  // waits until it reports that it is ready. Internal, or FailedPrecondition where the environment is at
  // fault, with its exit status, when it ends instead (it has printed its own message to stderr by then);
  // DeadlineExceeded after a minute.
  static absl::StatusOr<ServerProcess> Start(const std::string& program, const std::string& data_folder,
                                             const std::string& cases_folder = "");

  // unix:PATH
  const std::string& address() const { return address_; }
  // Has the socket.
  const std::string& folder() const { return folder_.path(); }
  // The server answers nobody without it.
  const std::string& secret() const { return secret_; }
  pid_t pid() const { return process_.pid(); }
  // Sends SIGTERM, then SIGKILL when the server does not end.
  void Stop();

 private:
  ServerProcess(TemporaryFolder folder, Process process, std::string address, std::string secret)
      : folder_(std::move(folder)),
        process_(std::move(process)),
        address_(std::move(address)),
        secret_(std::move(secret)) {}

  TemporaryFolder folder_;  // outlives the process
  Process process_;
  std::string address_;
  std::string secret_;
};

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_SERVER_PROCESS_H_
