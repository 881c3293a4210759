// The sections of an evaluation report, in the order in which labs publish them.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "proto/enum_name.h"
#include "reports/document/escape.h"
#include "reports/evaluation/evaluation.h"
#include "reports/evaluation/performance_blocks.h"
#include "reports/model/outcome.h"
#include "reports/model/run_summary.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"
#include "reports/render/run_document.h"

namespace diopi::reports {
namespace {

Text Count(int64_t count) {
  return {absl::StrCat(count)};
}

Text Number(double value) {
  return {absl::StrFormat("%.6g", value)};
}

const std::string& Or(const std::string& text, const std::string& otherwise) {
  return text.empty() ? otherwise : text;
}

std::string GradeText(const Grades& grades) {
  return absl::StrFormat("A %d, B %d, C %d, D %d", grades.counts[0], grades.counts[1], grades.counts[2],
                         grades.counts[3]);
}

class Writer {
 public:
  Writer(const Evaluation& evaluation, Language language)
      : evaluation_(evaluation),
        report_(evaluation.input.report),
        options_(report_.run.options()),
        t_(language) {
    document_.language = language;
  }

  Document Write() {
    document_.title = t_("Evaluation of $0", ChipName());
    document_.subtitle = t_("DIOPI operator conformance");
    document_.has_cover = true;
    Cover();
    Environment();
    Specification();
    Software();
    Functional();
    Performance();
    Conclusions();
    Appendix();
    document_.footer =
        t_("Made by diopi-cli $0, $1, from run $2. Only measured figures are scored.",
           evaluation_.input.tool_version, t_.Time(evaluation_.input.generated), report_.run.run_id());
    return std::move(document_);
  }

 private:
  void Add(Block block) { document_.blocks.push_back(std::move(block)); }
  void Section(const std::string& text, bool new_page = false) { Add(Heading{2, text, new_page}); }
  void Section(int number, const std::string& text, bool new_page = false) {
    Section(absl::StrCat(number, " ", text), new_page);
  }
  void Part(const char* number, const std::string& text) { Add(Heading{3, absl::StrCat(number, " ", text)}); }

  Text NotMeasured(const std::string& why = "") const {
    return {why.empty() ? t_("not measured") : t_("not measured: $0", why), Tone::kMuted};
  }

  // "12 of 40 (30.00 %)"; "not measured" when `whole` is 0.
  Text OutOf(int64_t part, int64_t whole) const {
    if (whole == 0) return NotMeasured();
    return {t_("$0 of $1 ($2)", part, whole, Percent(part, whole))};
  }

  Text Rate(int64_t part, int64_t whole) const {
    if (whole == 0) return NotMeasured();
    Text text{Percent(part, whole), part == whole ? Tone::kGood : Tone::kBad};
    text.share = static_cast<double>(part) / static_cast<double>(whole);
    return text;
  }

  std::string ChipName() const {
    const std::optional<v1::ChipSpec>& spec = evaluation_.input.spec;
    if (spec.has_value() && !spec->product().empty()) return spec->product();
    return Or(options_.chip(), t_("a chip without a name"));
  }

  void Cover() {
    const Coverage& coverage = report_.coverage;
    document_.cover.rows = {
        {t_("Chip"), {Or(options_.chip(), t_("no name was given"))}},
        {t_("Library"),
         {absl::StrCat(Or(options_.vendor_name(), t_("no vendor name")), ", ",
                       Or(options_.impl_version(), t_("no version")))}},
        {t_("Functions that pass"), OutOf(coverage.passing, coverage.abi_functions)},
        {t_("Functions exported"), OutOf(coverage.implemented, coverage.abi_functions)},
        {t_("Functions tested, of those that have cases"), OutOf(coverage.tested, coverage.with_cases)},
        {t_("Called cases that pass"), OutOf(report_.correctness.passed, report_.correctness.called)},
        {t_("Cases judged"), {JudgedText(report_, t_)}},
        {t_("Run"),
         {absl::StrCat(report_.run.run_id(), ", ", EnumName(report_.run.state()), ", ",
                       t_.Time(report_.run.created()))}},
        {t_("Report made"), {t_.Time(evaluation_.input.generated)}},
    };
    if (!report_.partial.empty()) {
      document_.cover.rows.insert(
          document_.cover.rows.begin(),
          {t_("Partial run"),
           {t_("$0: this report does not stand for the chip", PartialReason(report_, t_)), Tone::kWarn}});
    }
  }

