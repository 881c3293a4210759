#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/text.h"
#include "proto/enum_name.h"
#include "reports/gate/render.h"

namespace diopi::reports {
namespace {

std::string FindingJson(const GateFinding& finding) {
  return absl::StrCat(
      "    {\"kind\": ", QuotedText(FindingName(finding.kind)), ", \"line\": ", finding.line,
      ", \"subject\": ", QuotedText(finding.subject), ", \"text\": ", QuotedText(finding.text),
      ", \"action\": ", QuotedText(finding.action), ", \"cases\": [",
      absl::StrJoin(finding.cases, ", ",
                    [](std::string* out, const std::string& id) { out->append(QuotedText(id)); }),
      "]}");
}

std::string FindingsJson(const std::vector<GateFinding>& findings) {
  if (findings.empty()) return "[]";
  return absl::StrCat(
      "[\n",
      absl::StrJoin(findings, ",\n",
                    [](std::string* out, const GateFinding& finding) { out->append(FindingJson(finding)); }),
      "\n  ]");
}

}  // namespace

std::string RenderGateJson(const GateDocument& document) {
  const GateInput& input = *document.input;
  const GateResult& result = *document.result;
  const RunReport& run = *input.run;
  return absl::StrCat(
      "{\n  \"green\": ", result.green() ? "true" : "false", ",\n  \"run\": ", QuotedText(run.run.run_id()),
      ",\n  \"state\": ", QuotedText(EnumName(run.run.state())),
      ",\n  \"chip\": ", QuotedText(run.run.options().chip()),
      ",\n  \"library_sha256\": ", QuotedText(run.run.options().impl_sha256()), ",\n  \"expectations\": ",
      input.expectations == nullptr ? "null" : QuotedText(input.expectations->file),
      ",\n  \"against\": ", input.reference == nullptr ? "null" : QuotedText(input.reference->run.run_id()),
      ",\n  \"today\": ", QuotedText(DayText(document.options->today)),
      ",\n  \"coverage\": {\"abi_functions\": ", run.coverage.abi_functions(),
      ", \"implemented\": ", run.coverage.implemented(), ", \"selected\": ", run.coverage.selected(),
      ", \"with_cases\": ", run.coverage.with_cases(), ", \"tested\": ", run.coverage.tested(),
      ", \"passing\": ", run.coverage.passing(),
      "},\n  \"partial\": ", run.partial.empty() ? "null" : QuotedText(run.partial),
      ",\n  \"correctness\": {\"called\": ", run.correctness.called(),
      ", \"passed\": ", run.correctness.passed(), ", \"asked\": ", run.correctness.asked(),
      "},\n  \"cases\": ", run.cases, ",\n  \"failure_groups\": ", run.failures.size(),
      ",\n  \"expected_failures\": ", result.expected_failures, ",\n  \"waived\": ", result.waived,
      ",\n  \"findings\": ", FindingsJson(result.findings), ",\n  \"notes\": ", FindingsJson(result.notes),
      "\n}\n");
}

}  // namespace diopi::reports
