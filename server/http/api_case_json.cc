// Cases and verdicts as JSON.
#include <cmath>
#include <vector>

#include "cases/base/dtype.h"
#include "cases/core/argument_text.h"
#include "reports/model/outcome.h"
#include "reports/render/render.h"
#include "server/http/api_json.h"

namespace diopi::server {
namespace {

// Row-major.
std::vector<int64_t> Coordinates(int64_t index, const google::protobuf::RepeatedField<int64_t>& shape) {
  std::vector<int64_t> at(static_cast<size_t>(shape.size()));
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    if (shape[axis] <= 0) return {};
    at[static_cast<size_t>(axis)] = index % shape[axis];
    index /= shape[axis];
  }
  return at;
}

Json FirstJson(const v1::OutputStats& stats) {
  Json first = Json::array();
  for (const v1::Mismatch& mismatch : stats.first()) {
    first.push_back({{"index", mismatch.index()},
                     {"coordinates", Coordinates(mismatch.index(), stats.shape())},
                     {"actual", JsonNumber(mismatch.actual())},
                     {"expected", JsonNumber(mismatch.expected())},
                     {"tolerance", JsonNumber(mismatch.tolerance())},
                     {"actual_text", mismatch.actual_text()},
                     {"expected_text", mismatch.expected_text()}});
  }
  return first;
}

Json DeviceJson(const v1::OutputStats& stats) {
  if (stats.grade().empty()) return nullptr;
  return {{"rms_z", JsonNumber(stats.rms_z_device())},
          {"rmse", JsonNumber(stats.rmse_device())},
          {"rmse_ratio", JsonNumber(stats.rmse_ratio())},
          {"grade", stats.grade()}};
}

Json OutputJson(const v1::OutputStats& stats) {
  return {{"key", stats.key()},
          {"dtype", std::string(DtypeName(stats.dtype()))},
          {"shape", std::vector<int64_t>(stats.shape().begin(), stats.shape().end())},
          {"ok", stats.ok()},
          {"gates", stats.gates()},
          {"detail", stats.detail()},
          {"elements", stats.elements()},
          {"mismatches", stats.mismatches()},
          {"soft", stats.soft()},
          {"max_ulp", JsonNumber(stats.max_ulp())},
          {"max_z", JsonNumber(stats.max_z())},
          {"rms_z", JsonNumber(stats.rms_z())},
          {"max_abs", JsonNumber(stats.max_abs())},
          {"max_rel", JsonNumber(stats.max_rel())},
          {"rmse", JsonNumber(stats.rmse())},
          {"rmse_ideal", JsonNumber(stats.rmse_ideal())},
          {"bias", JsonNumber(stats.bias())},
          {"nan_actual", stats.nan_actual()},
          {"inf_actual", stats.inf_actual()},
          {"flushed", stats.flushed()},
          {"ulp_histogram", std::vector<int64_t>(stats.ulp_histogram().begin(), stats.ulp_histogram().end())},
          {"first", FirstJson(stats)},
          {"public_pass", stats.peer_ok()},
          {"public_mismatch_ratio", JsonNumber(stats.peer_mismatch_ratio())},
          {"device", DeviceJson(stats)}};
}

Json ArgumentsJson(const v1::Case* c) {
  if (c == nullptr) return nullptr;
  Json arguments = Json::array();
  for (const cases::ArgumentLine& line : cases::ArgumentLines(*c)) {
    arguments.push_back({{"name", line.name}, {"role", line.role}, {"text", line.text}});
  }
  return arguments;
}

Json TimeJson(double us) {
  return JsonNumber(us > 0 ? us : std::nan(""));
}

}  // namespace

Json CaseColumns() {
  return {"case_id",        "operator", "function",    "dtype", "outcome",     "reason",
          "call_us",        "max_ulp",  "max_z",       "rms_z", "max_abs",     "max_rel",
          "mismatch_ratio", "grade",    "public_pass", "gates", "device_index"};
}

Json ToJson(const CaseRow& row) {
  return Json::array({row.case_id, row.op, row.function, std::string(DtypeName(row.dtype)),
                      reports::OutcomeName(row.outcome), row.reason, TimeJson(row.call_us),
                      JsonNumber(row.max_ulp), JsonNumber(row.max_z), JsonNumber(row.rms_z),
                      JsonNumber(row.max_abs), JsonNumber(row.max_rel), JsonNumber(row.mismatch_ratio),
                      JsonText(row.grade),
                      row.public_pass.has_value() ? Json(*row.public_pass) : Json(nullptr), row.gates,
                      row.device_index < 0 ? Json(nullptr) : Json(row.device_index)});
}

Json ToJson(const v1::RunInfo& run, const v1::Verdict& verdict, const v1::Case* c,
            const std::string& data_folder) {
  Json json = {
      {"run_id", run.run_id()},
      {"chip", ChipName(run.options().chip())},
      {"case_id", verdict.case_id()},
      {"case_hash", verdict.case_hash()},
      {"function", verdict.function()},
      {"operator", verdict.operator_()},
      {"dtype", std::string(DtypeName(verdict.dtype()))},
      {"outcome", reports::OutcomeName(verdict.outcome())},
      {"reason", verdict.reason()},
      {"likely_cause", verdict.likely_cause()},
      {"contracts", std::vector<std::string>(verdict.contracts().begin(), verdict.contracts().end())},
      {"reference", verdict.reference()},
      {"tensor_info", verdict.tensor_info()},
      {"tags", verdict.tags()},
      {"call_us", TimeJson(verdict.call_us())},
      {"elapsed_us", TimeJson(verdict.elapsed_us())},
      {"calls", verdict.calls()},
      {"device_index", verdict.has_device_index() ? Json(verdict.device_index()) : Json(nullptr)},
      {"signal", verdict.signal()},
      {"backtrace", verdict.backtrace()},
      {"error_code", verdict.error_code()},
      {"error_text", verdict.error_text()},
      {"arguments", ArgumentsJson(c)},
      {"reveals", c == nullptr ? Json(nullptr) : JsonText(c->reveals())},
      {"repro", reports::ReproCommand(run.options(), verdict, data_folder)}};
  Json& outputs = json["outputs"] = Json::array();
  for (const v1::OutputStats& stats : verdict.outputs()) outputs.push_back(OutputJson(stats));
  return json;
}

}  // namespace diopi::server