  void Environment() {
    Section(1, t_("Environment and provenance"), true);
    Part("1.1", t_("Library and machine"));
    Add(LibraryFacts(report_, t_));
    Part("1.2", t_("How it was tested"));
    Facts facts;
    facts.rows = {
        {t_("Cases selected"), {SelectionText(options_.selection(), t_)}},
        {t_("Cases"),
         {report_.missing == 0 ? t_("$0, each with a verdict", report_.cases)
                               : t_("$0, of these $1 not run yet", report_.cases, report_.missing)}},
        {t_("Calls of each case"), {absl::StrCat(options_.repeat())}},
        {t_("Time a case may take"), {absl::StrFormat("%.6g s", options_.timeout_s())}},
        {t_("Order"),
         {options_.shuffle_seed() == 0 ? t_("the suite's")
                                       : t_("shuffled, seed $0", options_.shuffle_seed())}},
        {t_("Sandbox"),
         options_.sandbox().empty() ? Text{t_("not recorded"), Tone::kMuted} : Text{options_.sandbox()}},
    };
    if (options_.shard_count() > 0) {
      facts.rows.push_back({t_("Shard"), {t_("$0 of $1", options_.shard_index(), options_.shard_count())}});
    }
    Add(std::move(facts));
    if (report_.run.state() != v1::RUN_STATE_FINISHED) {
      Add(Note{t_("This run is $0: the figures cover the verdicts so far.",
                  std::string(EnumName(report_.run.state()))),
               Tone::kWarn});
    }
  }

  void Specification() {
    Section(2, t_("Technical specification"), evaluation_.input.spec.has_value());
    const std::optional<v1::ChipSpec>& spec = evaluation_.input.spec;
    if (!spec.has_value()) {
      Add(Note{
          t_("Not measured: no specification was submitted. diopi-cli evaluate --spec-template prints the "
             "file to fill in."),
          Tone::kMuted});
      return;
    }
    Add(Paragraph{
        t_("As submitted by the lab, each figure with its source. Nothing in this section was measured by "
           "this suite.")});
    Facts facts;
    facts.rows = {
        {t_("Product"), spec->product().empty() ? NotMeasured(t_("not submitted")) : Text{spec->product()}},
        {t_("Maker"), spec->maker().empty() ? NotMeasured(t_("not submitted")) : Text{spec->maker()}}};
    Add(std::move(facts));
    Compute(*spec);
    Memory(*spec);
    Part("2.4", t_("Further notes"));
    Table notes{{{t_("Item")}, {t_("Text")}, {t_("Source")}}, {}, t_("None submitted.")};
    for (const v1::SpecNote& note : spec->note())
      notes.rows.push_back({{note.item()}, {note.text()}, {note.source()}});
    Add(std::move(notes));
  }

  void Compute(const v1::ChipSpec& spec) {
    Part("2.1", t_("Compute by dtype"));
    Table table{
        {{t_("Dtype")}, {t_("Peak, 10^12 op/s"), true}, {t_("Sparsity")}, {t_("Source")}, {t_("Note")}},
        {},
        t_("Not measured: none submitted.")};
    for (const v1::ComputeSpec& compute : spec.compute()) {
      table.rows.push_back({{compute.dtype(), Tone::kPlain, true},
                            Number(compute.tera_ops()),
                            {compute.sparse() ? t_("structured") : t_("none")},
                            {compute.source()},
                            {compute.note()}});
    }
    Add(std::move(table));
  }

