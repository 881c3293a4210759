// The sections of an evaluation report, in the order in which labs publish them.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "proto/enum_name.h"
#include "reports/document/escape.h"
#include "reports/evaluation/evaluation.h"
#include "reports/model/outcome.h"
#include "reports/model/run_summary.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"
#include "reports/render/run_document.h"

namespace diopi::reports {
namespace {

constexpr char kNotMeasured[] = "not measured";

Text NotMeasured(const std::string& why = "") {
  return {why.empty() ? kNotMeasured : absl::StrCat(kNotMeasured, ": ", why), Tone::kMuted};
}

Text Count(int64_t count) {
  return {absl::StrCat(count)};
}

Text Number(double value) {
  return {absl::StrFormat("%.6g", value)};
}

// "12 of 40 (30.00 %)"; "not measured" when `whole` is 0.
Text OutOf(int64_t part, int64_t whole) {
  if (whole == 0) return NotMeasured();
  return {absl::StrCat(part, " of ", whole, " (", Percent(part, whole), ")")};
}

Text Rate(int64_t part, int64_t whole) {
  if (whole == 0) return NotMeasured();
  Text text{Percent(part, whole), part == whole ? Tone::kGood : Tone::kBad};
  text.share = static_cast<double>(part) / static_cast<double>(whole);
  return text;
}

std::string GradeText(const Grades& grades) {
  return absl::StrFormat("A %d, B %d, C %d, D %d", grades.counts[0], grades.counts[1], grades.counts[2],
                         grades.counts[3]);
}

std::string ChipName(const Evaluation& evaluation) {
  const std::string& chip = evaluation.input.report.run.options().chip();
  if (evaluation.input.spec.has_value() && !evaluation.input.spec->product().empty())
    return evaluation.input.spec->product();
  return chip.empty() ? "a chip without a name" : chip;
}

class Writer {
 public:
  explicit Writer(const Evaluation& evaluation)
      : evaluation_(evaluation), report_(evaluation.input.report), options_(report_.run.options()) {}

  Document Write() {
    document_.title = absl::StrCat("Evaluation of ", ChipName(evaluation_));
    document_.subtitle = "DIOPI operator conformance";
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
        absl::StrCat("Made by diopi-cli ", evaluation_.input.tool_version, ", ", evaluation_.input.generated,
                     ", from run ", report_.run.run_id(), ". Only measured figures are scored.");
    return std::move(document_);
  }

 private:
  void Add(Block block) { document_.blocks.push_back(std::move(block)); }
  void Section(const std::string& text, bool new_page = false) { Add(Heading{2, text, new_page}); }
  void Part(const std::string& text) { Add(Heading{3, text}); }

  void Cover() {
    const Coverage& coverage = report_.coverage;
    document_.cover.rows = {
        {"Chip", {options_.chip().empty() ? "no name was given" : options_.chip()}},
        {"Library",
         {absl::StrCat(options_.vendor_name().empty() ? "no vendor name" : options_.vendor_name(), ", ",
                       options_.impl_version().empty() ? "no version" : options_.impl_version())}},
        {"Functions that pass", OutOf(coverage.passing, coverage.abi_functions)},
        {"Functions exported", OutOf(coverage.implemented, coverage.abi_functions)},
        {"Functions tested, of those that have cases", OutOf(coverage.tested, coverage.with_cases)},
        {"Called cases that pass", OutOf(report_.correctness.passed, report_.correctness.called)},
        {"Cases judged", {JudgedText(report_)}},
        {"Run",
         {absl::StrCat(report_.run.run_id(), ", ", EnumName(report_.run.state()), ", ",
                       report_.run.created())}},
        {"Report made", {evaluation_.input.generated}},
    };
    if (!report_.partial.empty()) {
      document_.cover.rows.insert(
          document_.cover.rows.begin(),
          {"Partial run",
           {absl::StrCat(report_.partial, ": this report does not stand for the chip"), Tone::kWarn}});
    }
  }

