// Every printer of this folder, with hostile text wherever a run has text: what comes out holds no control
// character, keeps what is legitimate, and on a terminal has no line that the text began.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/message_texts_testing.h"
#include "cases/base/text_testing.h"
#include "reports/evaluation/evaluation.h"
#include "reports/gate/gate.h"
#include "reports/gate/render.h"
#include "reports/gate/update.h"
#include "reports/render/diff.h"
#include "reports/render/exploration.h"
#include "reports/render/json_parts.h"
#include "reports/render/lists.h"
#include "reports/render/performance.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

std::vector<v1::Verdict> HostileVerdicts() {
  std::vector<v1::Verdict> verdicts;
  for (int outcome = v1::OUTCOME_PASS; outcome <= v1::Outcome_MAX; ++outcome) {
    v1::Verdict& verdict = verdicts.emplace_back();
    SetTexts(HostileText(), &verdict);
    verdict.set_outcome(static_cast<v1::Outcome>(outcome));
    verdict.set_call_us(1);
    verdict.mutable_findings(0)->set_code(v1::Finding::THREW);
    verdict.mutable_cause()->set_code(outcome % 2 == 0 ? v1::Finding::IGNORED : v1::Finding::DECLARE);
    verdict.mutable_outputs(0)->set_public_pass(outcome != v1::OUTCOME_PASS);
    verdict.mutable_outputs(0)->set_grade("B");
  }
  return verdicts;
}

v1::RunInfo HostileRun() {
  v1::RunInfo run;
  SetTexts(HostileText(), &run);
  run.set_state(v1::RUN_STATE_FINISHED);
  return run;
}

RunReport HostileReport() {
  RunReport report = BuildReport(HostileRun(), HostileVerdicts());
  report.data_folder = HostileText();
  report.partial = HostileText();
  report.references = report.device_references = report.badges = {HostileText()};
  report.would_pass = {{HostileText(), 1, {{v1::Dtype::float32, 1}}}};
  return report;
}

RunSummary HostileSummary() {
  RunSummary summary;
  server::RunFacts& facts = summary.facts;
  for (std::string* text : {&facts.run_id, &facts.chip, &facts.vendor_name, &facts.impl_version,
                            &facts.dialect, &facts.impl_sha256, &facts.impl_path, &facts.agent_version,
                            &facts.host, &facts.created, &summary.partial, &summary.variant}) {
    *text = HostileText();
  }
  facts.labels = {{HostileText(), HostileText()}};
  summary.badges = summary.references = {HostileText()};
  return summary;
}

History HostileHistory() {
  History history;
  HistoryPoint& point = history.points.emplace_back();
  point.run = HostileSummary().facts;
  point.verdict.reason = point.verdict.case_id = point.variant = HostileText();
  history.first_bad = history.last_good = HostileText();
  return history;
}

CoverageMatrix HostileCoverage() {
  CoverageCell cell;
  cell.implemented = true;
  return {{HostileText()}, {{HostileText(), HostileText(), HostileText(), {cell}}}};
}

ModelMatrix HostileModels() {
  ModelCell cell;
  cell.run_id = HostileText();
  cell.calls = 2;
  cell.failing = 1;
  cell.failing_functions = {HostileText()};
  return {{HostileText()}, {{HostileText(), HostileText(), {cell}}}};
}

Diff HostileDiff() {
  Diff diff;
  diff.a = diff.b = HostileSummary();
  for (const DiffKind kind : DiffKinds()) {
    DiffRow& row = diff.rows.emplace_back();
    row.case_id = row.op = HostileText();
    row.kind = kind;
    row.a = row.b = DiffSide();
    diff.counts[kind] = 1;
  }
  return diff;
}

PerformanceReport HostilePerformance() {
  PerformanceReport report;
  report.run_id = report.chip = report.reference = report.roofline.source = HostileText();
  SetTexts(HostileText(), &report.machine);
  CallFigures& call = report.calls.emplace_back();
  SetTexts(HostileText(), &call.measurement);
  StepTime& step = report.steps.emplace_back();
  step.model = step.stage = HostileText();
  step.operators = {{HostileText(), 1.0}};
  return report;
}

std::string EvaluationText(Language language, std::string (*write)(const Document&)) {
  EvaluationInput input;
  input.report = HostileReport();
  input.reference = HostileReport();
  input.models = {{HostileText(), HostileModels().models[0].cells[0].value()}};
  input.performance = HostilePerformance();
  input.publication = {HostileText(), HostileText(), HostileText()};
  input.failures = {HostileText(), HostileText()};
  input.generated = input.tool_version = HostileText();
  input.spec.emplace();
  SetTexts(HostileText(), &*input.spec);
  return write(EvaluationDocument(Evaluate(std::move(input)), language));
}

