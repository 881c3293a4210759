#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "reports/document/escape.h"
#include "reports/gate/render.h"
#include "reports/render/measurements.h"

namespace diopi::reports {
namespace {

// A table cell with all markup escaped.
std::string Cell(const std::string& text) {
  return absl::StrReplaceAll(OneLine(text), {{"\\", "\\\\"},
                                             {"|", "\\|"},
                                             {"<", "&lt;"},
                                             {">", "&gt;"},
                                             {"&", "&amp;"},
                                             {"`", "\\`"},
                                             {"*", "\\*"},
                                             {"_", "\\_"},
                                             {"[", "\\["},
                                             {"]", "\\]"},
                                             {"@", "&#64;"},
                                             {"#", "&#35;"}});
}

void Table(const GateDocument& document, const std::vector<GateFinding>& findings, size_t most,
           std::string* out) {
  absl::StrAppend(out, "| What | Where | Why | To do |\n|---|---|---|---|\n");
  for (size_t i = 0; i < std::min(findings.size(), most); ++i) {
    const GateFinding& finding = findings[i];
    absl::StrAppend(out, "| ", Cell(FindingName(finding.kind)), " | ", Cell(FindingPlace(document, finding)),
                    " | ", Cell(finding.text), " | ", Cell(finding.action), " |\n");
  }
  if (findings.size() > most) absl::StrAppend(out, "\nand ", findings.size() - most, " more\n");
}

}  // namespace

std::string RenderGateMarkdown(const GateDocument& document) {
  const GateResult& result = *document.result;
  std::string out = absl::StrCat("## Conformance gate ", GateHeadline(result), "\n\n| | |\n|---|---|\n");
  for (const GateFact& fact : GateFacts(document)) {
    absl::StrAppend(&out, "| ", fact.name, " | ", Cell(fact.text), " |\n");
  }
  if (!result.findings.empty()) {
    absl::StrAppend(&out, "\n### Findings\n\n");
    Table(document, ShownFindings(document), 200, &out);
  }
  if (!result.notes.empty()) {
    absl::StrAppend(&out, "\n<details><summary>", CountOf(std::ssize(result.notes), "note", "notes"),
                    "</summary>\n\n");
    Table(document, result.notes, 100, &out);
    absl::StrAppend(&out, "\n</details>\n");
  }
  return out;
}

}  // namespace diopi::reports
