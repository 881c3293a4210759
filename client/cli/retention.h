// Which runs a policy removes, and why it keeps the others.
#ifndef CLIENT_CLI_RETENTION_H_
#define CLIENT_CLI_RETENTION_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/store/queries.h"

namespace diopi::cli {

// A run is removed if it meets every condition that is set.
struct RetentionPolicy {
  std::optional<absl::Duration> older_than = std::nullopt;  // age, counted from the run's end
  // How many of each chip's newest runs stay, and as many of its newest explorations.
  std::optional<int> keep = std::nullopt;
};

struct RetentionRow {
  const server::RunRow* run = nullptr;
  std::string kept;  // why the run stays; empty: it is removed
  std::string tag;   // set when the run stays for its tag
};

// "36h", "180d", "26w", "2y". InvalidArgument.
absl::StatusOr<absl::Duration> ParseAge(std::string_view text);

// Whether the run is finished, and every case has a verdict and passed or was waived.
bool AllPassed(const server::RunRow& run);

// `runs` are all runs, newest first, and must outlive the rows, which are in the same order. Runs that go on,
// runs with a tag (`tags`: by run id) and the newest green run of each chip and selection always stay, as
// gates compare with them. `is_green` is called for the finished runs of each chip and selection, until it
// returns true.
absl::StatusOr<std::vector<RetentionRow>> Decide(
    const std::vector<server::RunRow>& runs, const std::map<std::string, std::string>& tags,
    const RetentionPolicy& policy, absl::Time now,
    const std::function<absl::StatusOr<bool>(const server::RunRow&)>& is_green);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_RETENTION_H_