std::string GateText(const std::string& format, bool verbose) {
  const RunReport run = HostileReport();
  const RunReport before = BuildReport(HostileRun(), {});
  Expectations expectations;
  expectations.file = expectations.chip = HostileText();
  expectations.lines = {HostileText()};
  Expectation& line = expectations.cases.emplace_back();
  line.glob = line.reason = line.issue = HostileText();
  line.line = 1;
  const GateInput input{&run, &expectations, &before, {}, {}};
  const GateOptions options;
  const GateResult result = RunGate(input, options);
  return *RenderGate({&input, &options, &result, verbose}, format);
}

struct Printer {
  std::string name;
  std::function<std::string()> print;
  bool lines_are_ours = true;  // false: the format has a place for whole lines of others
};

std::vector<Printer> Printers() {
  std::vector<Printer> printers = {
      {"summary", [] { return RenderSummary(HostileReport()); }},
      {"failures", [] { return RenderFailures(HostileReport()); }},
      {"exploration text", [] { return *RenderExploration(HostileRun(), "text"); },
       false},  // an operator's file
      {"new expectations", [] { return NewExpectations(HostileReport()); }},
      {"expectations", [] { return UpdateExpectations({}, HostileReport(), {}).text; }},
      {"failure table", [] { return WriteCsv(FailureTable(HostileReport())); }, false},
      {"performance json", [] { return Dump(PerformanceJson(HostilePerformance(), nullptr), 1); }},
      {"words",
       [] {
         std::string text;
         for (const auto& words : {HistoryWords(HostileHistory()), PerformanceWords(HostilePerformance())})
           for (const std::string& line : words) absl::StrAppend(&text, line, "\n");
         return text;
       }},
  };
  for (const std::string& format : Formats()) {
    const bool ours = format == "text" || format == "error_report" || format == "json";
    for (const bool verbose : {false, true}) {
      printers.push_back({absl::StrCat("report ", format, verbose ? ", verbose" : ""),
                          [=] { return *Render(HostileReport(), format, {.verbose = verbose}); }, ours});
    }
  }
  const std::pair<const char*, std::function<Table()>> tables[] = {
      {"runs", [] { return RunsTable({HostileSummary()}); }},
      {"chips",
       [] {
         ChipOverview chip;
         chip.chip = HostileText();
         chip.latest = HostileSummary();
         return ChipsTable({chip});
       }},
      {"history", [] { return HistoryTable(HostileHistory()); }},
      {"coverage", [] { return CoverageTable(HostileCoverage(), ""); }},
      {"coverage totals", [] { return CoverageTotals(HostileCoverage(), ""); }},
      {"models", [] { return ModelsTable(HostileModels()); }},
      {"performance", [] { return PerformanceTable(HostilePerformance()); }},
      {"steps", [] { return StepsTable(HostilePerformance()); }},
  };
  for (const auto& [name, table] : tables) {
    for (const std::string& format : ListFormats()) {
      printers.push_back({absl::StrCat(name, " ", format),
                          [=, make = table] { return *WriteList(make(), format); }, format == "text"});
    }
  }
  for (const char* format : {"text", "markdown", "json"}) {
    printers.push_back({absl::StrCat("diff ", format), [=] { return *RenderDiff(HostileDiff(), format); }});
  }
  for (const std::string& format : ExplorationFormats()) {
    printers.push_back({absl::StrCat("exploration ", format),
                        [=] { return *RenderExploration(HostileRun(), format); }, false});
  }
  for (const std::string& format : GateFormats()) {
    for (const bool verbose : {false, true}) {
      printers.push_back({absl::StrCat("gate ", format, verbose ? ", verbose" : ""),
                          [=] { return GateText(format, verbose); }, format != "junit"});
    }
  }
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    const bool english = language == Language::kEnglish;
    printers.push_back({absl::StrCat("evaluation html ", english),
                        [=] { return EvaluationText(language, WriteHtml); }, false});
    printers.push_back({absl::StrCat("evaluation markdown ", english),
                        [=] { return EvaluationText(language, WriteMarkdown); }, false});
  }
  return printers;
}

TEST(Printable, NoPrinterPassesOnAHostileText) {
  for (const Printer& printer : Printers()) {
    const std::string text = printer.print();
    EXPECT_EQ(FirstForbidden(text), "") << printer.name;
    EXPECT_TRUE(!printer.lines_are_ours || !HasForgedLine(text)) << printer.name << "\n"
                                                                 << text.substr(0, 4000);
    EXPECT_NE(text.find("你好"), std::string::npos) << printer.name << "\n" << text.substr(0, 2000);
  }
}

// What a library says may have any length.
TEST(Printable, AnEndlessTextIsCut) {
  v1::Verdict verdict;
  verdict.set_outcome(v1::OUTCOME_FAIL);
  for (auto* text : {verdict.mutable_reason(), verdict.mutable_likely_cause(), verdict.mutable_backtrace()})
    *text = std::string(size_t{4} << 20, 'x');
  const RunReport report = BuildReport({}, {verdict});
  for (const std::string& format : Formats()) {
    if (format == "json") continue;  // for programs
    EXPECT_LT(Render(report, format, {.verbose = true})->size(), size_t{1} << 20) << format;
  }
}

}  // namespace
}  // namespace diopi::reports
