// GitHub's workflow commands, escaped as GitHub's toolkit does (actions/toolkit,
// packages/core/src/command.ts): in the message %, CR and LF; in properties also : and ,.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cases/base/text.h"
#include "reports/gate/render.h"

namespace diopi::reports {
namespace {

constexpr size_t kMost = 10;  // errors, and warnings, of a step that GitHub shows

std::string Data(const std::string& text) {
  return absl::StrReplaceAll(ManyLines(text), {{"%", "%25"}, {"\n", "%0A"}});
}

std::string Property(const std::string& text) {
  return absl::StrReplaceAll(Data(text), {{":", "%3A"}, {",", "%2C"}});
}

std::string Annotation(const char* level, const GateDocument& document, const GateFinding& finding) {
  std::string out = absl::StrCat("::", level, " ");
  if (finding.line > 0 && document.input->expectations != nullptr) {
    absl::StrAppend(&out, "file=", Property(document.input->expectations->file), ",line=", finding.line, ",");
  }
  absl::StrAppend(&out, "title=", Property(absl::StrCat(FindingWords(finding.kind), ": ", finding.subject)),
                  "::", Data(finding.text));
  if (!finding.action.empty()) absl::StrAppend(&out, "%0A", Data(finding.action));
  return absl::StrCat(out, "\n");
}

// Writes at most `most` lines; the last says how many findings have none.
std::string Annotations(const char* level, const GateDocument& document,
                        const std::vector<GateFinding>& findings, size_t most) {
  std::string out;
  const size_t shown = findings.size() <= most ? findings.size() : most - 1;
  for (size_t i = 0; i < shown; ++i) out += Annotation(level, document, findings[i]);
  if (shown < findings.size())
    absl::StrAppend(&out, "::", level, " title=More::", findings.size() - shown,
                    " more are in the step's log\n");
  return out;
}

}  // namespace

std::string RenderGateAnnotations(const GateDocument& document) {
  const GateResult& result = *document.result;
  std::string out = absl::StrCat(result.green() ? "::notice" : "::error",
                                 " title=Conformance gate::", Data(GateHeadline(result)));
  for (const GateFact& fact : GateFacts(document))
    absl::StrAppend(&out, "%0A", Data(absl::StrCat(fact.name, ": ", fact.text)));
  out += "\n";
  return absl::StrCat(out, Annotations("error", document, ShownFindings(document), kMost - 1),
                      Annotations("warning", document, result.notes, kMost));
}

}  // namespace diopi::reports