  void Memory(const v1::ChipSpec& spec) {
    Part("2.2", t_("Memory and interconnect"));
    Table table{{{t_("What")},
                 {t_("Capacity, GiB"), true},
                 {t_("Bandwidth, GB/s"), true},
                 {t_("Source")},
                 {t_("Note")}},
                {},
                t_("Not measured: none submitted.")};
    if (spec.has_memory()) {
      table.rows.push_back({{t_("Memory, $0", spec.memory().type())},
                            Number(spec.memory().capacity_gib()),
                            Number(spec.memory().bandwidth_gb_s()),
                            {spec.memory().source()},
                            {spec.memory().note()}});
    }
    for (const v1::InterconnectSpec& link : spec.interconnect()) {
      table.rows.push_back({{link.name()},
                            {""},
                            {absl::StrFormat("%.6g%s%s", link.bandwidth_gb_s(),
                                             link.direction().empty() ? "" : ", ", link.direction())},
                            {link.source()},
                            {link.note()}});
    }
    Add(std::move(table));
    Part("2.3", t_("Power"));
    Table power{{{t_("What")}, {t_("Watts"), true}, {t_("Source")}, {t_("Note")}},
                {},
                t_("Not measured: none submitted.")};
    if (spec.has_power()) {
      power.rows.push_back({{t_("Board limit")},
                            Number(spec.power().board_w()),
                            {spec.power().source()},
                            {spec.power().note()}});
    }
    Add(std::move(power));
  }

  Table CoverageTable(const std::string& what, const std::vector<GroupCoverage>& groups) const {
    Table table{{{what},
                 {t_("Functions"), true},
                 {t_("Exported"), true},
                 {t_("With cases"), true},
                 {t_("Tested"), true},
                 {t_("Passing"), true},
                 {t_("Passing of tested"), true}},
                {},
                t_("None.")};
    for (const GroupCoverage& group : groups) {
      table.rows.push_back({{group.name, Tone::kPlain, true},
                            Count(group.functions),
                            Count(group.implemented),
                            Count(group.in_suite),
                            group.tested == 0 ? NotMeasured() : Count(group.tested),
                            group.tested == 0 ? NotMeasured() : Count(group.passing),
                            Rate(group.passing, group.tested)});
    }
    return table;
  }

  void Software() {
    Section(3, t_("Software ecosystem"), evaluation_.input.spec.has_value());
    Part("3.1", t_("Versions and dialect"));
    Facts facts;
    facts.rows = {
        {t_("Vendor library"), {Or(options_.vendor_name(), t_("gives no name"))}},
        {t_("Version"), {Or(options_.impl_version(), t_("gives no version"))}},
        {t_("Device functions"), {Or(options_.dialect(), t_("not recorded"))}},
        {t_("Declared contracts"), {BadgeText(report_, t_)}},
        {t_("Tested with"), {absl::StrCat("diopi-agent ", options_.agent_version())}},
    };
    for (const std::string& line : EnvironmentLines(options_))
      facts.rows.push_back({t_("Environment"), {line, Tone::kPlain, true}});
    for (const std::string& line : LabelLines(options_))
      facts.rows.push_back({t_("Label"), {line, Tone::kPlain, true}});
    Add(std::move(facts));
    Part("3.2", t_("Coverage of the ABI by header"));
    Add(Paragraph{
        t_("Exported: the library exports the function and does not answer every call with NoImplement. With "
           "cases: this suite has cases for the function; functions without cases were not tested.")});
    Add(CoverageTable(t_("Header"), evaluation_.headers));
    Part("3.3", t_("Coverage of the suite by family of operators"));
    Add(CoverageTable(t_("Family"), evaluation_.families));
  }

  void Functional() {
    Section(4, t_("Functional test"), true);
    Part("4.1", t_("Summary"));
    for (Block& block : PartialNote(report_, t_)) Add(std::move(block));
    Add(FigureTiles(report_, t_));
    Add(OutcomeBar(report_, t_));
    Outcomes();
    Add(Paragraph{t_("The public harness's rule would decide $0. It never decides here.",
                     PublicRuleText(report_, t_))});
    if (report_.widened > 0) {
      Add(Note{t_("The declared contracts ($0) widened the tolerance of $1 verdicts.", BadgeText(report_, t_),
                  report_.widened),
               Tone::kWarn});
    }
    Part("4.2", t_("Operators"));
    Operators();
    GradeSection();
    Issues();
    Waivers();
    Part("4.6", t_("Models"));
    Models();
  }

