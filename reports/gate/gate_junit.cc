#include <set>

#include "absl/strings/str_cat.h"
#include "cases/base/outcome.h"
#include "reports/document/junit.h"
#include "reports/gate/render.h"

namespace diopi::reports {
namespace {

using Element = JunitCase::Element;

// Findings that do not belong to a case.
void AddGate(const GateDocument& document, JunitWriter* writer) {
  std::set<std::string> cases;
  for (const GatedCase& gated : document.result->cases) cases.insert(gated.verdict->case_id());
  bool none = true;
  for (const GateFinding& finding : document.result->findings) {
    const bool of_case = cases.contains(finding.subject) && finding.kind <= FindingKind::kNotJudged &&
                         finding.kind != FindingKind::kExpired;
    if (of_case) continue;
    none = false;
    writer->Add("gate",
                {FindingPlace(document, finding), "gate", 0, Element::kFailure, FindingName(finding.kind),
                 finding.text, absl::StrCat(finding.text, "\n", finding.action)});
  }
  if (none) writer->Add("gate", {"expectations, coverage and completeness", "gate"});
}

}  // namespace

std::string RenderGateJunit(const GateDocument& document) {
  JunitWriter writer;
  AddGate(document, &writer);
  for (const GatedCase& gated : document.result->cases) {
    const v1::Verdict& verdict = *gated.verdict;
    JunitCase c{verdict.case_id(), verdict.function(), verdict.call_us() / 1e6};
    c.message = gated.text;
    if (gated.state == GatedCase::State::kExpected) c.element = Element::kSkipped;
    if (gated.state == GatedCase::State::kFinding) {
      c.element = Element::kFailure;
      c.type = OutcomeName(verdict.outcome());
      c.text = absl::StrCat(gated.text, "\n", verdict.likely_cause());
    }
    writer.Add(verdict.operator_(), c);
  }
  const v1::RunInfo& run = document.input->run->run;
  return writer.Write("diopi gate", run.created(), run.options().host(),
                      [](const std::string&) { return ""; });
}

}  // namespace diopi::reports
