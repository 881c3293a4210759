// Cases and verdicts as JSON.
#include <cmath>

#include "cases/base/dtype.h"
#include "cases/core/argument_text.h"
#include "reports/model/outcome.h"
#include "reports/render/render.h"
#include "server/http/api_json.h"

namespace diopi::server {
namespace {

Json ArgumentsJson(const v1::Case* c) {
  if (c == nullptr) return nullptr;
  Json arguments = Json::array();
  for (const cases::ArgumentLine& line : cases::ArgumentLines(*c)) {
    arguments.push_back({{"name", line.name}, {"role", line.role}, {"text", line.text}});
  }
  return arguments;
}

}  // namespace

namespace {

// The members of a row, in order: the columns are their names.
Json CaseMembers(const CaseRow& row) {
  Json json = {{"case_id", row.case_id},
               {"operator", row.op},
               {"function", row.function},
               {"dtype", std::string(DtypeName(row.dtype))},
               {"outcome", reports::OutcomeName(row.outcome)},
               {"reason", row.reason},
               {"findings", FindingsJson(row.parts.findings)},
               {"cause", FindingJson(row.parts.cause)},
               {"call_us", JsonNumber(row.call_us > 0 ? row.call_us : std::nan(""))}};
  for (const WorstFigure& figure : kWorstFigures) json[figure.name] = JsonNumber(row.*figure.value);
  json["mismatch_ratio"] = JsonNumber(row.mismatch_ratio);
  json["grade"] = JsonText(row.grade);
  json["public_pass"] = row.public_pass.has_value() ? Json(*row.public_pass) : Json(nullptr);
  json["gates"] = row.gates;
  json["device_index"] = row.device_index < 0 ? Json(nullptr) : Json(row.device_index);
  return json;
}

}  // namespace

Json CaseColumns() {
  Json names = Json::array();
  const Json members = CaseMembers({});  // outlives its iterators
  for (const auto& [name, value] : members.items()) names.push_back(name);
  return names;
}

Json ToJson(const CaseRow& row) {
  Json values = Json::array();
  Json members = CaseMembers(row);
  for (auto& [name, value] : members.items()) values.push_back(std::move(value));
  return values;
}

Json ToJson(const v1::RunInfo& run, const v1::Verdict& verdict, const v1::Case* c) {
  Json json = {{"run_id", run.run_id()}, {"chip", ChipName(run.options().chip())}};
  json.update(reports::MessageJson(verdict));
  json["arguments"] = ArgumentsJson(c);
  json["reveals"] = c == nullptr ? Json(nullptr) : JsonText(c->reveals());
  json["repro"] = reports::ReproCommand(run.options(), verdict);
  return json;
}

}  // namespace diopi::server
