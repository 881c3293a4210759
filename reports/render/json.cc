#include <optional>

#include "absl/strings/str_cat.h"
#include "cases/findings/finding_text.h"
#include "diopi/v1/report_answers.pb.h"
#include "reports/render/json_parts.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

v1::ReportHead HeadOf(const RunReport& report) {
  v1::ReportHead head;
  *head.mutable_run() = WithoutFolders(report.run);
  *head.mutable_coverage() = report.coverage;
  *head.mutable_correctness() = report.correctness;
  head.mutable_badges()->Assign(report.badges.begin(), report.badges.end());
  head.set_widened_by_contracts(report.widened);
  for (const ContractEffect& effect : report.would_pass) {
    v1::ContractEffect& shown = *head.add_would_pass_under();
    shown.set_contract(effect.contract);
    shown.set_cases(effect.cases);
    for (const auto& [dtype, cases] : effect.by_dtype) {
      v1::DtypeCount& count = *shown.add_by_dtype();
      count.set_dtype(dtype);
      count.set_cases(cases);
    }
  }
  *head.mutable_public_rule() = report.public_rule;
  head.set_partial(report.partial);
  head.set_cases(report.cases);
  head.set_missing(report.missing);
  *head.mutable_outcomes() = CountsOf(report.outcomes);
  head.mutable_references()->Assign(report.references.begin(), report.references.end());
  return head;
}

// The verdict's own fields, the public rule's verdict, and for a failure the command that repeats it.
Json ResultJson(const RunReport& report, const v1::Verdict& verdict) {
  v1::ReportResult result;
  *result.mutable_verdict() = verdict;
  const std::optional<PublicVerdict> theirs = PublicVerdictOf(verdict);
  if (theirs.has_value()) {
    result.mutable_public_rule()->set_verdict(theirs->pass ? "pass" : "fail");
    result.mutable_public_rule()->set_mismatch_ratio(theirs->mismatch_ratio);
  }
  if (IsListed(verdict.outcome())) result.set_repro(ReproCommand(report.run.options(), verdict));
  return MessageJson(result);
}

Json GroupJson(const RunReport& report, const FailureGroup& group) {
  v1::ReportGroup shown;
  shown.set_key(group.key);
  shown.set_outcome(group.outcome);
  shown.set_cause(group.cause);
  shown.set_diagnosed(group.diagnosed);
  shown.mutable_operators()->Assign(group.operators.begin(), group.operators.end());
  shown.mutable_functions()->Assign(group.functions.begin(), group.functions.end());
  shown.mutable_dtypes()->Assign(group.dtypes.begin(), group.dtypes.end());
  shown.mutable_cases()->Assign(group.cases.begin(), group.cases.end());
  shown.set_repro(ReproCommand(report.run.options(), group.example));
  shown.set_example(group.example.case_id());
  shown.set_reveals(group.reveals);
  if (group.separation.code() != v1::Finding::CODE_UNSPECIFIED)
    shown.set_separation(FindingText(group.separation));
  return MessageJson(shown);
}

}  // namespace

std::string RenderJson(const RunReport& report) {
  const auto group = [&report](const FailureGroup& failures) { return GroupJson(report, failures); };
  const auto result = [&report](const v1::Verdict& verdict) { return ResultJson(report, verdict); };
  return absl::StrCat("{", JsonMembers(MessageJson(HeadOf(report))),
                      "\n  \"operators\": ", JsonLines(report.operators, MessageJson),
                      ",\n  \"failures\": ", JsonLines(report.failures, group),
                      ",\n  \"results\": ", JsonLines(report.results, result), "\n}\n");
}

}  // namespace diopi::reports
