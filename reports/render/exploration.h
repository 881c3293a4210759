// An exploration's report: what was called, and the causes of failures that were found.
#ifndef REPORTS_RENDER_EXPLORATION_H_
#define REPORTS_RENDER_EXPLORATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/run.pb.h"
#include "reports/document/document.h"

namespace diopi::reports {

// "2 h" or "5000 calls": what the exploration was asked for.
std::string AskedText(const v1::ExplorationOptions& asked);

// "25 failures: 8 explained by 3 causes, 17 not diagnosed.", which adds up.
std::string CausesSentence(const v1::Exploration& exploration);

// Statistics, functions and causes, each with its operator file. `run` must be an exploration, as below.
Document ExplorationDocument(const v1::RunInfo& run);

// "text", "markdown", "html", "csv" (a row per function), "json".
const std::vector<std::string>& ExplorationFormats();
// InvalidArgument, with these names, for any other.
absl::StatusOr<std::string> RenderExploration(const v1::RunInfo& run, std::string_view format);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_EXPLORATION_H_