  std::string Meaning(v1::Outcome outcome) const {
    switch (outcome) {
      case v1::OUTCOME_PASS:
        return t_("correct within the tolerance");
      case v1::OUTCOME_FAIL:
        return t_("wrong numbers, shape or dtype");
      case v1::OUTCOME_ERROR:
        return t_("the call returned an error");
      case v1::OUTCOME_CRASH:
        return t_("the process ended during the call");
      case v1::OUTCOME_TIMEOUT:
        return t_("the call did not return in time");
      case v1::OUTCOME_MEMORY:
        return t_("out of bounds, unwritten output or changed input");
      case v1::OUTCOME_NONDETERMINISTIC:
        return t_("two calls differ");
      case v1::OUTCOME_NOT_IMPLEMENTED:
        return t_("the library has no such function");
      case v1::OUTCOME_UNSUPPORTED_DTYPE:
        return t_("the library refuses this dtype");
      case v1::OUTCOME_SKIPPED:
        return t_("not run");
      case v1::OUTCOME_WAIVED:
        return t_("fails, but a waiver accepts it");
      default:
        return t_("a defect of this suite, never the chip's");
    }
  }

  // What the outcomes of this run mean: their names are the same in every language.
  void Outcomes() {
    Table table{{{t_("Outcome")}, {t_("Cases"), true}, {t_("Meaning")}}, {}, t_("No case was run.")};
    for (const v1::Outcome outcome : OutcomeOrder()) {
      const auto count = report_.outcomes.find(outcome);
      if (count == report_.outcomes.end()) continue;
      table.rows.push_back(
          {{OutcomeName(outcome), ToneOf(outcome)}, Count(count->second), {Meaning(outcome)}});
    }
    Add(std::move(table));
  }

  void Models() {
    if (evaluation_.input.models.empty()) {
      Add(Paragraph{t_("Not measured: no run has the suite of a model.")});
      return;
    }
    Add(Paragraph{
        t_("The calls of each model, in the newest run of its whole suite. Ready: all of them pass. "
           "Scaled: calls whose sizes were reduced.")});
    Table table{{{t_("Model")},
                 {t_("Calls"), true},
                 {t_("Pass"), true},
                 {t_("Failed"), true},
                 {t_("Not impl."), true},
                 {t_("Not judged"), true},
                 {t_("Scaled"), true},
                 {t_("Result")}},
                {}};
    for (const auto& [name, cell] : evaluation_.input.models) {
      const bool ready = IsReady(cell);
      table.rows.push_back(
          {{name, Tone::kPlain, true},
           Count(cell.calls),
           Count(cell.passing),
           {absl::StrCat(cell.failing), cell.failing > 0 ? Tone::kBad : Tone::kMuted},
           {absl::StrCat(cell.not_implemented), cell.not_implemented > 0 ? Tone::kWarn : Tone::kMuted},
           {absl::StrCat(cell.not_judged), cell.not_judged > 0 ? Tone::kWarn : Tone::kMuted},
           Count(cell.scaled),
           {ready ? t_("ready") : MissingText(cell), ready ? Tone::kGood : Tone::kBad}});
    }
    Add(std::move(table));
  }

  // Why a model is not ready.
  std::string MissingText(const ModelCell& cell) const {
    return Or(WhatStandsBetween(cell, t_), t_("not all judged"));
  }

  Text ReadyText() const {
    const std::vector<ModelResult>& models = evaluation_.input.models;
    if (models.empty()) return NotMeasured(t_("no run has the suite of a model"));
    const auto ready = std::count_if(models.begin(), models.end(),
                                     [](const ModelResult& model) { return IsReady(model.cell); });
    return {t_("$0 of $1 ready", ready, models.size())};
  }

