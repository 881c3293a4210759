#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/dtype.h"
#include "reports/model/outcome.h"
#include "reports/render/json_parts.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

// The verdict's own fields, the public rule's verdict, and for a failure the command that repeats it.
Json ResultJson(const RunReport& report, const v1::Verdict& verdict) {
  Json json = MessageJson(verdict);
  const std::optional<PublicVerdict> theirs = PublicVerdictOf(verdict);
  json["public_rule"] = nullptr;
  if (theirs.has_value()) {
    json["public_rule"] = {{"verdict", theirs->pass ? "pass" : "fail"},
                           {"mismatch_ratio", JsonNumber(theirs->mismatch_ratio)}};
  }
  json["repro"] =
      IsListed(verdict.outcome()) ? Json(ReproCommand(report.run.options(), verdict)) : Json(nullptr);
  return json;
}

Json GroupJson(const RunReport& report, const FailureGroup& group) {
  return {{"key", group.key},
          {"outcome", OutcomeName(group.outcome)},
          {"cause", group.cause},
          {"diagnosed", group.diagnosed},
          {"operators", group.operators},
          {"functions", group.functions},
          {"dtypes", DtypesJson(group.dtypes)},
          {"cases", group.cases},
          {"repro", ReproCommand(report.run.options(), group.example)}};
}

Json EffectJson(const ContractEffect& effect) {
  Json by_dtype = Json::object();
  for (const auto& [dtype, cases] : effect.by_dtype) by_dtype[std::string(DtypeName(dtype))] = cases;
  return {{"contract", effect.contract}, {"cases", effect.cases}, {"by_dtype", std::move(by_dtype)}};
}

}  // namespace

std::string RenderJson(const RunReport& report) {
  Json effects = Json::array();
  for (const ContractEffect& effect : report.would_pass) effects.push_back(EffectJson(effect));
  const Json head = {{"run", MessageJson(report.run)},
                     {"coverage", CoverageJson(report.coverage)},
                     {"correctness", CorrectnessJson(report.correctness)},
                     {"badges", report.badges},
                     {"widened_by_contracts", report.widened},
                     {"would_pass_under", std::move(effects)},
                     {"public_rule", PublicRuleJson(report.public_rule)},
                     {"partial", JsonText(report.partial)},
                     {"cases", report.cases},
                     {"missing", report.missing},
                     {"outcomes", OutcomesJson(report.outcomes)},
                     {"references", report.references}};
  const auto group = [&report](const FailureGroup& failures) { return GroupJson(report, failures); };
  const auto result = [&report](const v1::Verdict& verdict) { return ResultJson(report, verdict); };
  return absl::StrCat("{", JsonMembers(head),
                      "\n  \"operators\": ", JsonLines(report.operators, OperatorJson),
                      ",\n  \"failures\": ", JsonLines(report.failures, group),
                      ",\n  \"results\": ", JsonLines(report.results, result), "\n}\n");
}

}  // namespace diopi::reports
