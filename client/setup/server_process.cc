#include "client/setup/server_process.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cases/base/descriptor.h"
#include "cases/base/status_macros.h"
#include "client/setup/exit_code.h"
#include "server/security/secret.h"

namespace diopi::agent {
namespace {

// A server that cannot start exits, which shows at once: only an overloaded machine needs this long.
constexpr std::chrono::seconds kReadyLimit{600};
constexpr std::chrono::seconds kStopLimit{5};
// The descriptor to which the server writes "ready ADDRESS".
constexpr int kReadyFd = 3;
// Before a line that only says what the server is doing.
constexpr absl::string_view kBusy = "busy ";
// The descriptor from which it reads its secret.
constexpr int kSecretFd = 4;
constexpr size_t kSecretBytes = 32;

// Reads one line, or what came before the other side closed. DeadlineExceeded after kReadyLimit without one.
absl::StatusOr<std::string> ReadLine(int fd) {
  const auto deadline = std::chrono::steady_clock::now() + kReadyLimit;
  std::string line;
  while (!absl::EndsWith(line, "\n")) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd poll_for{fd, POLLIN, 0};
    const int ready = poll(&poll_for, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready == 0) {
      return absl::DeadlineExceededError(absl::StrCat("was not ready ", kReadyLimit.count(),
                                                      " s after its start, though it runs: the machine or "
                                                      "the disk of this folder is overloaded; try again"));
    }
    char c = 0;
    const ssize_t got = read(fd, &c, 1);
    if (got == 0) break;
    if (got > 0) line.push_back(c);
    if (got < 0 && errno != EINTR) break;
  }
  return line;
}

}  // namespace

absl::StatusOr<ServerProcess> ServerProcess::Start(const std::string& program, const std::string& data_folder,
                                                   const std::string& cases_folder) {
  ASSIGN_OR_RETURN(TemporaryFolder folder, TemporaryFolder::Make());
  ASSIGN_OR_RETURN(Pipe ready, MakePipe());
  ASSIGN_OR_RETURN(const std::string secret, server::RandomHex(kSecretBytes));
  ASSIGN_OR_RETURN(Pipe known, MakePipe());
  // A pipe's buffer is far larger than the secret.
  if (!WriteAll(known.write.get(), secret)) {
    return absl::InternalError(absl::StrCat("the secret cannot be written to a pipe: ", strerror(errno)));
  }
  known.write.Close();
  const std::string address = absl::StrCat("unix:", folder.path(), "/server");
  ProcessOptions options;
  options.command = {program,
                     "--data",
                     data_folder,
                     "--listen",
                     address,
                     "--log-level",
                     "error",
                     "--ready-fd",
                     absl::StrCat(kReadyFd),
                     "--secret-fd",
                     absl::StrCat(kSecretFd),
                     "--parent-pid-death"};
  if (!cases_folder.empty()) options.command.insert(options.command.end(), {"--cases", cases_folder});
  options.descriptors = {{ready.write.get(), kReadyFd}, {known.read.get(), kSecretFd}};
  options.own_group = true;
  ASSIGN_OR_RETURN(Process process, Process::Start(options));
  ready.write.Close();
  absl::StatusOr<std::string> line = ReadLine(ready.read.get());
  // It migrates an older database: that takes as long as it takes, while the server says how far it is.
  for (absl::string_view text; line.ok() && absl::ConsumePrefix(&(text = *line), kBusy);
       line = ReadLine(ready.read.get())) {
    std::cerr << text << std::flush;
  }
  if (!line.ok()) {
    return absl::DeadlineExceededError(
        absl::StrCat("the server for ", data_folder, " ", line.status().message()));
  }
  if (!absl::StartsWith(*line, "ready")) {
    const ExitStatus status = process.Wait();
    const std::string text = absl::StrCat("the server for ", data_folder, " did not start: ", status.Text());
    return StatusOfExit(status, text);
  }
  return ServerProcess(std::move(folder), std::move(process), address, secret);
}

void ServerProcess::Stop() {
  process_.Signal(SIGTERM);
  if (process_.WaitFor(kStopLimit).has_value()) return;
  process_.Signal(SIGKILL);
  process_.Wait();
}

}  // namespace diopi::agent