  void Operators() {
    const bool graded = evaluation_.grades.graded() > 0;
    Table table{{{t_("Operator")},
                 {t_("Family")},
                 {t_("Cases"), true},
                 {t_("Called"), true},
                 {t_("Pass"), true},
                 {t_("Failed"), true},
                 {t_("Not impl."), true},
                 {t_("Pass rate"), true}},
                {},
                t_("No case was run.")};
    if (graded) table.columns.push_back({t_("Grades")});
    for (const OperatorResult& result : evaluation_.operators) {
      table.rows.push_back(
          {{result.op, Tone::kPlain, true},
           {result.family.empty() ? "-" : result.family},
           Count(result.cases),
           Count(result.called),
           Count(result.passed),
           {absl::StrCat(result.failed), result.failed > 0 ? Tone::kBad : Tone::kMuted},
           {absl::StrCat(result.not_implemented), result.not_implemented > 0 ? Tone::kWarn : Tone::kMuted},
           Rate(result.passed, result.called)});
      if (graded) {
        table.rows.back().push_back(result.grades.graded() > 0 ? Text{GradeText(result.grades)}
                                                               : NotMeasured());
      }
    }
    Add(std::move(table));
  }

  void GradeSection() {
    Part("4.3", t_("Grade against $0", DeviceReference()));
    if (evaluation_.grades.graded() == 0) {
      Add(Paragraph{
          t_("Not measured: the baselines of this run have no output of a device to compare with.")});
      return;
    }
    Add(Paragraph{
        t_("A case's error (root mean square, against the float64 oracle) over the error of the device "
           "reference on the same case: A at most 1.25, B at most 2, C at most 8, D more. A grade never "
           "decides a verdict.")});
    Bar bar;
    const Tone tones[] = {Tone::kGood, Tone::kPlain, Tone::kWarn, Tone::kBad};
    for (size_t i = 0; i < evaluation_.grades.counts.size(); ++i)
      bar.parts.push_back(
          {std::string(1, static_cast<char>('A' + i)), evaluation_.grades.counts[i], tones[i]});
    Add(std::move(bar));
  }

  void Issues() {
    Part("4.4", t_("Known issues"));
    Add(Paragraph{
        t_("Failures with the same outcome and cause: the likely cause, or what was seen. The appendix "
           "has every case.")});
    Table table{{{t_("Operators")},
                 {t_("Outcome")},
                 {t_("Dtypes")},
                 {t_("Cases"), true},
                 {t_("Cause")},
                 {t_("For example")}},
                {},
                t_("None: no case failed.")};
    for (const FailureGroup& group : report_.failures) {
      table.rows.push_back({{OperatorsText(group, t_), Tone::kPlain, true},
                            {OutcomeName(group.outcome), Tone::kBad},
                            {DtypesText(group)},
                            Count(static_cast<int64_t>(group.cases.size())),
                            {OneLine(group.cause)},
                            {group.cases.front(), Tone::kPlain, true}});
    }
    Add(std::move(table));
  }

  void Waivers() {
    Part("4.5", t_("Waivers in force"));
    Table table{{{t_("Case")}, {t_("Reason")}}, {}, t_("None: no verdict of this run was waived.")};
    for (const v1::Verdict& verdict : report_.results) {
      if (verdict.outcome() == v1::OUTCOME_WAIVED)
        table.rows.push_back({{verdict.case_id(), Tone::kPlain, true}, {verdict.reason()}});
    }
    Add(std::move(table));
  }

  // Why there is nothing to compare the times with.
  std::string NoTimes() const {
    const std::optional<RunReport>& reference = evaluation_.input.reference;
    return reference.has_value()
               ? t_("run $0 has no case that passed in both runs and whose time was measured",
                    reference->run.run_id())
               : t_("no run of a reference chip was given to compare with");
  }

  bool HasPerformance() const {
    return evaluation_.input.performance.has_value() || !evaluation_.times.empty();
  }

