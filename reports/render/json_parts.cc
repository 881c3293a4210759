#include "reports/render/json_parts.h"

#include "cases/base/dtype.h"
#include "cases/base/text.h"
#include "reports/model/outcome.h"

namespace diopi::reports {
namespace {

Json DiffSideJson(const std::optional<DiffSide>& side) {
  if (!side.has_value()) return nullptr;
  return {{"outcome", OutcomeName(side->outcome)},        {"max_z", JsonNumber(side->max_z)},
          {"max_ulp", JsonNumber(side->max_ulp)},         {"call_us", JsonNumber(side->call_us)},
          {"call_low_us", JsonNumber(side->call_low_us)}, {"call_high_us", JsonNumber(side->call_high_us)}};
}

}  // namespace

Json JsonText(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

Json OutcomesJson(const OutcomeCounts& outcomes) {
  Json json = Json::object();
  for (const auto& [outcome, count] : outcomes) json[OutcomeName(outcome)] = count;
  return json;
}

Json CoverageJson(const Coverage& coverage) {
  return {{"abi_functions", coverage.abi_functions},
          {"implemented", coverage.implemented},
          {"selected", coverage.selected},
          {"with_cases", coverage.with_cases},
          {"tested", coverage.tested},
          {"passing", coverage.passing}};
}

Json CorrectnessJson(const Correctness& correctness) {
  return {{"called", correctness.called}, {"passed", correctness.passed}};
}

Json PublicRuleJson(const PublicRule& rule) {
  return {{"judged", rule.judged}, {"ours_alone", rule.ours_alone}, {"theirs_alone", rule.theirs_alone}};
}

Json OperatorJson(const OperatorRow& row) {
  return {{"operator", row.op},
          {"cases", row.cases},
          {"passed", row.passed},
          {"failed", row.failed},
          {"not_implemented", row.not_implemented},
          {"other", row.other}};
}

Json FindingJson(const v1::Finding& finding) {
  if (finding.code() == v1::Finding::CODE_UNSPECIFIED) return nullptr;
  const Json whole = MessageJson(finding);  // outlives its iterators
  Json json = Json::object();
  for (const auto& [name, value] : whole.items()) {
    const bool empty = value.is_null() || value == "" || value == false || value == Json::array();
    if (!empty && name != "parts") json[name] = value;
  }
  if (!finding.parts().empty()) json["parts"] = FindingsJson(finding.parts());
  return json;
}

Json FindingsJson(const google::protobuf::RepeatedPtrField<v1::Finding>& findings) {
  Json json = Json::array();
  for (const v1::Finding& finding : findings) json.push_back(FindingJson(finding));
  return json;
}

Json DtypesJson(const std::vector<v1::Dtype::Code>& dtypes) {
  Json json = Json::array();
  for (const v1::Dtype::Code dtype : dtypes) json.push_back(std::string(DtypeName(dtype)));
  return json;
}

Json DiffRowJson(const DiffRow& row) {
  return {{"case_id", row.case_id},
          {"operator", row.op},
          {"dtype", std::string(DtypeName(row.dtype))},
          {"kind", DiffKindName(row.kind)},
          {"a", DiffSideJson(row.a)},
          {"b", DiffSideJson(row.b)},
          {"factor", row.factor.has_value() ? JsonNumber(*row.factor) : Json(nullptr)}};
}

std::string Dump(const Json& json, int indent) {
  return PrintableJson(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

std::string JsonMembers(const Json& object) {
  std::string out;
  for (const auto& [name, value] : object.items())
    absl::StrAppend(&out, "\n  \"", name, "\": ", Dump(value), ",");
  return out;
}

}  // namespace diopi::reports
