// What an exploration found: failed calls by cause, the smallest call of each, and the files to repeat them.
#ifndef CLIENT_EXPLORE_FINDINGS_H_
#define CLIENT_EXPLORE_FINDINGS_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/explore/explore.h"
#include "client/shrink/case_trial.h"
#include "diopi/v1/operator.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "reports/model/failure_groups.h"

namespace diopi::explore {

struct FindingLimits {
  bool call_again = true;      // false: the verdicts at hand are grouped, and calls are written as they are
  int calls_per_function = 8;  // that are called once more to find their cause
  int most_shrunk = 40;        // causes; of the others, one call is written as it is
  int most_tries = 400;        // candidates for the smallest call of a cause
  std::chrono::duration<double> most_time{20};  // for the smallest call of a cause
};

// The line that repeats a failure: as the file and pages show it, and with this machine's paths.
struct RepeatCommands {
  std::string portable;
  std::string local;
};

// A line of the operator file with the second begins so; what is sent to a server lacks it.
inline constexpr char kRepeatHere[] = "# Repeat on this machine: ";

struct Finding {
  reports::FailureGroup group;
  std::string path;     // of the operator file, in the folder
  bool known = false;   // an earlier exploration wrote the file, and its last case, called again, fails alike
  v1::Verdict verdict;  // of the file's last case
  RepeatCommands commands;
  // Empty: it fails alone. "fails only after add.float32.x1_3 in one process", or that it did not fail again.
  std::string condition;
};

// Calls failed calls once more to find their likely causes, groups them as runs do, generic causes only
// within one output of an operator, and writes `folder`/OPERATOR_KEY.textproto for each cause, with the
// smallest call that still fails in the same way; KEY is the group's. A call that passes in a process of its
// own is made after the calls before it; where it then fails, the fewest of these that are needed stand
// before it in the file. An existing file is kept: where its last case does not fail alike, this is another
// bug, and OPERATOR_KEY_2.textproto is written, or the next free number. `diagnosing` looks for the causes;
// `trial` judges without: it makes hundreds of calls, some of which make no sense. `commands`: the lines that
// repeat the verdict's case. Calls `found` for each, the most frequent cause first, until it returns false.
// Returns PermissionDenied when a file cannot be written.
absl::Status WriteFindings(const std::vector<FailedCall>& failures, const std::string& folder,
                           const FindingLimits& limits, agent::CaseJudge* diagnosing,
                           shrink::CaseTrial* trial,
                           const std::function<RepeatCommands(const v1::Verdict&)>& commands,
                           const std::function<bool(const Finding&)>& found);

}  // namespace diopi::explore

#endif  // CLIENT_EXPLORE_FINDINGS_H_
