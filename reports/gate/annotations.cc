// GitHub's workflow commands, escaped as GitHub's toolkit does (actions/toolkit,
// packages/core/src/command.ts): in the message %, CR and LF; in properties also : and ,.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "reports/document/escape.h"
#include "reports/gate/render.h"

namespace diopi::reports {
namespace {

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
  absl::StrAppend(&out, "title=", Property(absl::StrCat(FindingName(finding.kind), ": ", finding.subject)),
                  "::", Data(finding.text));
  if (!finding.action.empty()) absl::StrAppend(&out, "%0A", Data(finding.action));
  return absl::StrCat(out, "\n");
}

}  // namespace

std::string RenderGateAnnotations(const GateDocument& document) {
  const GateResult& result = *document.result;
  std::string out = absl::StrCat(result.green() ? "::notice" : "::error",
                                 " title=Conformance gate::", Data(GateHeadline(result)));
  for (const GateFact& fact : GateFacts(document))
    absl::StrAppend(&out, "%0A", Data(absl::StrCat(fact.name, ": ", fact.text)));
  out += "\n";
  for (const GateFinding& finding : result.findings) out += Annotation("error", document, finding);
  for (const GateFinding& finding : result.notes) out += Annotation("warning", document, finding);
  return out;
}

}  // namespace diopi::reports