  void Environment() {
    Section("1 Environment and provenance", true);
    Part("1.1 Library and machine");
    Add(LibraryFacts(report_));
    Part("1.2 How it was tested");
    Facts facts;
    facts.rows = {
        {"Cases selected", {SelectionText(options_.selection())}},
        {"Cases",
         {absl::StrCat(report_.cases, report_.missing == 0
                                          ? std::string(", each with a verdict")
                                          : absl::StrCat(", of these ", report_.missing, " not run yet"))}},
        {"Calls of each case", {absl::StrCat(options_.repeat())}},
        {"Time a case may take", {absl::StrFormat("%.6g s", options_.timeout_s())}},
        {"Order",
         {options_.shuffle_seed() == 0 ? std::string("the suite's")
                                       : absl::StrCat("shuffled, seed ", options_.shuffle_seed())}},
        {"Sandbox",
         options_.sandbox().empty() ? Text{"not recorded", Tone::kMuted} : Text{options_.sandbox()}},
    };
    if (options_.shard_count() > 0) {
      facts.rows.push_back({"Shard", {absl::StrCat(options_.shard_index(), " of ", options_.shard_count())}});
    }
    Add(std::move(facts));
    if (report_.run.state() != v1::RUN_STATE_FINISHED) {
      Add(Note{absl::StrCat("This run is ", EnumName(report_.run.state()),
                            ": the figures cover the verdicts so far."),
               Tone::kWarn});
    }
  }

  void Specification() {
    Section("2 Technical specification", evaluation_.input.spec.has_value());
    const std::optional<v1::ChipSpec>& spec = evaluation_.input.spec;
    if (!spec.has_value()) {
      Add(
          Note{"Not measured: no specification was submitted. diopi-cli evaluate --spec-template prints the "
               "file to "
               "fill in.",
               Tone::kMuted});
      return;
    }
    Add(Paragraph{
        "As submitted by the lab, each figure with its source. Nothing in this section was measured by this "
        "suite."});
    Facts facts;
    facts.rows = {{"Product", spec->product().empty() ? NotMeasured("not submitted") : Text{spec->product()}},
                  {"Maker", spec->maker().empty() ? NotMeasured("not submitted") : Text{spec->maker()}}};
    Add(std::move(facts));
    Compute(*spec);
    Memory(*spec);
    Part("2.4 Further notes");
    Table notes{{{"Item"}, {"Text"}, {"Source"}}, {}, "None submitted."};
    for (const v1::SpecNote& note : spec->note())
      notes.rows.push_back({{note.item()}, {note.text()}, {note.source()}});
    Add(std::move(notes));
  }

  void Compute(const v1::ChipSpec& spec) {
    Part("2.1 Compute by dtype");
    Table table{{{"Dtype"}, {"Peak, 10^12 op/s", true}, {"Sparsity"}, {"Source"}, {"Note"}},
                {},
                "Not measured: none submitted."};
    for (const v1::ComputeSpec& compute : spec.compute()) {
      table.rows.push_back({{compute.dtype(), Tone::kPlain, true},
                            Number(compute.tera_ops()),
                            {compute.sparse() ? "structured" : "none"},
                            {compute.source()},
                            {compute.note()}});
    }
    Add(std::move(table));
  }

