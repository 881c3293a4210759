// What our programs' exit statuses mean.
#ifndef CLIENT_AGENT_EXIT_CODE_H_
#define CLIENT_AGENT_EXIT_CODE_H_

#include "absl/status/status.h"

namespace diopi::agent {

// Part of the command line's contract: never change.
enum class ExitCode {
  kOk = 0,      // nothing failed
  kFailed = 1,  // something failed
  kUsage = 2,   // what was asked for makes no sense: an unknown name, a file that is no library
  kOurs = 3,    // our own fault, or the machine's
};

// NotFound and InvalidArgument are the user's, everything else ours.
inline ExitCode ExitCodeFor(const absl::Status& status) {
  if (status.ok()) return ExitCode::kOk;
  const bool usage = absl::IsNotFound(status) || absl::IsInvalidArgument(status);
  return usage ? ExitCode::kUsage : ExitCode::kOurs;
}

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_EXIT_CODE_H_
