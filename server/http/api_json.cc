#include "server/http/api_json.h"

#include <cmath>
#include <optional>
#include <utility>

#include "proto/abi/abi.h"
#include "proto/enum_name.h"
#include "reports/model/outcome.h"
#include "reports/model/workers_word.h"
#include "reports/render/diff.h"
#include "reports/render/exploration.h"
#include "reports/render/performance.h"
#include "reports/render/render.h"

namespace diopi::server {
namespace {

using reports::CorrectnessJson;
using reports::CoverageJson;
using reports::OutcomeName;
using reports::OutcomesJson;

template <typename Items>
Json ListOf(const Items& items) {
  Json json = Json::array();
  for (const auto& item : items) json.push_back(ToJson(item));
  return json;
}

Json OptionsJson(const v1::RunOptions& options) {
  return {{"repeat", options.repeat()},
          {"shuffle_seed", std::to_string(options.shuffle_seed())},
          {"timeout_s", options.timeout_s()},
          {"selection", reports::SelectionText(options.selection())},
          {"suite", options.selection().suite().empty() ? "core" : options.selection().suite()},
          {"sandbox", options.sandbox()},
          {"workers_word", reports::WorkersWord(options)},
          {"owner", options.owner()},
          {"shard_index", options.shard_index()},
          {"shard_count", options.shard_count()}};
}

// null: the agent did not say.
Json MachineJson(const reports::RunSummary& run) {
  return run.facts.scope.has_machine() ? reports::MessageJson(run.facts.scope.machine()) : Json(nullptr);
}

Json PointJson(const reports::HistoryPoint& point) {
  return {{"run_id", point.run.run_id},
          {"created", point.run.created},
          {"state", EnumName(point.run.state)},
          {"impl_sha256", point.run.impl_sha256},
          {"impl_version", point.run.impl_version},
          {"variant", point.variant},
          {"outcome", OutcomeName(point.verdict.outcome)},
          {"reason", point.verdict.reason},
          {"call_us", JsonNumber(point.verdict.call_us > 0 ? point.verdict.call_us : std::nan(""))},
          {"max_ulp", JsonNumber(point.verdict.max_ulp)},
          {"max_z", JsonNumber(point.verdict.max_z)},
          {"rms_z", JsonNumber(point.verdict.rms_z)}};
}

Json CountsJson(const reports::OperatorCounts& counts) {
  return {{"cases", counts.cases}, {"passed", counts.passed}, {"failed", counts.failed}};
}

Json LabChipJson(const reports::LabChip& chip) {
  Json json = {{"chip", ChipName(chip.chip)},
               {"run", chip.run.has_value() ? ToJson(*chip.run) : Json(nullptr)},
               {"green", chip.green.has_value() ? ToJson(*chip.green) : Json(nullptr)},
               {"runs_since", chip.runs_since}};
  Json& changes = json["changes"] = Json::array();
  for (const reports::OperatorChange& change : chip.changes) {
    changes.push_back(
        {{"operator", change.op}, {"before", CountsJson(change.before)}, {"now", CountsJson(change.now)}});
  }
  return json;
}

Json LabFailureJson(const reports::LabFailure& failure) {
  Json chips = Json::array();
  for (const reports::LabFailure::OnChip& on : failure.chips) {
    chips.push_back(
        {{"chip", ChipName(on.chip)}, {"run_id", on.run_id}, {"cases", on.cases}, {"example", on.example}});
  }
  return {{"key", failure.group.key},
          {"outcome", OutcomeName(failure.group.outcome)},
          {"cause", failure.group.cause},
          {"finding", FindingJson(failure.group.finding)},
          {"diagnosed", failure.group.diagnosed},
          {"operators", failure.group.operators},
          {"cases", failure.cases},
          {"chips", std::move(chips)}};
}

Json CellJson(const std::optional<reports::CoverageCell>& cell) {
  if (!cell.has_value()) return nullptr;
  return {{"implemented", cell->implemented},
          {"tested", cell->tested},
          {"cases", cell->cases},
          {"passed", cell->passed},
          {"run_id", JsonText(cell->run_id)}};
}

}  // namespace

std::string ChipName(const std::string& chip) {
  return chip.empty() ? "unnamed" : chip;
}

Json ToJson(const reports::RunSummary& run) {
  return {{"run_id", run.facts.run_id},
          {"chip", ChipName(run.facts.chip)},
          {"vendor_name", run.facts.vendor_name},
          {"impl_version", run.facts.impl_version},
          {"impl_sha256", run.facts.impl_sha256},
          {"impl_path", run.facts.impl_path},
          {"suite_hash", run.facts.suite_hash},
          {"state", EnumName(run.facts.state)},
          {"created", run.facts.created},
          {"finished", JsonText(run.facts.finished)},
          {"host", run.facts.host},
          {"agent_version", run.facts.agent_version},
          {"dialect", run.facts.dialect},
          {"contracts", run.facts.contracts},
          {"environment", run.facts.environment},
          {"adaptor", run.facts.adaptor},
          {"labels", Json(run.facts.labels)},
          {"badges", run.badges},
          {"cases", run.cases},
          {"done", run.done},
          {"outcomes", OutcomesJson(run.outcomes)},
          {"coverage", CoverageJson(run.coverage)},
          {"correctness", CorrectnessJson(run.correctness)},
          {"failed", run.failed},
          {"widened", run.widened},
          {"references", run.references},
          {"waivers_in_force", run.waivers_in_force},
          {"partial", JsonText(run.partial)},
          {"abort_reason", JsonText(run.facts.scope.abort_reason())},
          {"variant", run.variant}};
}

Json ToJson(const reports::RunDetail& run) {
  Json json = ToJson(run.summary);
  json["machine"] = MachineJson(run.summary);
  json["options"] = OptionsJson(run.info.options());
  Json& operators = json["operators"] = Json::array();
  for (const reports::OperatorRow& row : run.operators) operators.push_back(reports::OperatorJson(row));
  Json& waivers = json["waivers"] = Json::array();
  for (const reports::Waiver& waiver : run.waivers) {
    waivers.push_back({{"case_id", waiver.case_id},
                       {"reason", waiver.reason},
                       {"findings", FindingsJson(waiver.parts.findings)},
                       {"cause", FindingJson(waiver.parts.cause)},
                       {"link", JsonText(waiver.link)},
                       {"expires", JsonText(waiver.expires)}});
  }
  json["public_rule"] = reports::PublicRuleJson(run.summary.public_rule);
  Json& devices = json["devices"] = Json::array();
  for (const DeviceRow& device : run.devices) {
    devices.push_back({{"device_index", device.device_index < 0 ? Json(nullptr) : Json(device.device_index)},
                       {"cases", device.cases},
                       {"passed", device.passed}});
  }
  json["exploration"] = run.info.has_exploration() ? reports::ExplorationJson(run.info) : Json(nullptr);
  json["submission"] = nullptr;
  if (run.info.has_submission()) {
    json["submission"] = {{"note", run.info.submission().note()},
                          {"cancelled", run.info.submission().cancelled()},
                          {"exit_code", run.info.submission().exit_code()}};
  }
  return json;
}

Json ToJson(const reports::ChipOverview& chip) {
  Json json = {{"chip", ChipName(chip.chip)},
               {"runs", chip.runs},
               {"vendor_name", chip.latest.facts.vendor_name},
               {"latest", ToJson(chip.latest)},
               {"complete", chip.complete.has_value() ? ToJson(*chip.complete) : Json(nullptr)}};
  Json& trend = json["trend"] = Json::array();
  for (const reports::TrendPoint& point : chip.trend) {
    trend.push_back({{"run_id", point.run_id},
                     {"created", point.created},
                     {"variant", point.variant},
                     {"correctness", CorrectnessJson(point.correctness)},
                     {"coverage", CoverageJson(point.coverage)},
                     {"failed", point.failed}});
  }
  return json;
}

Json ToJson(const reports::ChipDetail& chip) {
  Json json = {{"chip", ChipName(chip.chip)},
               {"latest", ToJson(chip.latest)},
               {"complete", chip.complete.has_value() ? ToJson(*chip.complete) : Json(nullptr)},
               {"runs", ListOf(chip.runs)},
               {"heat", ToJson(chip.heat)},
               {"machine", MachineJson(chip.complete.value_or(chip.latest))}};
  Json& flaky = json["flaky"] = Json::array();
  for (const reports::FlakyCase& c : chip.flaky) {
    flaky.push_back({{"case_id", c.case_id}, {"runs", c.runs}, {"changes", c.changes}});
  }
  return json;
}

Json ToJson(const reports::Heat& heat) {
  Json json = {{"run_id", JsonText(heat.run_id)}, {"operators", heat.operators}};
  json["dtypes"] = reports::DtypesJson(heat.dtypes);
  Json& cells = json["cells"] = Json::array();
  for (const reports::HeatCell& cell : heat.cells) {
    cells.push_back(Json::array({cell.op, cell.dtype, cell.cases, cell.passed, cell.failed, cell.other}));
  }
  return json;
}

Json ToJson(const reports::History& history) {
  Json json = {{"case_id", history.case_id}, {"chip", ChipName(history.chip)}};
  Json& points = json["points"] = Json::array();
  for (const reports::HistoryPoint& point : history.points) points.push_back(PointJson(point));
  json["flaky"] = history.flaky;
  json["changes"] = history.changes;
  json["first_bad"] = JsonText(history.first_bad);
  json["last_good"] = JsonText(history.last_good);
  return json;
}

Json ToJson(const reports::Diff& diff) {
  Json json = {{"a", ToJson(diff.a)},
               {"b", ToJson(diff.b)},
               {"same_variant", diff.same_variant},
               {"comparison", reports::MessageJson(diff.comparison)},
               {"comparable", reports::ComparableText(diff.comparison)},
               {"times", reports::TimesText(diff.comparison.times())}};
  Json& counts = json["counts"] = Json::object();
  for (const auto& [kind, count] : diff.counts) counts[reports::DiffKindName(kind)] = count;
  Json& rows = json["rows"] = Json::array();
  for (const reports::DiffRow& row : diff.rows) rows.push_back(reports::DiffRowJson(row));
  return json;
}

Json ToJson(const reports::CoverageMatrix& coverage) {
  Json json;
  Json& chips = json["chips"] = Json::array();
  for (const std::string& chip : coverage.chips) chips.push_back(ChipName(chip));
  json["abi_functions"] = abi::Functions().size();
  Json& functions = json["functions"] = Json::array();
  for (const reports::FunctionCoverage& function : coverage.functions) {
    Json cells = Json::array();
    for (const auto& cell : function.cells) cells.push_back(CellJson(cell));
    functions.push_back({{"name", function.name},
                         {"header", function.header},
                         {"family", JsonText(function.family)},
                         {"cells", std::move(cells)}});
  }
  return json;
}

Json ToJson(const RunFacts& run, const reports::PerformanceReport& report) {
  Json steps = Json::array();
  for (const reports::StepTime& step : report.steps) steps.push_back(reports::StepJson(step));
  return {{"run_id", run.run_id},           {"created", run.created},
          {"vendor_name", run.vendor_name}, {"impl_version", run.impl_version},
          {"impl_sha256", run.impl_sha256}, {"calls", report.calls.size()},
          {"measured", report.measured()},  {"steps", std::move(steps)}};
}

Json ToJson(const reports::ModelMatrix& models) {
  Json json;
  Json& chips = json["chips"] = Json::array();
  for (const std::string& chip : models.chips) chips.push_back(ChipName(chip));
  Json& rows = json["models"] = Json::array();
  for (const reports::ModelRow& model : models.models) {
    Json cells = Json::array();
    for (const std::optional<reports::ModelCell>& cell : model.cells) {
      if (!cell.has_value()) {
        cells.push_back(nullptr);
        continue;
      }
      cells.push_back({{"run_id", cell->run_id},
                       {"ready", reports::IsReady(*cell)},
                       {"max_tensor_bytes", cell->max_tensor_bytes},
                       {"calls", cell->calls},
                       {"passing", cell->passing},
                       {"failing", cell->failing},
                       {"not_implemented", cell->not_implemented},
                       {"not_judged", cell->not_judged},
                       {"scaled", cell->scaled},
                       {"failing_functions", cell->failing_functions},
                       {"missing_functions", cell->missing_functions}});
    }
    rows.push_back({{"name", model.name}, {"summary", model.summary}, {"cells", std::move(cells)}});
  }
  return json;
}

Json ToJson(const reports::Progress& progress) {
  Json json = {
      {"run_id", progress.run_id}, {"state", EnumName(progress.state)},           {"cases", progress.cases},
      {"done", progress.done},     {"outcomes", OutcomesJson(progress.outcomes)}, {"since", progress.cursor}};
  Json& recent = json["recent"] = Json::array();
  for (const RecentVerdict& verdict : progress.recent) {
    recent.push_back({{"case_id", verdict.case_id},
                      {"outcome", OutcomeName(verdict.outcome)},
                      {"reason", verdict.reason},
                      {"findings", FindingsJson(verdict.parts.findings)},
                      {"cause", FindingJson(verdict.parts.cause)}});
  }
  json["cases_per_s"] = JsonNumber(progress.cases_per_s.value_or(std::nan("")));
  json["left_s"] = JsonNumber(progress.left_s.value_or(std::nan("")));
  return json;
}

Json ToJson(const reports::Lab& lab) {
  Json json;
  Json& chips = json["chips"] = Json::array();
  for (const reports::LabChip& chip : lab.chips) chips.push_back(LabChipJson(chip));
  Json& operators = json["operators"] = Json::array();
  for (size_t i = 0; i < lab.operators.size(); ++i) {
    Json cells = Json::array();
    for (const std::optional<reports::OperatorCounts>& cell : lab.cells[i])
      cells.push_back(cell.has_value() ? CountsJson(*cell) : Json(nullptr));
    operators.push_back({{"operator", lab.operators[i]}, {"cells", std::move(cells)}});
  }
  Json& failures = json["failures"] = Json::array();
  for (const reports::LabFailure& failure : lab.failures) failures.push_back(LabFailureJson(failure));
  return json;
}

Json ExplorationRowJson(const v1::RunInfo& run) {
  const v1::RunOptions& options = run.options();
  Json row = {{"run_id", run.run_id()},
              {"chip", ChipName(options.chip())},
              {"vendor_name", options.vendor_name()},
              {"impl_version", options.impl_version()},
              {"impl_sha256", options.impl_sha256()},
              {"state", EnumName(run.state())},
              {"created", run.created()},
              {"finished", JsonText(run.finished())},
              {"labels", Json(Labels(options.labels().begin(), options.labels().end()))}};
  Json exploration = reports::ExplorationJson(run);
  for (const char* field : {"asked_calls", "asked_seconds", "seed", "selection", "calls", "failed", "seconds",
                            "functions_called"}) {
    row[field] = std::move(exploration[field]);
  }
  row["causes"] = exploration["causes"].size();
  return row;
}

Json ToJson(const v1::AgentInfo& agent) {
  const v1::AgentFacts& facts = agent.facts();
  const bool busy = !agent.run_id().empty();
  return {{"agent_id", facts.agent_id()},
          {"chip", ChipName(facts.chip())},
          {"host", facts.host()},
          {"agent_version", facts.agent_version()},
          {"vendor_name", facts.vendor_name()},
          {"impl_version", facts.impl_version()},
          {"impl_sha256", facts.impl_sha256()},
          {"takes_uploads", facts.takes_uploads()},
          {"state", EnumName(agent.state())},
          {"since", JsonText(agent.since())},
          {"seen", JsonText(agent.seen())},
          {"health", agent.health().text()},
          {"run_id", JsonText(agent.run_id())},
          {"cases", busy ? Json(agent.cases()) : Json(nullptr)},
          {"done", busy ? Json(agent.done()) : Json(nullptr)}};
}

Json ToJson(const reports::RunFailures& failures) {
  Json json = {{"run_id", failures.run.run_id()},
               {"state", EnumName(failures.run.state())},
               {"cases", failures.cases}};
  Json& groups = json["groups"] = Json::array();
  for (const reports::FailureGroup& group : failures.groups) {
    const std::string& example = group.cases.front();
    groups.push_back({{"key", group.key},
                      {"outcome", OutcomeName(group.outcome)},
                      {"cause", group.cause},
                      {"finding", FindingJson(group.finding)},
                      {"diagnosed", group.diagnosed},
                      {"operators", group.operators},
                      {"functions", group.functions},
                      {"dtypes", reports::DtypesJson(group.dtypes)},
                      {"cases", group.cases.size()},
                      {"example",
                       {{"case_id", example},
                        {"reason", group.reason},
                        {"findings", FindingsJson(group.example.findings())},
                        {"cause", FindingJson(group.example.cause())},
                        {"repro", reports::ReproCommand(failures.run.options(), group.example)}}},
                      {"case_ids", group.cases}});
  }
  return json;
}

}  // namespace diopi::server
