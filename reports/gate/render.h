// Renders the gate's result in the formats that people and pipelines read. Pure: returns the whole document.
#ifndef REPORTS_GATE_RENDER_H_
#define REPORTS_GATE_RENDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "reports/gate/gate.h"

namespace diopi::reports {

struct GateDocument {
  const GateInput* input = nullptr;
  const GateOptions* options = nullptr;
  const GateResult* result = nullptr;
  bool verbose = false;  // in text and markdown: lists every case instead of grouping by cause
};

// The report for people: the verdict, coverage beside correctness, every finding with what to do about it,
// notes.
std::string RenderGateText(const GateDocument& document);

// The summary of a pull request; at most 200 findings and 100 notes, so that it stays below GitHub's 1 MiB.
std::string RenderGateMarkdown(const GateDocument& document);

// Every case as the gate classifies it: <skipped> when excused, <failure> for a finding. Findings that
// concern no single case are in a suite "gate".
std::string RenderGateJunit(const GateDocument& document);

// GitHub workflow commands, one per line: the verdict first, because GitHub shows only the first ten errors
// of a step.
std::string RenderGateAnnotations(const GateDocument& document);

std::string RenderGateJson(const GateDocument& document);

// "text", "markdown", "junit", "github", "json"; InvalidArgument, with these names, for anything else.
absl::StatusOr<std::string> RenderGate(const GateDocument& document, std::string_view format);
const std::vector<std::string>& GateFormats();

// The pieces that the formats share.
// "FAILED: 2 findings, 1 note" or "passed, 1 note".
std::string GateHeadline(const GateResult& result);
// "FILE:LINE: GLOB", or the subject where there is no line.
std::string FindingPlace(const GateDocument& document, const GateFinding& finding);
// The findings for people: those about single cases are grouped by cause, unless `verbose`.
std::vector<GateFinding> ShownFindings(const GateDocument& document);
struct GateFact {
  std::string name;  // "Run", "Coverage"
  std::string text;
};
std::vector<GateFact> GateFacts(const GateDocument& document);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_RENDER_H_