  void Performance() {
    if (!HasPerformance()) {
      Add(Note{t_("The section Performance test is left out: no run measured this library's calls, and $0.",
                  NoTimes()),
               Tone::kMuted});
      return;
    }
    Section(5, t_("Performance test"), true);
    if (evaluation_.input.performance.has_value()) {
      for (Block& block : PerformanceBlocks(*evaluation_.input.performance, t_)) Add(std::move(block));
    }
    if (!evaluation_.times.empty()) ReferenceRun();
  }

  void ReferenceRun() {
    const RunReport& reference = *evaluation_.input.reference;
    Part("5.5", t_("Beside the reference run"));
    const v1::RunOptions& other = reference.run.options();
    Add(Paragraph{
        t_("Beside run $0 of $1 ($2 $3): the time of one synchronised call, launch included, of the cases "
           "that passed in both runs. The cases are made for correctness and most are small: the figures "
           "tell slow operators from others, and are no benchmark.",
           reference.run.run_id(), other.chip(), other.vendor_name(), other.impl_version())});
    Table table{{{t_("Operator")},
                 {t_("Cases"), true},
                 {t_("Chip, sum, us"), true},
                 {t_("Reference, sum, us"), true},
                 {t_("Time over the reference's"), true}},
                {},
                ""};
    for (const OperatorTime& time : evaluation_.times) {
      table.rows.push_back({{time.op, Tone::kPlain, true},
                            Count(time.cases),
                            {absl::StrFormat("%.1f", time.chip_us)},
                            {absl::StrFormat("%.1f", time.reference_us)},
                            {absl::StrFormat("%.2f", time.ratio)}});
    }
    Add(std::move(table));
    Add(Paragraph{t_("The last column is the geometric mean over the cases; below 1 the chip is faster.")});
  }

  // area, item, figure
  void Conclude(Table* table, const std::string& area, const std::string& item, Text figure) const {
    table->rows.push_back({{area}, {item}, std::move(figure)});
  }

  void ConcludeSpecification(Table* table) const {
    const std::string area = t_("Specification");
    const v1::ChipSpec spec = evaluation_.input.spec.value_or(v1::ChipSpec());
    const Text none = NotMeasured(t_("not submitted"));
    if (spec.compute_size() == 0) Conclude(table, area, t_("Compute"), none);
    for (const v1::ComputeSpec& row : spec.compute()) {
      Conclude(table, area,
               row.sparse() ? t_("Compute, $0, sparse", row.dtype()) : t_("Compute, $0", row.dtype()),
               {t_("$0 x 10^12 op/s (submitted)", row.tera_ops())});
    }
    Conclude(table, area, t_("Memory"),
             spec.has_memory() ? Text{t_("$0 GiB, $1 GB/s (submitted)", spec.memory().capacity_gib(),
                                         spec.memory().bandwidth_gb_s())}
                               : none);
    if (spec.interconnect_size() == 0) Conclude(table, area, t_("Interconnect"), none);
    for (const v1::InterconnectSpec& link : spec.interconnect()) {
      Conclude(table, area, t_("Interconnect, $0", link.name()),
               {t_("$0 GB/s (submitted)", link.bandwidth_gb_s())});
    }
    Conclude(table, area, t_("Power"),
             spec.has_power() ? Text{t_("$0 W (submitted)", spec.power().board_w())} : none);
  }

