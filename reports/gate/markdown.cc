#include <algorithm>

#include "absl/strings/str_cat.h"
#include "reports/document/document.h"
#include "reports/gate/render.h"
#include "reports/render/measurements.h"

namespace diopi::reports {
namespace {

std::string FindingsTable(const GateDocument& document, const std::vector<GateFinding>& findings,
                          size_t most) {
  Table table{{{"What"}, {"Where"}, {"Why"}, {"To do"}}, {}};
  for (size_t i = 0; i < std::min(findings.size(), most); ++i) {
    const GateFinding& finding = findings[i];
    table.rows.push_back(
        {{FindingWords(finding.kind)}, {FindingPlace(document, finding)}, {finding.text}, {finding.action}});
  }
  return absl::StrCat(WriteMarkdown(table),
                      findings.size() > most ? absl::StrCat("and ", findings.size() - most, " more\n") : "");
}

}  // namespace

std::string RenderGateMarkdown(const GateDocument& document) {
  const GateResult& result = *document.result;
  Table facts{{{""}, {""}}, {}};
  for (const GateFact& fact : GateFacts(document)) facts.rows.push_back({{fact.name}, {fact.text}});
  std::string out = absl::StrCat("## Conformance gate ", GateHeadline(result), "\n\n", WriteMarkdown(facts));
  if (!result.findings.empty())
    absl::StrAppend(&out, "### Findings\n\n", FindingsTable(document, ShownFindings(document), 200));
  if (!result.notes.empty()) {
    absl::StrAppend(&out, "<details><summary>", CountOf(std::ssize(result.notes), "note", "notes"),
                    "</summary>\n\n", FindingsTable(document, result.notes, 100), "\n</details>\n");
  }
  return out;
}

}  // namespace diopi::reports
