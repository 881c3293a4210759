// Every printer of this folder, with hostile text wherever a run has text: what comes out holds no control
// character, keeps what is legitimate, and on a terminal has no line that the text began.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/message_texts_testing.h"
#include "cases/base/text_testing.h"
#include "cases/findings/finding.h"
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

v1::RunSummary HostileSummary() {
  v1::RunSummary summary;
  SetTexts(HostileText(), &summary);
  return summary;
}

v1::History HostileHistory() {
  v1::History history;
  SetTexts(HostileText(), &history);
  return history;
}

v1::CoveragePage HostileCoverage() {
  v1::CoveragePage page;
  SetTexts(HostileText(), &page);
  page.mutable_functions(0)->mutable_cells(0)->set_implemented(true);
  return page;
}

v1::ModelsPage HostileModels() {
  v1::ModelsPage page;
  SetTexts(HostileText(), &page);
  v1::ModelCell& cell = *page.mutable_models(0)->mutable_cells(0);
  cell.set_calls(2);
  cell.set_failing(1);
  return page;
}

v1::Compare HostileDiff() {
  v1::Compare diff;
  *diff.mutable_a() = *diff.mutable_b() = HostileSummary();
  for (const v1::CompareKind kind : CompareKinds()) {
    v1::CompareRow& row = *diff.add_rows();
    SetTexts(HostileText(), &row);
    row.set_kind(kind);
    diff.add_counts()->set_kind(kind);
  }
  return diff;
}

PerformanceReport HostilePerformance() {
  PerformanceReport report;
  report.run_id = report.chip = report.reference = HostileText();
  report.roofline.source = Found(v1::Finding::SAID).Said(HostileText());
  SetTexts(HostileText(), &report.machine);
  CallFigures& call = report.calls.emplace_back();
  SetTexts(HostileText(), &call.measurement);
  v1::StepTotal& step = report.steps.emplace_back();
  SetTexts(HostileText(), &step);
  step.set_measured(1);
  return report;
}

std::string EvaluationText(Language language, std::string (*write)(const Document&)) {
  EvaluationInput input;
  input.report = HostileReport();
  input.reference = HostileReport();
  input.models = {{HostileText(), HostileModels().models(0).cells(0)}};
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
      {"performance json", [] { return Dump(MessageJson(PerformanceOf(HostilePerformance(), nullptr)), 1); }},
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
      {"runs",
       [] {
         v1::RunsPage page;
         SetTexts(HostileText(), &page);
         return RunsTable(page);
       }},
      {"chips",
       [] {
         v1::ChipsPage page;
         SetTexts(HostileText(), &page);
         return ChipsTable(page);
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