  void Memory(const v1::ChipSpec& spec) {
    Part("2.2 Memory and interconnect");
    Table table{{{"What"}, {"Capacity, GiB", true}, {"Bandwidth, GB/s", true}, {"Source"}, {"Note"}},
                {},
                "Not measured: none submitted."};
    if (spec.has_memory()) {
      table.rows.push_back({{absl::StrCat("Memory, ", spec.memory().type())},
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
    Part("2.3 Power");
    Table power{{{"What"}, {"Watts", true}, {"Source"}, {"Note"}}, {}, "Not measured: none submitted."};
    if (spec.has_power()) {
      power.rows.push_back(
          {{"Board limit"}, Number(spec.power().board_w()), {spec.power().source()}, {spec.power().note()}});
    }
    Add(std::move(power));
  }

  Table CoverageTable(const char* what, const std::vector<GroupCoverage>& groups) const {
    Table table{{{what},
                 {"Functions", true},
                 {"Exported", true},
                 {"With cases", true},
                 {"Tested", true},
                 {"Passing", true},
                 {"Passing of tested", true}},
                {},
                "None."};
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
    Section("3 Software ecosystem", evaluation_.input.spec.has_value());
    Part("3.1 Versions and dialect");
    Facts facts;
    facts.rows = {
        {"Vendor library", {options_.vendor_name().empty() ? "gives no name" : options_.vendor_name()}},
        {"Version", {options_.impl_version().empty() ? "gives no version" : options_.impl_version()}},
        {"Device functions", {options_.dialect().empty() ? "not recorded" : options_.dialect()}},
        {"Declared contracts", {BadgeText(report_)}},
        {"Tested with", {absl::StrCat("diopi-agent ", options_.agent_version())}},
    };
    for (const std::string& line : EnvironmentLines(options_))
      facts.rows.push_back({"Environment", {line, Tone::kPlain, true}});
    Add(std::move(facts));
    Part("3.2 Coverage of the ABI by header");
    Add(Paragraph{
        "Exported: the library exports the function and does not answer every call with NoImplement. With "
        "cases: this suite has cases for the function; functions without cases were not tested."});
    Add(CoverageTable("Header", evaluation_.headers));
    Part("3.3 Coverage of the suite by family of operators");
    Add(CoverageTable("Family", evaluation_.families));
  }

  void Functional() {
    Section("4 Functional test", true);
    Part("4.1 Summary");
    for (Block& block : PartialNote(report_)) Add(std::move(block));
    Add(FigureTiles(report_));
    Add(OutcomeBar(report_));
    Add(Paragraph{absl::StrCat("The public harness's rule would decide ", PublicRuleText(report_),
                               ". It never decides here.")});
    if (report_.widened > 0) {
      Add(Note{absl::StrCat("The declared contracts (", BadgeText(report_), ") widened the tolerance of ",
                            report_.widened, " verdicts."),
               Tone::kWarn});
    }
    Part("4.2 Operators");
    Operators();
    GradeSection();
    Issues();
    Waivers();
    Part("4.6 Models");
    Models();
  }

  void Models() {
    if (evaluation_.input.models.empty()) {
      Add(Paragraph{"Not measured: no run has the suite of a model."});
      return;
    }
    Add(
        Paragraph{"The calls of each model, in the newest run of its whole suite. Ready: all of them pass. "
                  "Scaled: calls whose "
                  "sizes were reduced."});
    Table table{{{"Model"},
                 {"Calls", true},
                 {"Pass", true},
                 {"Failed", true},
                 {"Not impl.", true},
                 {"Not judged", true},
                 {"Scaled", true},
                 {"Result"}},
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
           {ready ? "ready" : MissingText(cell), ready ? Tone::kGood : Tone::kBad}});
    }
    Add(std::move(table));
  }

  // Why a model is not ready.
  static std::string MissingText(const ModelCell& cell) {
    const std::string between = WhatStandsBetween(cell);
    return between.empty() ? "not all judged" : between;
  }

  Text ReadyText() const {
    const std::vector<ModelResult>& models = evaluation_.input.models;
    if (models.empty()) return NotMeasured("no run has the suite of a model");
    const auto ready = std::count_if(models.begin(), models.end(),
                                     [](const ModelResult& model) { return IsReady(model.cell); });
    return {absl::StrCat(ready, " of ", models.size(), " ready")};
  }

  void Operators() {
    const bool graded = evaluation_.grades.graded() > 0;
    Table table{{{"Operator"},
                 {"Family"},
                 {"Cases", true},
                 {"Called", true},
                 {"Pass", true},
                 {"Failed", true},
                 {"Not impl.", true},
                 {"Pass rate", true}},
                {},
                "No case was run."};
    if (graded) table.columns.push_back({"Grades"});
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
    Part(absl::StrCat("4.3 Grade against ", DeviceReference()));
    if (evaluation_.grades.graded() == 0) {
      Add(Paragraph{"Not measured: the baselines of this run have no output of a device to compare with."});
      return;
    }
    Add(
        Paragraph{"A case's error (root mean square, against the float64 oracle) over the error of the "
                  "device reference "
                  "on the same case: A at most 1.25, B at most 2, C at most 8, D more. A grade never decides "
                  "a verdict."});
    Bar bar;
    const Tone tones[] = {Tone::kGood, Tone::kPlain, Tone::kWarn, Tone::kBad};
    for (size_t i = 0; i < evaluation_.grades.counts.size(); ++i)
      bar.parts.push_back(
          {std::string(1, static_cast<char>('A' + i)), evaluation_.grades.counts[i], tones[i]});
    Add(std::move(bar));
  }

  void Issues() {
    Part("4.4 Known issues");
    Add(
        Paragraph{"Failures with the same outcome and cause: the likely cause, or what was seen. The "
                  "appendix has every "
                  "case."});
    Table table{{{"Operators"}, {"Outcome"}, {"Dtypes"}, {"Cases", true}, {"Cause"}, {"For example"}},
                {},
                "None: no case failed."};
    for (const FailureGroup& group : report_.failures) {
      table.rows.push_back({{OperatorsText(group), Tone::kPlain, true},
                            {OutcomeName(group.outcome), Tone::kBad},
                            {DtypesText(group)},
                            Count(static_cast<int64_t>(group.cases.size())),
                            {OneLine(group.cause)},
                            {group.cases.front(), Tone::kPlain, true}});
    }
    Add(std::move(table));
  }

  void Waivers() {
    Part("4.5 Waivers in force");
    Table table{{{"Case"}, {"Reason"}}, {}, "None: no verdict of this run was waived."};
    for (const v1::Verdict& verdict : report_.results) {
      if (verdict.outcome() == v1::OUTCOME_WAIVED)
        table.rows.push_back({{verdict.case_id(), Tone::kPlain, true}, {verdict.reason()}});
    }
    Add(std::move(table));
  }

  void Performance() {
    if (evaluation_.times.empty()) {
      Add(Note{absl::StrCat("The section Performance test is left out: ", evaluation_.no_times, "."),
               Tone::kMuted});
      return;
    }
    const RunReport& reference = *evaluation_.input.reference;
    Section("5 Performance test", true);
    Add(Paragraph{absl::StrCat("Beside run ", reference.run.run_id(), " of ", reference.run.options().chip(),
                               " (", reference.run.options().vendor_name(), " ",
                               reference.run.options().impl_version(),
                               "): the time of one synchronised call, launch included, of the cases that "
                               "passed in both runs. The cases are "
                               "made for correctness and most are small: the figures tell slow operators "
                               "from others, and are no benchmark.")});
    Table table{{{"Operator"},
                 {"Cases", true},
                 {"Chip, sum, us", true},
                 {"Reference, sum, us", true},
                 {"Time over the reference's", true}},
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
    Add(Paragraph{"The last column is the geometric mean over the cases; below 1 the chip is faster."});
  }

  // area, item, figure
  void Conclude(Table* table, const char* area, const std::string& item, Text figure) const {
    table->rows.push_back({{area}, {item}, std::move(figure)});
  }

  void ConcludeSpecification(Table* table) const {
    constexpr char kArea[] = "Specification";
    const v1::ChipSpec spec = evaluation_.input.spec.value_or(v1::ChipSpec());
    const Text none = NotMeasured("not submitted");
    if (spec.compute_size() == 0) Conclude(table, kArea, "Compute", none);
    for (const v1::ComputeSpec& row : spec.compute()) {
      Conclude(table, kArea, absl::StrCat("Compute, ", row.dtype(), row.sparse() ? ", sparse" : ""),
               {absl::StrFormat("%.6g x 10^12 op/s (submitted)", row.tera_ops())});
    }
    Conclude(table, kArea, "Memory",
             spec.has_memory()
                 ? Text{absl::StrFormat("%.6g GiB, %.6g GB/s (submitted)", spec.memory().capacity_gib(),
                                        spec.memory().bandwidth_gb_s())}
                 : none);
    if (spec.interconnect_size() == 0) Conclude(table, kArea, "Interconnect", none);
    for (const v1::InterconnectSpec& link : spec.interconnect()) {
      Conclude(table, kArea, absl::StrCat("Interconnect, ", link.name()),
               {absl::StrFormat("%.6g GB/s (submitted)", link.bandwidth_gb_s())});
    }
    Conclude(table, kArea, "Power",
             spec.has_power() ? Text{absl::StrFormat("%.6g W (submitted)", spec.power().board_w())} : none);
  }

  void Conclusions() {
    Section(evaluation_.times.empty() ? "5 Conclusions" : "6 Conclusions", true);
    Add(
        Paragraph{"Coverage and correctness are two figures and must be read together. What was not "
                  "submitted or not run has no score."});
    Table table{{{"Area"}, {"Item"}, {"Figure"}}, {}, ""};
    ConcludeSpecification(&table);
    const Coverage& coverage = report_.coverage;
    Conclude(&table, "Function", "Functions that pass, of the ABI's",
             OutOf(coverage.passing, coverage.abi_functions));
    Conclude(&table, "Software", "Functions of the ABI exported",
             OutOf(coverage.implemented, coverage.abi_functions));
    Conclude(&table, "Software", "Functions tested, of those that have cases",
             OutOf(coverage.tested, coverage.with_cases));
    Conclude(&table, "Function", "Functions that pass every case, of those tested",
             OutOf(coverage.passing, coverage.tested));
    Conclude(&table, "Function", "Called cases that pass",
             OutOf(report_.correctness.passed, report_.correctness.called));
    Conclude(&table, "Function", "Operators that pass every called case", OperatorsPassing());
    Conclude(
        &table, "Function", "Waivers in force",
        Count(std::count_if(report_.results.begin(), report_.results.end(), [](const v1::Verdict& verdict) {
          return verdict.outcome() == v1::OUTCOME_WAIVED;
        })));
    Conclude(&table, "Function", absl::StrCat("Grade against ", DeviceReference(), ", cases"),
             evaluation_.grades.graded() > 0 ? Text{GradeText(evaluation_.grades)} : NotMeasured());
    Conclude(&table, "Function", "Models", ReadyText());
    Conclude(&table, "Performance", "Time of a call over the reference's", TimeText());
    Add(std::move(table));
  }

  // Labs compare with NVIDIA; where another device's outputs were used, names that device.
  std::string DeviceReference() const {
    const std::vector<std::string>& names = report_.device_references;
    return names.empty() ? "NVIDIA" : absl::StrJoin(names, " and ");
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
    return {absl::StrFormat("%.2f (%s) to %.2f (%s), %d operators", best->ratio, best->op, worst->ratio,
                            worst->op, evaluation_.times.size())};
  }

  void Appendix() {
    Section("Appendix A: every failure", true);
    std::vector<Block> failures = FailureBlocks(report_);
    if (failures.empty()) {
      Add(Paragraph{"No case failed."});
      return;
    }
    Add(Paragraph{"Each failure has the observation and the command that repeats it."});
    for (Block& block : failures) {
      // The contents list only sections: operators get headings of level 4.
      if (auto* heading = std::get_if<Heading>(&block)) heading->level = 4;
      Add(std::move(block));
    }
  }

  const Evaluation& evaluation_;
  const RunReport& report_;
  const v1::RunOptions& options_;
  Document document_;
};

}  // namespace

Document EvaluationDocument(const Evaluation& evaluation) {
  return Writer(evaluation).Write();
}

}  // namespace diopi::reports
