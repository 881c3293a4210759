// Sentences are translated as a whole, with the counts put in ("one|many" where a plural changes them),
// because other languages do not build them from the same parts. Indicators come in the order of the lab's
// own list, and one that this suite cannot measure keeps its row.
#include "reports/evaluation/summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/outcome.h"
#include "proto/enum_name.h"
#include "reports/evaluation/figures.h"
#include "reports/evaluation/performance_blocks.h"
#include "reports/evaluation/specification.h"
#include "reports/render/measurements.h"
#include "reports/render/run_document.h"

namespace diopi::reports {
namespace {

std::vector<std::string> ReadyModels(const std::vector<ModelResult>& models) {
  std::vector<std::string> ready;
  for (const ModelResult& model : models) {
    if (model.cell.ready()) ready.push_back(model.name);
  }
  return ready;
}

// Those that pass with calls made smaller: "resnet50 (120 of 160 calls were scaled to 16 KiB a tensor)".
std::vector<std::string> ScaledModels(const std::vector<ModelResult>& models, const Translator& t) {
  std::vector<std::string> scaled;
  for (const ModelResult& model : models) {
    if (model.cell.passes_scaled())
      scaled.push_back(absl::StrCat(model.name, t(" ($0)", ScaledText(model.cell, t))));
  }
  return scaled;
}

std::string Completeness(const RunReport& report, const Translator& t) {
  if (!report.partial.empty())
    return t("Partial: $0. This report does not represent the chip.", PartialReason(report, t));
  return t("Complete: all $0 cases of suite core have a verdict.", report.cases);
}

std::string FunctionsSentence(const v1::Coverage& coverage, const Translator& t) {
  return t(
      "The ABI has $0 functions. The library exports $1 of them; $2 were tested, and $3 gave a correct "
      "result in every case.",
      coverage.abi_functions(), coverage.implemented(), coverage.tested(), coverage.passing());
}

std::string CallsSentence(const RunReport& report, const Translator& t) {
  const v1::Correctness& correctness = report.correctness;
  if (correctness.called() == 0) return t("No case was called, so nothing is known about the results.");
  if (correctness.passed() == correctness.called())
    return t("The only case called gave a correct result.|All $0 cases called gave correct results.",
             correctness.called());
  return t("$1 of $0 called cases gave correct results ($2).", correctness.called(), correctness.passed(),
           Percent(correctness.passed(), correctness.called()));
}

std::string CausesSentence(const RunReport& report, const Translator& t) {
  return t(
      "The others have $0 cause or symptom; section 4.4 lists it.|The others have $0 causes or symptoms; "
      "section 4.4 lists them.",
      std::ssize(report.failures));
}

std::string ModelsSentence(const std::vector<ModelResult>& models, const Translator& t) {
  if (models.empty()) return t("No model's calls were tested.");
  const std::vector<std::string> ready = ReadyModels(models);
  std::string text = ready.empty() ? t("Ready for none of $0 models.", models.size())
                                   : t("Ready for $0 of $1 models: $2.", ready.size(), models.size(),
                                       absl::StrJoin(ready, t.Separator()));
  const std::vector<std::string> scaled = ScaledModels(models, t);
  if (!scaled.empty()) {
    absl::StrAppend(&text, t(" All calls of these pass, but not at their true sizes: $0.",
                             absl::StrJoin(scaled, t.Separator())));
  }
  return text;
}

// What decides how a buyer reads the rest.
Text Headline(const Evaluation& evaluation, const Translator& t) {
  const RunReport& report = evaluation.input.report;
  const v1::Coverage& coverage = report.coverage;
  const int64_t wrong = coverage.tested() - coverage.passing();
  if (coverage.tested() == 0) return {t("No verdict: nothing was tested."), Tone::kMuted};
  if (wrong > 0) return {t("Fails: $0 of $1 tested functions.", wrong, coverage.tested()), Tone::kBad};
  if (!report.partial.empty())
    return {t("Passes so far: the only tested function.|Passes so far: each of the $0 tested functions.",
              coverage.tested()),
            Tone::kWarn};
  return {t("Passes: the only tested function.|Passes: each of the $0 tested functions.", coverage.tested()),
          Tone::kGood};
}

// Only the models that are not ready: the cover names the others, and section 4.6 has the figures of all.
Table ModelTable(const Evaluation& evaluation, const Translator& t) {
  const std::vector<ModelResult>& models = evaluation.input.models;
  Table table{{{t("Model")}, {t("What the chip lacks for the model")}},
              {},
              models.empty() ? t("Not measured: no run has the suite of a model.")
                             : t("Nothing: the chip is ready for every model that it ran.")};
  for (const auto& [name, cell] : models) {
    if (cell.ready()) continue;
    const Text between = cell.passes_scaled()
                             ? Text{ScaledText(cell, t), Tone::kWarn}
                             : Text{Or(WhatStandsBetween(cell, t), t("not all judged")), Tone::kBad};
    table.rows.push_back({{name, Tone::kPlain, true}, between});
  }
  return table;
}

Bars CoverageBars(const Evaluation& evaluation, const Translator& t) {
  Bars bars{t("Functions of each family of operators that have cases."), {}};
  for (const GroupCoverage& family : evaluation.families) {
    bars.rows.push_back({family.name,
                         {{t("every case passes"), family.passing, Tone::kGood},
                          {t("a case fails"), family.tested - family.passing, Tone::kBad},
                          {t("not tested"), family.in_suite - family.tested, Tone::kMuted}},
                         t("$0 of $1", family.passing, family.in_suite)});
  }
  return bars;
}

std::vector<std::string> BinNames(const std::vector<ErrorBin>& bins, const Translator& t) {
  std::vector<std::string> names;
  names.reserve(bins.size());
  for (const ErrorBin& bin : bins) {
    names.push_back(bin.up_to == 0          ? t("none")
                    : std::isinf(bin.up_to) ? t("more")
                                            : absl::StrCat("≤ ", bin.up_to));
  }
  return names;
}

// Histograms of the errors in one unit, without rows where no case has any.
Histograms ErrorHistograms(const std::vector<DtypeErrors>& errors, std::vector<ErrorBin> DtypeErrors::*unit,
                           const Translator& t) {
  Histograms histograms;
  histograms.series = {{t("pass"), 0, Tone::kGood}, {t("fail"), 0, Tone::kBad}};
  for (const DtypeErrors& of_dtype : errors) {
    const std::vector<ErrorBin>& bins = of_dtype.*unit;
    if (bins.empty()) continue;
    histograms.bins = BinNames(bins, t);
    HistogramRow& row = histograms.rows.emplace_back();
    row.label = v1::Dtype::Code_Name(of_dtype.dtype);
    row.counts.resize(histograms.series.size());
    for (const ErrorBin& bin : bins) {
      row.counts[0].push_back(bin.passed);
      row.counts[1].push_back(bin.failed);
    }
  }
  return histograms;
}

void AddErrors(const Evaluation& evaluation, const Translator& t, std::vector<Block>* blocks) {
  std::string without;
  if (!evaluation.without_error.empty()) {
    std::vector<std::string> counts;
    int64_t all = 0;
    for (const auto& [outcome, count] : evaluation.without_error) {
      counts.push_back(absl::StrCat(count, " ", OutcomeName(outcome)));
      all += count;
    }
    without = t(
        "$0 failure has no error and is in no chart ($1): the call gave no result, or what was wrong is no "
        "distance between numbers, such as a shape, an index, NaN, or a write out of bounds.|$0 failures "
        "have no error and are in no chart ($1): the calls gave no result, or what was wrong is no distance "
        "between numbers, such as a shape, an index, NaN, or a write out of bounds.",
        all, absl::StrJoin(counts, t.Separator()));
  }
  Histograms ulp = ErrorHistograms(evaluation.errors, &DtypeErrors::ulp, t);
  Histograms z = ErrorHistograms(evaluation.errors, &DtypeErrors::z, t);
  if (ulp.rows.empty() && z.rows.empty() && without.empty()) return;
  ulp.caption =
      t("Cases by their largest error, in units in the last place (ulp) of the output's dtype, each dtype on "
        "its own scale. How large an error may be depends on the operation: the tolerance decides, not this "
        "figure.");
  ulp.bins_label = t("largest error of a case, ulp");
  z.caption =
      t("The same where an oracle gives the noise of the formula: the largest error in units of that noise "
        "(z). One correct rounding alone reaches 1.7; about 8 or more is wrong.");
  z.bins_label = t("largest error of a case, z");
  blocks->emplace_back(Heading{3, t("Errors by dtype")});
  for (Histograms* histograms : {&ulp, &z}) {
    if (!histograms->rows.empty()) blocks->emplace_back(std::move(*histograms));
  }
  if (!without.empty()) blocks->emplace_back(Paragraph{without});
}

// The slowest operators beside the reference: section 5.5 has all.
Bars TimeBars(const Evaluation& evaluation, const Translator& t) {
  constexpr size_t kShown = 20;
  const v1::RunOptions& reference = evaluation.input.reference->run.options();
  const std::string chip = Or(reference.chip(), t("a chip without a name"));
  std::vector<OperatorTime> times = evaluation.times;
  std::stable_sort(times.begin(), times.end(),
                   [](const OperatorTime& a, const OperatorTime& b) { return a.ratio > b.ratio; });
  Bars bars{t("Time of a call over that on $0, by operator.", chip), {}};
  if (times.size() > kShown) {
    // The reference run comes after the four parts on measured calls, if there are any.
    bars.caption = t("Time of a call over that on $0: the $1 slowest of $2 operators. Section $3 has all.",
                     chip, kShown, times.size(), evaluation.input.performance.has_value() ? "5.5" : "5.1");
    times.resize(kShown);
  }
  for (const OperatorTime& time : times) {
    constexpr double kStep = 0.01;  // of a bar's length
    bars.rows.push_back({time.op,
                         {{"", std::llround(time.ratio / kStep), Tone::kPlain}},
                         absl::StrFormat("%.2f", time.ratio)});
  }
  return bars;
}

Text OperatorsPassing(const Evaluation& evaluation, const Translator& t) {
  int64_t called = 0;
  int64_t passing = 0;
  for (const OperatorResult& result : evaluation.operators) {
    if (result.called == 0 || result.family.empty()) continue;
    ++called;
    if (result.passed == result.called) ++passing;
  }
  return OutOf(passing, called, t);
}

Text TimeText(const Evaluation& evaluation, const Translator& t) {
  if (evaluation.times.empty()) return NotMeasured(t);
  const auto by_ratio = [](const OperatorTime& a, const OperatorTime& b) { return a.ratio < b.ratio; };
  const auto [best, worst] = std::minmax_element(evaluation.times.begin(), evaluation.times.end(), by_ratio);
  return {t("$0 ($1) to $2 ($3), $4 operators", absl::StrFormat("%.2f", best->ratio), best->op,
            absl::StrFormat("%.2f", worst->ratio), worst->op, evaluation.times.size())};
}

// The rows of one area.
class Area {
 public:
  Area(Table* table, std::string name) : table_(table), name_(std::move(name)) {}
  void operator()(const std::string& indicator, Text figure) const {
    table_->rows.push_back({{name_}, {indicator}, std::move(figure)});
  }

