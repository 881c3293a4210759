// The sections of an evaluation report, in the order in which labs publish them. What was not measured says
// so in its place, so every report has the same sections and two reports can be laid side by side. Sections
// are numbered as they are added; some sentences (summary.cc) name a section by its number, so the order is
// part of the text.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "cases/findings/describe.h"
#include "proto/enum_name.h"
#include "reports/evaluation/evaluation.h"
#include "reports/evaluation/figures.h"
#include "reports/evaluation/performance_blocks.h"
#include "reports/evaluation/specification.h"
#include "reports/evaluation/summary.h"
#include "reports/model/run_summary.h"
#include "reports/model/workers_word.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"
#include "reports/render/run_document.h"

namespace diopi::reports {
namespace {

Text CountText(int64_t count) {
  return {absl::StrCat(count)};
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
    document_.title = t_("Evaluation of $0", ChipName(evaluation_.input, t_));
    document_.subtitle = t_("DIOPI operator conformance");
    document_.running_head = RunningHead();
    document_.has_cover = true;
    document_.cover = CoverBlocks(evaluation_, t_);
    Summary();
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
  // Numbers the parts of a numbered section as they come.
  void Add(Block block) {
    auto* heading = std::get_if<Heading>(&block);
    if (heading != nullptr && heading->level == 3 && numbered_)
      heading->text = absl::StrCat(section_, ".", ++part_, " ", heading->text);
    document_.blocks.push_back(std::move(block));
  }
  void Unnumbered(const std::string& text) {
    numbered_ = false;
    Add(Heading{2, text, true});
  }
  void Section(const std::string& text, bool new_page = false) {
    numbered_ = true;
    part_ = 0;
    Add(Heading{2, absl::StrCat(++section_, " ", text), new_page});
  }
  void Part(const std::string& text) { Add(Heading{3, text}); }

  Text Rate(int64_t part, int64_t whole) const {
    if (whole == 0) return NotMeasured(t_);
    Text text{Percent(part, whole), part == whole ? Tone::kGood : Tone::kBad};
    text.share = static_cast<double>(part) / static_cast<double>(whole);
    return text;
  }

  // How often the called cases were called: quick ones more often than was asked for.
  Text CallsText() const {
    int32_t least = std::numeric_limits<int32_t>::max(), most = 0;
    for (const v1::Verdict& verdict : report_.results) {
      if (!IsCalled(verdict.outcome()) || verdict.calls() <= 0) continue;
      least = std::min(least, verdict.calls());
      most = std::max(most, verdict.calls());
    }
    if (most == 0) return NotMeasured(t_);
    return {least == most ? absl::StrCat(most) : t_("$0 to $1", least, most)};
  }

  std::string RunningHead() const {
    const Publication& publication = evaluation_.input.publication;
    std::string head = document_.title;
    for (const std::string& part : {publication.lab, publication.version}) {
      if (!part.empty()) absl::StrAppend(&head, " · ", part);
    }
    return absl::StrCat(head, " · ", report_.run.run_id());
  }

  void AddAll(std::vector<Block> blocks) {
    for (Block& block : blocks) Add(std::move(block));
  }

  void Summary() {
    Unnumbered(t_("Summary"));
    AddAll(SummaryBlocks(evaluation_, t_));
    Add(Signatures{{{t_("Tested by"), evaluation_.input.publication.author}, {t_("Approved by"), ""}}});
  }

  void Environment() {
    Section(t_("Environment and provenance"), true);
    Part(t_("Library and machine"));
    Add(LibraryFacts(report_, t_));
    Part(t_("How it was tested"));
    Facts facts;
    facts.rows = {
        {t_("Cases selected"), {t_.Recorded(SelectionText(options_.selection()))}},
        {t_("Cases"),
         {report_.missing == 0 ? t_("$0, each with a verdict", report_.cases)
                               : t_("$0, of these $1 not run yet", report_.cases, report_.missing)}},
        {t_("Calls of each case"), CallsText()},
        {t_("Time a case may take"), {absl::StrFormat("%.6g s", options_.timeout_s())}},
        {t_("Order"),
         {options_.shuffle_seed() == 0 ? t_("the suite's")
                                       : t_("shuffled, seed $0", options_.shuffle_seed())}},
        {t_("Sandbox, and what it denied the library"), options_.sandbox().empty()
                                                            ? Text{t_("not recorded"), Tone::kMuted}
                                                            : Text{t_.Recorded(options_.sandbox())}},
    };
    if (const std::string word = WorkersWord(options_); !word.empty()) {
      facts.rows.push_back({t_("Rests on the worker's word"), {t_.Recorded(word)}});
    }
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
    Section(t_("Technical specification"), evaluation_.input.spec.has_value());
    AddAll(SpecificationBlocks(evaluation_.input.spec, t_));
    Part(t_("Test machine"));
    AddAll(MachineBlocks(options_.machine(), t_));
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
                            CountText(group.functions),
                            CountText(group.implemented),
                            CountText(group.in_suite),
                            group.tested == 0 ? NotMeasured(t_) : CountText(group.tested),
                            group.tested == 0 ? NotMeasured(t_) : CountText(group.passing),
                            Rate(group.passing, group.tested)});
    }
    return table;
  }

  void Software() {
    Section(t_("Software ecosystem"), evaluation_.input.spec.has_value());
    Part(t_("Software stack: versions and dialect"));
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
    Part(t_("Software stack: coverage of the ABI by header"));
    Add(Paragraph{
        t_("Exported: the library exports the function and does not answer every call with NoImplement. With "
           "cases: this suite has cases for the function; functions without cases were not tested.")});
    Add(CoverageTable(t_("Header"), evaluation_.headers));
    Part(t_("Software stack: coverage of the suite by family of operators"));
    Add(CoverageTable(t_("Family"), evaluation_.families));
    Part(t_("Openness"));
    Add(Paragraph{
        t_("The library was called through the DIOPI ABI alone. Its support for other programming models and "
           "interfaces was not measured.")});
  }

  void Functional() {
    Section(t_("Functional test"), true);
    Part(t_("Summary"));
    AddAll(PartialNote(report_, t_));
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
    Part(t_("Operators"));
    Operators();
    GradeSection();
    Issues();
    Waivers();
    Part(t_("Models"));
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
        return t_("the library does not support this dtype");
      case v1::OUTCOME_SKIPPED:
        return t_("not run");
      case v1::OUTCOME_WAIVED:
        return t_("fails, but a waiver accepts it");
      default:
        return t_("a defect of this suite, never counted against the chip");
    }
  }

  // What the outcomes of this run mean: their names are the same in every language.
  void Outcomes() {
    Table table{{{t_("Outcome")}, {t_("Cases"), true}, {t_("Meaning")}}, {}, t_("No case was run.")};
    for (const v1::Outcome outcome : OutcomeOrder()) {
      const auto count = report_.outcomes.find(outcome);
      if (count == report_.outcomes.end()) continue;
      table.rows.push_back(
          {{OutcomeName(outcome), ToneOf(outcome)}, CountText(count->second), {Meaning(outcome)}});
    }
    Add(std::move(table));
  }

  void Models() {
    if (evaluation_.input.models.empty()) {
      Add(Paragraph{t_("Not measured: no run has the suite of a model.")});
      return;
    }
    Add(
        Paragraph{t_("The calls of each model, in the newest run of its whole suite. Ready: all of them pass "
                     "at their true "
                     "sizes. Passes scaled: all pass, but the sizes of some were reduced. The summary says "
                     "what stands between the chip and the "
                     "other models.")});
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
      table.rows.push_back(
          {{name, Tone::kPlain, true},
           CountText(cell.calls()),
           CountText(cell.passing()),
           {absl::StrCat(cell.failing()), cell.failing() > 0 ? Tone::kBad : Tone::kMuted},
           {absl::StrCat(cell.not_implemented()), cell.not_implemented() > 0 ? Tone::kWarn : Tone::kMuted},
           {absl::StrCat(cell.not_judged()), cell.not_judged() > 0 ? Tone::kWarn : Tone::kMuted},
           CountText(cell.scaled()),
           cell.ready()           ? Text{t_("ready"), Tone::kGood}
           : cell.passes_scaled() ? Text{t_("passes scaled"), Tone::kWarn}
                                  : Text{t_("not ready"), Tone::kBad}});
    }
    Add(std::move(table));
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
           CountText(result.cases),
           CountText(result.called),
           CountText(result.passed),
           {absl::StrCat(result.failed), result.failed > 0 ? Tone::kBad : Tone::kMuted},
           {absl::StrCat(result.not_implemented), result.not_implemented > 0 ? Tone::kWarn : Tone::kMuted},
           Rate(result.passed, result.called)});
      if (graded) {
        table.rows.back().push_back(result.grades.graded() > 0 ? Text{GradeText(result.grades)}
                                                               : NotMeasured(t_));
      }
    }
    Add(std::move(table));
  }

  void GradeSection() {
    Part(t_("Grade against $0", DeviceReference(report_, t_)));
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

  // A few dtypes, for a narrow column; the appendix names them all.
  std::string FewDtypes(const FailureGroup& group) const {
    const std::vector<v1::Dtype::Code>& dtypes = group.dtypes;
    if (dtypes.size() <= 3) return DtypesText(group);
    return t_("$0 and $1 more",
              absl::StrCat(v1::Dtype::Code_Name(dtypes[0]), ", ", v1::Dtype::Code_Name(dtypes[1])),
              dtypes.size() - 2);
  }

  void Issues() {
    Part(t_("Known issues"));
    Add(Paragraph{
        t_("Failures with the same outcome and cause: the likely cause, or what was seen. The appendix "
           "repeats a case of each.")});
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
                            {FewDtypes(group)},
                            CountText(static_cast<int64_t>(group.cases.size())),
                            {OneLine(CauseText(group, t_.language()))},
                            {group.example.case_id(), Tone::kPlain, true}});
    }
    Add(std::move(table));
  }

  void Waivers() {
    Part(t_("Waivers in force"));
    Table table{{{t_("Case")}, {t_("Reason")}}, {}, t_("None: no verdict of this run was waived.")};
    for (const v1::Verdict& verdict : report_.results) {
      if (verdict.outcome() == v1::OUTCOME_WAIVED)
        table.rows.push_back({{verdict.case_id(), Tone::kPlain, true}, {ReasonText(verdict, t_.language())}});
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

  void Performance() {
    const std::optional<PerformanceReport>& performance = evaluation_.input.performance;
    Section(t_("Performance test"), performance.has_value() || !evaluation_.times.empty());
    if (performance.has_value()) {
      AddAll(PerformanceBlocks(*performance, t_));
    } else {
      Add(Note{t_("Not measured: no run measured this library's calls (diopi-agent --performance)."),
               Tone::kMuted});
    }
    Part(t_("Beside the reference run"));
    if (evaluation_.times.empty()) {
      Add(Note{t_("Not measured: $0.", NoTimes()), Tone::kMuted});
    } else {
      ReferenceRun();
    }
    Part(t_("Communication"));
    Add(Note{t_("Not measured: this suite calls one device."), Tone::kMuted});
  }

  void ReferenceRun() {
    const RunReport& reference = *evaluation_.input.reference;
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
                            CountText(time.cases),
                            {absl::StrFormat("%.1f", time.chip_us)},
                            {absl::StrFormat("%.1f", time.reference_us)},
                            {absl::StrFormat("%.2f", time.ratio)}});
    }
    Add(std::move(table));
    Add(Paragraph{t_("The last column is the geometric mean over the cases; below 1 the chip is faster.")});
  }

  void Conclusions() {
    Section(t_("Indicators"), true);
    Add(Paragraph{
        t_("Coverage, the cases called, and correctness must be read together. What was not submitted or not "
           "run has no score.")});
    Add(Indicators(evaluation_, t_));
  }

  void Appendix() {
    Unnumbered(t_("Appendix A: failures by cause"));
    if (report_.failures.empty()) {
      Add(Paragraph{t_("No case failed.")});
      return;
    }
    Add(Paragraph{t_("Each group has an example with the command that repeats it.")});
    const Attachment& file = evaluation_.input.failures;
    if (file.name.empty()) {
      Add(Paragraph{t_("Every failure: diopi-cli report --run $0 --verbose", report_.run.run_id())});
    } else if (file.embedded) {
      Add(Paragraph{t_("Every failure is in the file $0 that is attached to this document, SHA-256 $1.",
                       file.name, file.sha256)});
    } else {
      Add(Paragraph{t_("Every failure is in the file $0 that goes with this report, SHA-256 $1.", file.name,
                       file.sha256)});
    }
    for (const FailureGroup& group : report_.failures) {
      Finding finding{OperatorsText(group, t_), {OutcomeName(group.outcome), ToneOf(group.outcome)}, {}, ""};
      const std::string dtypes = DtypesText(group);
      finding.lines = {
          absl::StrCat(t_("$0 case|$0 cases", std::ssize(group.cases)), dtypes.empty() ? "" : ", ", dtypes),
          OneLine(CauseText(group, t_.language()))};
      if (group.diagnosed)
        finding.lines.push_back(
            t_("For example $0: $1", group.example.case_id(), OneLine(ExampleReason(group, t_.language()))));
      finding.command = ReproCommand(report_.run.options(), group.example);
      Add(std::move(finding));
    }
  }

  const Evaluation& evaluation_;
  const RunReport& report_;
  const v1::RunOptions& options_;
  const Translator t_;
  Document document_;
  bool numbered_ = false;
  int section_ = 0;
  int part_ = 0;
};

}  // namespace

Table FailureTable(const RunReport& report) {
  Table table{{{"case"}, {"function"}, {"outcome"}, {"likely cause"}, {"reason"}, {"command"}}, {}};
  for (const v1::Verdict& verdict : report.results) {
    if (!IsListed(verdict.outcome())) continue;
    table.rows.push_back({{verdict.case_id()},
                          {verdict.function()},
                          {OutcomeName(verdict.outcome())},
                          {OneLine(verdict.likely_cause())},
                          {OneLine(verdict.reason())},
                          {ReproCommand(report.run.options(), verdict)}});
  }
  return table;
}

Document EvaluationDocument(const Evaluation& evaluation, Language language) {
  return Writer(evaluation, language).Write();
}

}  // namespace diopi::reports
