// Derives the exit status from a run's outcomes; cases/base/exit_code.h defines the statuses.
#ifndef CLIENT_SETUP_EXIT_CODE_H_
#define CLIENT_SETUP_EXIT_CODE_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cases/base/exit_code.h"
#include "cases/base/process.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::agent {

using diopi::ExitCode;
using diopi::ExitCodeFor;

// How many cases have each outcome, by its name (OutcomeName), as in v1::RunInfo.
using OutcomeCounts = std::map<std::string, int64_t>;

// The sum over the outcomes for which `counts` is true.
int64_t CountOf(const OutcomeCounts& outcomes, bool (*counts)(v1::Outcome));

// What the end of another of our programs means for the one that started it, with `text` as the message: the
// status whose exit status is the same. Internal for any other end, except a kill from outside (for lack of
// memory, say), which is FailedPrecondition.
absl::Status StatusOfExit(const ExitStatus& ended, absl::string_view text);

// For a run that was not stopped: kFailed with any failure, otherwise kOurs with any harness error, otherwise
// kOk.
ExitCode ExitCodeFor(const OutcomeCounts& outcomes);

// --min-coverage; `functions`: how many must pass.
void AddMinCoverageOption(CLI::App* app, int64_t* functions);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_EXIT_CODE_H_
