// Finds the runs that a gate needs.
#ifndef CLIENT_CLI_GATE_RUNS_H_
#define CLIENT_CLI_GATE_RUNS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/run_source.h"
#include "reports/gate/gate.h"
#include "reports/model/report.h"

namespace diopi::cli {

struct GateRunsRequest {
  std::string run;      // id, or latest
  std::string chip;     // for "latest": of this chip; empty: of any
  std::string against;  // id, last-green, or empty: none
  bool partial = false;
  bool repeats = false;                                 // also load further runs of the same libraries
  const reports::Expectations* expectations = nullptr;  // failures that a last-green run may have
};

struct GateRuns {
  reports::RunReport run;
  std::optional<reports::RunReport> reference;
  std::vector<reports::RunReport> repeats;
  std::vector<reports::RunReport> reference_repeats;
};

// NotFound when there is no such run or no green run; the message says what was searched. InvalidArgument
// when the run to compare with is not finished, or is the judged run itself.
absl::StatusOr<GateRuns> LoadGateRuns(RunSource* source, const GateRunsRequest& request);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_GATE_RUNS_H_
