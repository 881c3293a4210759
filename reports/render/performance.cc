#include "reports/render/performance.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reports/document/escape.h"

namespace diopi::reports {
namespace {

constexpr size_t kStepOperators = 4;
constexpr double kHundred = 100;

std::string RoundedFigure(double value) {
  return value >= 1000 ? absl::StrFormat("%.0f", value) : absl::StrFormat("%.3g", value);
}
std::string RoundedFigure(const std::optional<double>& value, double unit = 1) {
  return value.has_value() ? RoundedFigure(*value / unit) : "";
}
std::string SharePercent(const std::optional<double>& share) {
  return share.has_value() ? absl::StrFormat("%.1f", *share * kHundred) : "";
}
std::string MeasuredDtype(const v1::Measurement& measurement) {
  return v1::Dtype::Code_Name(measurement.dtype());
}

std::vector<Text> CellsOf(const std::vector<std::string>& cells) {
  std::vector<Text> row;
  row.reserve(cells.size());
  for (const std::string& cell : cells) row.push_back({cell});
  return row;
}

std::string StepOperatorsText(const StepTime& step, const Translator& t) {
  std::vector<std::string> parts;
  for (const auto& [name, us] : step.operators) {
    if (parts.size() == kStepOperators) break;
    parts.push_back(absl::StrFormat("%s %.0f %%", name, us / std::max(step.us, 1e-9) * kHundred));
  }
  return absl::StrJoin(parts, t.Separator());
}

Json NumberJson(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json IntervalJson(const MedianInterval& us) {
  return {{"median", us.median}, {"low", us.low}, {"high", us.high}};
}

Json CallJson(const CallFigures& call) {
  const v1::Measurement& m = call.measurement;
  Json json = {{"case", m.case_id()},
               {"judged_case", m.judged_case()},
               {"function", m.function()},
               {"dtype", MeasuredDtype(m)},
               {"shapes", m.shapes()},
               {"kernel", m.kernel()},
               {"read_bytes", m.work().read_bytes()},
               {"written_bytes", m.work().written_bytes()},
               {"operations", m.work().operations()}};
  if (!call.measured()) {
    json["not_measured"] = PrintableText(m.not_measured());
    return json;
  }
  json["clock"] = m.device_clock() ? "device" : "host";
  json["us"] = IntervalJson(call.warm_us);
  json["cold_us"] = NumberJson(call.cold_us);
  json["first_us"] = m.first_us();
  json["submit_us"] = m.submit_us();
  json["round_medians_us"] = RoundMedians(m);
  json["disturbed"] = call.disturbed;
  json["bytes_per_s"] = NumberJson(call.bytes_per_s);
  json["operations_per_s"] = NumberJson(call.operations_per_s);
  json["roofline_share"] = NumberJson(call.roofline_share);
  json["bound"] = call.memory_bound ? "memory" : "compute";
  json["reference_us"] = NumberJson(call.reference_us);
  json["score"] = NumberJson(call.score());
  return json;
}

Json ComparisonJson(const Comparison& comparison) {
  Json calls = Json::array();
  for (const CallComparison& call : comparison.calls) {
    calls.push_back({{"case", call.after.case_id()},
                     {"function", call.after.function()},
                     {"before_us", IntervalJson(call.before_us)},
                     {"after_us", IntervalJson(call.after_us)},
                     {"ratio", call.ratio},
                     {"low", call.low},
                     {"high", call.high},
                     {"p", call.p},
                     {"change", ChangeName(call.change)}});
  }
  return {{"against", comparison.against},
          {"shared", comparison.shared},
          {"noise", comparison.noise},
          {"factor", comparison.factor},
          {"slower", comparison.Functions(CallComparison::Change::kSlower)},
          {"faster", comparison.Functions(CallComparison::Change::kFaster)},
          {"calls", calls}};
}

}  // namespace

Table PerformanceTable(const PerformanceReport& report) {
  Table table;
  table.columns = {{"function"},     {"dtype"},         {"shapes"},         {"us", true},   {"low", true},
                   {"high", true},   {"cold us", true}, {"first us", true}, {"GB/s", true}, {"Gop/s", true},
                   {"% roof", true}, {"bound"},         {"score", true},    {"note"}};
  table.empty = "This run measured nothing: diopi-agent --performance measures.";
  for (const CallFigures& call : report.calls) {
    const v1::Measurement& m = call.measurement;
    const bool measured = call.measured();
    table.rows.push_back(CellsOf(
        {m.function(), MeasuredDtype(m), m.shapes(), measured ? RoundedFigure(call.warm_us.median) : "",
         measured ? RoundedFigure(call.warm_us.low) : "", measured ? RoundedFigure(call.warm_us.high) : "",
         RoundedFigure(call.cold_us), measured ? RoundedFigure(m.first_us()) : "",
         RoundedFigure(call.bytes_per_s, 1e9), RoundedFigure(call.operations_per_s, 1e9),
         SharePercent(call.roofline_share),
         call.roofline_share.has_value() ? (call.memory_bound ? "memory" : "compute") : "",
         RoundedFigure(call.score()), measured ? "" : PrintableText(m.not_measured())}));
  }
  return table;
}

Table StepsTable(const PerformanceReport& report, const Translator& t) {
  Table table;
  table.columns = {{"model"},      {"stage"},          {"ms", true},         {"low", true},
                   {"high", true}, {"measured", true}, {"operators by time"}};
  table.empty = t("The run's suite has no model whose steps are known.");
  for (const StepTime& step : report.steps) {
    const bool complete = step.complete();
    const std::string none = report.too_noisy() ? t("too noisy") : "";
    table.rows.push_back(CellsOf({step.model, step.stage, complete ? RoundedFigure(step.us * 1e-3) : none,
                                  complete ? RoundedFigure(step.low_us * 1e-3) : "",
                                  complete ? RoundedFigure(step.high_us * 1e-3) : "",
                                  t("$0 of $1", step.measured, step.calls), StepOperatorsText(step, t)}));
  }
  return table;
}

Table ComparisonTable(const Comparison& comparison, bool changes_only) {
  Table table;
  table.columns = {{"function"},    {"dtype"},     {"shapes"},     {"before us", true}, {"after us", true},
                   {"ratio", true}, {"low", true}, {"high", true}, {"p", true},         {"change"}};
  table.empty = "No call differs beyond the noise.";
  for (const CallComparison& call : comparison.calls) {
    if (changes_only && call.change == CallComparison::Change::kNone) continue;
    std::vector<std::string> figures = {
        RoundedFigure(call.before_us.median), RoundedFigure(call.after_us.median),
        absl::StrFormat("%.2f", call.ratio),  absl::StrFormat("%.2f", call.low),
        absl::StrFormat("%.2f", call.high),   absl::StrFormat("%.1g", call.p)};
    if (comparison.noise > kNoiseLimit) figures = {"too noisy", "too noisy", "", "", "", figures.back()};
    std::vector<std::string> cells = {call.after.function(), MeasuredDtype(call.after), call.after.shapes()};
    cells.insert(cells.end(), figures.begin(), figures.end());
    cells.push_back(ChangeName(call.change));
    table.rows.push_back(CellsOf(cells));
  }
  return table;
}

std::vector<std::string> PerformanceWords(const PerformanceReport& report, const Translator& t) {
  std::vector<std::string> words;
  if (!report.machine.processor().empty()) words.push_back(t("Machine: $0.", report.machine.processor()));
  for (const std::string& state : report.machine.state()) words.push_back(state + ".");
  words.push_back(t("Roofline: $0.", report.roofline.source.empty() ? t("unknown") : report.roofline.source));
  if (report.machine.launch_us() > 0) {
    words.push_back(
        t("A call of two elements takes $0 us.", absl::StrFormat("%.2f", report.machine.launch_us())));
  }
  if (report.too_noisy()) {
    words.push_back(
        t("Too noisy: the rounds of one call in ten differ by more than a factor of $0; above $1 no "
          "figure is shown. Measure again while the machine does nothing else.",
          absl::StrFormat("%.2f", report.noise), kNoiseLimit));
  } else {
    words.push_back(t(
        "Machine noise: the rounds of one call in ten differ by more than a factor of $0; $1 of $2 samples "
        "were disturbed, and $3 of $4 rounds were measured beside other work.",
        absl::StrFormat("%.2f", report.noise), report.disturbed, report.samples, report.busy, report.rounds));
  }
  std::set<std::string> beyond;
  for (const CallFigures& call : report.calls) {
    if (call.beyond_specification) beyond.insert(call.measurement.function());
  }
  if (!beyond.empty()) {
    words.push_back(
        t("Faster than the specification allows, with right results: $0. The specification's rates "
          "are too low.",
          absl::StrJoin(beyond, t.Separator())));
  }
  if (!report.reference.empty())
    words.push_back(t("Score: the time of $0 over the chip's.", report.reference));
  if (!report.without_steps.empty()) {
    words.push_back(
        t("How often a step makes the calls of captured models is unknown; no step is estimated for $0.",
          absl::StrJoin(report.without_steps, ", ")));
  }
  const int64_t without = static_cast<int64_t>(report.calls.size()) - report.measured();
  if (without > 0) words.push_back(t("$0 of $1 calls were not timed.", without, report.calls.size()));
  for (std::string& line : words) line = OneLine(line);
  return words;
}

std::vector<std::string> ComparisonWords(const Comparison& comparison) {
  std::vector<std::string> words;
  words.push_back(absl::StrFormat(
      "%d calls in both runs; %s; a change counts beyond a factor of %.2f (machine noise %.2f), in all but "
      "disturbed rounds and by a rank test with Holm's correction at %g.",
      comparison.calls.size(),
      comparison.shared == 1
          ? std::string("no shared change is divided out")
          : absl::StrFormat("all share a factor of %.2f, which is divided out", comparison.shared),
      comparison.factor, comparison.noise, kComparisonAlpha));
  for (const CallComparison::Change change :
       {CallComparison::Change::kSlower, CallComparison::Change::kFaster}) {
    const std::vector<std::string> functions = comparison.Functions(change);
    words.push_back(functions.empty()
                        ? absl::StrCat("No function is ", ChangeName(change), ".")
                        : absl::StrCat(functions.size(),
                                       functions.size() == 1 ? " function is " : " functions are ",
                                       ChangeName(change), ": ", absl::StrJoin(functions, " "), "."));
  }
  for (std::string& line : words) line = OneLine(line);
  return words;
}

Json StepJson(const StepTime& step) {
  Json operators = Json::object();
  for (const auto& [name, us] : step.operators) operators[name] = us;
  return {{"model", step.model},       {"stage", step.stage},      {"us", step.us},
          {"low_us", step.low_us},     {"high_us", step.high_us},  {"calls", step.calls},
          {"measured", step.measured}, {"operators_us", operators}};
}

Json PerformanceJson(const PerformanceReport& report, const Comparison* comparison) {
  Json products = Json::array();
  for (const v1::MeasuredRate& rate : report.machine.products()) {
    products.push_back({{"dtype", v1::Dtype::Code_Name(rate.dtype())},
                        {"operations_per_s", rate.operations_per_s()},
                        {"call", rate.call()}});
  }
  Json roofs = Json::object();
  for (const auto& [dtype, rate] : report.roofline.operations_per_s)
    roofs[v1::Dtype::Code_Name(dtype)] = rate;
  Json calls = Json::array(), steps = Json::array();
  for (const CallFigures& call : report.calls) calls.push_back(CallJson(call));
  for (const StepTime& step : report.steps) steps.push_back(StepJson(step));
  Json json = {
      {"run_id", report.run_id},
      {"chip", report.chip},
      {"machine",
       {{"processor", PrintableText(report.machine.processor())},
        {"copy_bytes_per_s", report.machine.copy_bytes_per_s()},
        {"products", products},
        {"launch_us", report.machine.launch_us()},
        {"state", std::vector<std::string>(report.machine.state().begin(), report.machine.state().end())}}},
      {"roofline",
       {{"source", PrintableText(report.roofline.source)},
        {"bytes_per_s", report.roofline.bytes_per_s},
        {"operations_per_s", roofs}}},
      {"reference", report.reference},
      {"noise", report.noise},
      {"samples", report.samples},
      {"disturbed", report.disturbed},
      {"calls", calls},
      {"steps", steps}};
  if (comparison != nullptr) json["comparison"] = ComparisonJson(*comparison);
  return json;
}

}  // namespace diopi::reports
