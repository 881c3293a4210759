// What our programs' exit statuses mean.
#ifndef CLIENT_AGENT_EXIT_CODE_H_
#define CLIENT_AGENT_EXIT_CODE_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "diopi/v1/verdict.pb.h"

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

// How many cases have each outcome, by its name (reports::OutcomeName), as in v1::RunInfo.
using OutcomeCounts = std::map<std::string, int64_t>;

// The sum over those outcomes that `counts` says.
int64_t CountOf(const OutcomeCounts& outcomes, bool (*counts)(v1::Outcome));

// Of a run that ended by itself: any failure is kFailed; otherwise any harness error is kOurs.
ExitCode ExitCodeFor(const OutcomeCounts& outcomes);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_EXIT_CODE_H_