 private:
  Table* const table_;
  const std::string name_;
};

void FunctionIndicators(const Evaluation& evaluation, const Translator& t, const Area& add) {
  const RunReport& report = evaluation.input.report;
  const std::vector<ModelResult>& models = evaluation.input.models;
  const v1::Coverage& coverage = report.coverage;
  add(t("Functions that pass, of the ABI's"), OutOf(coverage.passing(), coverage.abi_functions(), t));
  add(t("Functions that pass every case, of those tested"), OutOf(coverage.passing(), coverage.tested(), t));
  add(t("Cases called, of those asked"), OutOf(report.correctness.called(), report.correctness.asked(), t));
  add(t("Called cases that pass"), OutOf(report.correctness.passed(), report.correctness.called(), t));
  add(t("Operators that pass every called case"), OperatorsPassing(evaluation, t));
  const auto waived = report.outcomes.find(v1::OUTCOME_WAIVED);
  add(t("Waivers in force"), {absl::StrCat(waived == report.outcomes.end() ? 0 : waived->second)});
  add(t("Grade against $0, cases", DeviceReference(report, t)),
      evaluation.grades.graded() > 0 ? Text{GradeText(evaluation.grades)} : NotMeasured(t));
  add(t("Models"), models.empty() ? NotMeasured(t, t("no run has the suite of a model"))
                                  : Text{t("$0 of $1 ready", ReadyModels(models).size(), models.size())});
}

void PerformanceIndicators(const Evaluation& evaluation, const Translator& t, const Area& add) {
  const std::optional<PerformanceReport>& performance = evaluation.input.performance;
  add(t("Operators: time of a call over the reference's"), TimeText(evaluation, t));
  add(t("Operators: calls measured"), performance.has_value()
                                          ? OutOf(performance->measured(), std::ssize(performance->calls), t)
                                          : NotMeasured(t));
  bool measured = false;
  for (const v1::StepTotal& step :
       performance.has_value() ? performance->steps : std::vector<v1::StepTotal>()) {
    if (step.measured() == 0) continue;
    measured = true;
    add(t("Model $0, $1", step.model(), step.stage()),
        IsComplete(step) ? Text{t("$0 ms a step", absl::StrFormat("%.4g", step.us() * 1e-3))}
                         : NotMeasured(t, t("$0 of $1 calls measured", step.measured(), step.calls())));
  }
  if (!measured) add(t("Models"), NotMeasured(t));
  add(t("Communication"), NotMeasured(t, t("this suite calls one device")));
}

}  // namespace

std::vector<Block> CoverBlocks(const Evaluation& evaluation, const Translator& t) {
  const EvaluationInput& input = evaluation.input;
  const RunReport& report = input.report;
  const v1::RunOptions& options = report.run.options();
  const Text headline = Headline(evaluation, t);
  const bool others = report.correctness.passed() < report.correctness.called() && !report.failures.empty();
  std::vector<Block> blocks = {
      Note{headline.text, headline.tone},
      Note{Completeness(report, t), report.partial.empty() ? Tone::kPlain : Tone::kWarn},
      Paragraph{FunctionsSentence(report.coverage, t)},
      Paragraph{t("Called: $0.", CalledText(report, t))},
      Paragraph{CallsSentence(report, t)},
  };
  if (others) blocks.emplace_back(Paragraph{CausesSentence(report, t)});
  blocks.emplace_back(Paragraph{ModelsSentence(input.models, t)});
  Facts facts;
  const Publication& publication = input.publication;
  for (const auto& [name, value] :
       {std::pair(t("Lab"), publication.lab), std::pair(t("Author"), publication.author),
        std::pair(t("Version of this report"), publication.version)}) {
    if (!value.empty()) facts.rows.push_back({name, {value}});
  }
  facts.rows.push_back({t("Report generated"), {t.Time(input.generated)}});
  facts.rows.push_back({t("Chip"), {Or(options.chip(), t("no name was given"))}});
  facts.rows.push_back({t("Library"),
                        {absl::StrCat(Or(options.vendor_name(), t("no vendor name")), ", ",
                                      Or(options.impl_version(), t("no version")))}});
  facts.rows.push_back({t("Run"),
                        {absl::StrCat(report.run.run_id(), ", ", EnumName(report.run.state()), ", ",
                                      t.Time(report.run.created()))}});
  blocks.emplace_back(std::move(facts));
  return blocks;
}

std::vector<Block> SummaryBlocks(const Evaluation& evaluation, const Translator& t) {
  std::vector<Block> blocks = {
      FigureTiles(evaluation.input.report, t), Heading{3, t("Models")},     ModelTable(evaluation, t),
      Heading{3, t("Coverage by family")},     CoverageBars(evaluation, t),
  };
  AddErrors(evaluation, t, &blocks);
  const std::optional<PerformanceReport>& performance = evaluation.input.performance;
  if (performance.has_value() || !evaluation.times.empty()) blocks.emplace_back(Heading{3, t("Performance")});
  if (performance.has_value()) blocks.emplace_back(RooflineChart(*performance, t));
  if (!evaluation.times.empty()) blocks.emplace_back(TimeBars(evaluation, t));
  return blocks;
}

Table Indicators(const Evaluation& evaluation, const Translator& t) {
  const v1::ChipSpec spec = evaluation.input.spec.value_or(v1::ChipSpec());
  const v1::Coverage& coverage = evaluation.input.report.coverage;
  Table table{{{t("Area")}, {t("Indicator")}, {t("Figure")}}, {}, ""};
  const Area specification(&table, t("Specification"));
  specification(t("Compute"), ComputeFigure(spec, t));
  specification(t("Memory"), MemoryFigure(spec, t));
  specification(t("Communication bandwidth"), InterconnectFigure(spec, t));
  specification(t("Energy efficiency"), EfficiencyFigure(spec, t));
  const Area software(&table, t("Software"));
  software(t("Software stack: functions of the ABI exported"),
           OutOf(coverage.implemented(), coverage.abi_functions(), t));
  software(t("Software stack: functions tested, of those that have cases"),
           OutOf(coverage.tested(), coverage.with_cases(), t));
  software(t("Openness to other programming models"),
           NotMeasured(t, t("this suite calls the DIOPI ABI only")));
  FunctionIndicators(evaluation, t, Area(&table, t("Function")));
  PerformanceIndicators(evaluation, t, Area(&table, t("Performance")));
  return table;
}

}  // namespace diopi::reports
