// Nothing is computed here except units and rounding: performance.cc decides which figures exist. A figure
// that does not exist is an empty cell, never 0, and the last column says why a call has no time.
#include "reports/render/performance.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/text.h"

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

std::string StepOperatorsText(const v1::StepTotal& step, const Translator& t) {
  std::vector<std::string> parts;
  for (const v1::OperatorTime& part : step.operators_us()) {
    if (parts.size() == kStepOperators) break;
    parts.push_back(
        absl::StrFormat("%s %.0f %%", part.operator_(), part.us() / std::max(step.us(), 1e-9) * kHundred));
  }
  return absl::StrJoin(parts, t.Separator());
}

v1::Interval IntervalOf(const MedianInterval& us) {
  v1::Interval interval;
  interval.set_median(us.median);
  interval.set_low(us.low);
  interval.set_high(us.high);
  return interval;
}

v1::CallTimes TimesOf(const CallFigures& call) {
  const v1::Measurement& m = call.measurement;
  v1::CallTimes times;
  times.set_clock(m.device_clock() ? v1::CALL_CLOCK_DEVICE : v1::CALL_CLOCK_HOST);
  *times.mutable_us() = IntervalOf(call.warm_us);
  if (call.cold_us.has_value()) times.set_cold_us(*call.cold_us);
  times.set_first_us(m.first_us());
  times.set_submit_us(m.submit_us());
  for (const double us : RoundMedians(m)) times.add_round_medians_us(us);
  times.set_disturbed(call.disturbed);
  if (call.bytes_per_s.has_value()) times.set_bytes_per_s(*call.bytes_per_s);
  if (call.operations_per_s.has_value()) times.set_operations_per_s(*call.operations_per_s);
  if (call.roofline_share.has_value()) times.set_roofline_share(*call.roofline_share);
  times.set_bound(call.memory_bound ? v1::CALL_BOUND_MEMORY : v1::CALL_BOUND_COMPUTE);
  if (call.reference_us.has_value()) times.set_reference_us(*call.reference_us);
  if (call.score().has_value()) times.set_score(*call.score());
  return times;
}

v1::Call CallOf(const CallFigures& call) {
  const v1::Measurement& m = call.measurement;
  v1::Call shown;
  shown.set_case_(m.case_id());
  shown.set_judged_case(m.judged_case());
  shown.set_function(m.function());
  shown.set_dtype(m.dtype());
  shown.set_shapes(m.shapes());
  shown.set_kernel(m.kernel());
  shown.set_read_bytes(m.work().read_bytes());
  shown.set_written_bytes(m.work().written_bytes());
  shown.set_operations(m.work().operations());
  if (call.measured()) {
    *shown.mutable_times() = TimesOf(call);
  } else {
    *shown.mutable_not_measured_found() = m.refused();
    shown.set_not_measured(PrintableText(FindingText(m.refused())));
  }
  return shown;
}

v1::PerformanceComparison ComparisonOf(const Comparison& comparison) {
  v1::PerformanceComparison shown;
  shown.set_against(comparison.against);
  shown.set_shared(comparison.shared);
  shown.set_noise(comparison.noise);
  shown.set_factor(comparison.factor);
  for (std::string& function : comparison.Functions(CallComparison::Change::kSlower))
    shown.add_slower(std::move(function));
  for (std::string& function : comparison.Functions(CallComparison::Change::kFaster))
    shown.add_faster(std::move(function));
  for (const CallComparison& call : comparison.calls) {
    v1::CallChange& change = *shown.add_calls();
    change.set_case_(call.after.case_id());
    change.set_function(call.after.function());
    *change.mutable_before_us() = IntervalOf(call.before_us);
    *change.mutable_after_us() = IntervalOf(call.after_us);
    change.set_ratio(call.ratio);
    change.set_low(call.low);
    change.set_high(call.high);
    change.set_p(call.p);
    change.set_change(ChangeName(call.change));
  }
  return shown;
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
         RoundedFigure(call.score()), measured ? "" : PrintableText(FindingText(m.refused()))}));
  }
  return table;
}

Table StepsTable(const PerformanceReport& report, const Translator& t) {
  Table table;
  table.columns = {{"model"},      {"stage"},          {"ms", true},         {"low", true},
                   {"high", true}, {"measured", true}, {"operators by time"}};
  table.empty = t("The run's suite has no model whose steps are known.");
  for (const v1::StepTotal& step : report.steps) {
    const bool complete = IsComplete(step);
    const std::string none = report.too_noisy() ? t("too noisy") : "";
    table.rows.push_back(
        CellsOf({step.model(), step.stage(), complete ? RoundedFigure(step.us() * 1e-3) : none,
                 complete ? RoundedFigure(step.low_us() * 1e-3) : "",
                 complete ? RoundedFigure(step.high_us() * 1e-3) : "",
                 t("$0 of $1", step.measured(), step.calls()), StepOperatorsText(step, t)}));
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
  for (const v1::Finding& state : report.machine.state_found()) words.push_back(t(state) + ".");
  const std::string source = t(report.roofline.source);
  words.push_back(t("Roofline: $0.", source.empty() ? t("unknown") : source));
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
        t("Faster than the specification allows, with correct results: $0. The specification's rates "
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

v1::Performance PerformanceOf(const PerformanceReport& report, const Comparison* comparison) {
  v1::Performance page;
  page.set_run_id(report.run_id);
  page.set_chip(report.chip);
  *page.mutable_machine() = report.machine;
  page.mutable_machine()->set_processor(PrintableText(report.machine.processor()));
  for (const v1::Finding& state : report.machine.state_found())
    page.mutable_machine()->add_state(PrintableText(FindingText(state)));
  v1::Roofline& roofline = *page.mutable_roofline();
  *roofline.mutable_source_found() = report.roofline.source;
  roofline.set_source(PrintableText(FindingText(report.roofline.source)));
  roofline.set_bytes_per_s(report.roofline.bytes_per_s);
  for (const auto& [dtype, rate] : report.roofline.operations_per_s) {
    v1::DtypeRate& shown = *roofline.add_operations_per_s();
    shown.set_dtype(v1::Dtype::Code_Name(dtype));
    shown.set_operations_per_s(rate);
  }
  page.set_reference(report.reference);
  page.set_noise(report.noise);
  page.set_samples(report.samples);
  page.set_disturbed(report.disturbed);
  for (const CallFigures& call : report.calls) *page.add_calls() = CallOf(call);
  for (const v1::StepTotal& step : report.steps) *page.add_steps() = step;
  if (comparison != nullptr) *page.mutable_comparison() = ComparisonOf(*comparison);
  return page;
}

v1::MeasuredRun MeasuredRunOf(const server::RunFacts& run, const PerformanceReport& report) {
  v1::MeasuredRun shown;
  shown.set_run_id(run.run_id);
  shown.set_created(run.created);
  shown.set_vendor_name(run.vendor_name);
  shown.set_impl_version(run.impl_version);
  shown.set_impl_sha256(run.impl_sha256);
  shown.set_calls(static_cast<int64_t>(report.calls.size()));
  shown.set_measured(report.measured());
  for (const v1::StepTotal& step : report.steps) *shown.add_steps() = step;
  return shown;
}

}  // namespace diopi::reports
