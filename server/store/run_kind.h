// Runs of cases and explorations, which share a table but stand for different things: an exploration has no
// cases, and counts in no figure of a chip.
#ifndef SERVER_STORE_RUN_KIND_H_
#define SERVER_STORE_RUN_KIND_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "diopi/v1/run.pb.h"

namespace diopi::server {

enum class RunKind { kCases, kExploration, kAny };

// InvalidArgument for an exploration: it has no verdicts, so the caller means another run.
inline absl::Status CheckHasVerdicts(const std::string& run_id, const v1::RunOptions& options) {
  if (!options.has_exploration()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "run ", run_id, " is an exploration, which has no verdicts on cases; diopi-cli report --run ", run_id,
      " shows it"));
}

}  // namespace diopi::server

#endif  // SERVER_STORE_RUN_KIND_H_