  void Conclusions() {
    Section(HasPerformance() ? 6 : 5, t_("Conclusions"), true);
    Add(Paragraph{
        t_("Coverage and correctness are two figures and must be read together. What was not submitted or "
           "not run has no score.")});
    Table table{{{t_("Area")}, {t_("Item")}, {t_("Figure")}}, {}, ""};
    ConcludeSpecification(&table);
    const Coverage& coverage = report_.coverage;
    Conclude(&table, t_("Function"), t_("Functions that pass, of the ABI's"),
             OutOf(coverage.passing, coverage.abi_functions));
    Conclude(&table, t_("Software"), t_("Functions of the ABI exported"),
             OutOf(coverage.implemented, coverage.abi_functions));
    Conclude(&table, t_("Software"), t_("Functions tested, of those that have cases"),
             OutOf(coverage.tested, coverage.with_cases));
    Conclude(&table, t_("Function"), t_("Functions that pass every case, of those tested"),
             OutOf(coverage.passing, coverage.tested));
    Conclude(&table, t_("Function"), t_("Called cases that pass"),
             OutOf(report_.correctness.passed, report_.correctness.called));
    Conclude(&table, t_("Function"), t_("Operators that pass every called case"), OperatorsPassing());
    Conclude(
        &table, t_("Function"), t_("Waivers in force"),
        Count(std::count_if(report_.results.begin(), report_.results.end(), [](const v1::Verdict& verdict) {
          return verdict.outcome() == v1::OUTCOME_WAIVED;
        })));
    Conclude(&table, t_("Function"), t_("Grade against $0, cases", DeviceReference()),
             evaluation_.grades.graded() > 0 ? Text{GradeText(evaluation_.grades)} : NotMeasured());
    Conclude(&table, t_("Function"), t_("Models"), ReadyText());
    Conclude(&table, t_("Performance"), t_("Time of a call over the reference's"), TimeText());
    ConcludePerformance(&table);
    Add(std::move(table));
  }

  void ConcludePerformance(Table* table) const {
    const std::optional<PerformanceReport>& performance = evaluation_.input.performance;
    const std::string area = t_("Performance");
    const std::string item = t_("Calls measured");
    if (!performance.has_value()) return Conclude(table, area, item, NotMeasured());
    Conclude(table, area, item,
             OutOf(performance->measured(), static_cast<int64_t>(performance->calls.size())));
    for (const StepTime& step : performance->steps) {
      if (step.measured == 0) continue;
      Conclude(table, area, step.stage.empty() ? step.model : t_("$0, $1", step.model, step.stage),
               {t_("$0 ms a step, $1 of $2 calls measured", absl::StrFormat("%.4g", step.us * 1e-3),
                   step.measured, step.calls)});
    }
  }

  // Labs compare with NVIDIA; where another device's outputs were used, names that device.
  std::string DeviceReference() const {
    const std::vector<std::string>& names = report_.device_references;
    return names.empty() ? "NVIDIA" : absl::StrJoin(names, t_(" and "));
  }

  Text OperatorsPassing() const {
    int64_t called = 0;
    int64_t passing = 0;
    for (const OperatorResult& result : evaluation_.operators) {
      if (result.called == 0 || result.family.empty()) continue;
      ++called;
      if (result.passed == result.called) ++passing;
    }
    return OutOf(passing, called);
  }

  Text TimeText() const {
    if (evaluation_.times.empty()) return NotMeasured();
    const auto by_ratio = [](const OperatorTime& a, const OperatorTime& b) { return a.ratio < b.ratio; };
    const auto [best, worst] =
        std::minmax_element(evaluation_.times.begin(), evaluation_.times.end(), by_ratio);
    return {t_("$0 ($1) to $2 ($3), $4 operators", absl::StrFormat("%.2f", best->ratio), best->op,
               absl::StrFormat("%.2f", worst->ratio), worst->op, evaluation_.times.size())};
  }

  void Appendix() {
    Section(t_("Appendix A: every failure"), true);
    std::vector<Block> failures = FailureBlocks(report_, t_);
    if (failures.empty()) {
      Add(Paragraph{t_("No case failed.")});
      return;
    }
    Add(Paragraph{t_("Each failure has the observation and the command that repeats it.")});
    for (Block& block : failures) {
      // The contents list only sections: operators get headings of level 4.
      if (auto* heading = std::get_if<Heading>(&block)) heading->level = 4;
      Add(std::move(block));
    }
  }

  const Evaluation& evaluation_;
  const RunReport& report_;
  const v1::RunOptions& options_;
  const Translator t_;
  Document document_;
};

}  // namespace

Document EvaluationDocument(const Evaluation& evaluation, Language language) {
  return Writer(evaluation, language).Write();
}

}  // namespace diopi::reports
