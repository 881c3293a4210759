// Golden output of lists and comparisons: `diopi-cli runs`, chips, history, coverage and diff.
#include "reports/render/lists.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "reports/render/diff.h"
#include "reports/render/golden_testing.h"

namespace diopi::reports {
namespace {

server::RunFacts FactsOf(const std::string& id) {
  server::RunFacts run;
  run.run_id = id;
  run.chip = "e1";
  run.vendor_name = "Acme, <R&D>";
  run.impl_version = "2.1";
  run.impl_sha256 = "0123456789abcdef0123";
  run.suite_hash = "5a17e";
  run.state = v1::RUN_STATE_FINISHED;
  run.created = "2026-11-20T10:15:02Z";
  run.cases = 5;
  return run;
}

v1::RunSummary SummaryOf(const std::string& id, const std::string& variant) {
  server::RunTotals totals;
  totals.done = 4;
  totals.outcomes = {{v1::OUTCOME_PASS, 2}, {v1::OUTCOME_FAIL, 1}, {v1::OUTCOME_NOT_IMPLEMENTED, 1}};
  totals.called = 3;
  totals.passed = 2;
  totals.flushed = 1;
  server::RunFacts facts = FactsOf(id);
  facts.contracts = {"tf32"};
  v1::RunSummary run = Summarize({facts, totals});
  v1::Coverage& coverage = *run.mutable_coverage();
  coverage.set_implemented(3);
  coverage.set_selected(4);
  coverage.set_with_cases(3);
  coverage.set_tested(2);
  run.clear_partial();
  run.set_variant(variant);
  return run;
}

server::CaseRow MakeCase(const std::string& id, v1::Outcome outcome, double max_z, double call_us) {
  server::CaseRow row;
  row.case_id = id;
  row.case_hash = "h";
  row.op = id.substr(0, id.find('.'));
  row.outcome = outcome;
  row.max_z = max_z;
  row.call_us = call_us;
  return row;
}

// Every kind of change once; a case that is both worse and slower has two rows.
v1::Compare SampleDiff() {
  const double nan = std::nan("");
  std::vector<server::CaseRow> a = {
      MakeCase("add.f", v1::OUTCOME_PASS, 1, 10),    MakeCase("add.g", v1::OUTCOME_FAIL, 99, 10),
      MakeCase("exp.c", v1::OUTCOME_FAIL, 5, 10),    MakeCase("exp.d", v1::OUTCOME_PASS, nan, nan),
      MakeCase("mul.w", v1::OUTCOME_PASS, 1.5, 100), MakeCase("mul.x", v1::OUTCOME_PASS, 8, 300),
      MakeCase("sub.gone", v1::OUTCOME_PASS, 1, 10), MakeCase("sub.same", v1::OUTCOME_PASS, 1, 10),
      MakeCase("sum.no", v1::OUTCOME_PASS, 1, 10),
  };
  std::vector<server::CaseRow> b = {
      MakeCase("add.f", v1::OUTCOME_CRASH, nan, nan),
      MakeCase("add.g", v1::OUTCOME_PASS, 1, 10),
      MakeCase("exp.c", v1::OUTCOME_TIMEOUT, nan, 10),
      MakeCase("exp.d", v1::OUTCOME_PASS, nan, nan),
      MakeCase("mul.w", v1::OUTCOME_PASS, INFINITY, 400),
      MakeCase("mul.x", v1::OUTCOME_PASS, 1, 100),
      MakeCase("sub.new", v1::OUTCOME_NOT_IMPLEMENTED, nan, nan),
      MakeCase("sub.same", v1::OUTCOME_PASS, 1, 10),
      MakeCase("sum.no", v1::OUTCOME_UNSUPPORTED_DTYPE, nan, nan),
  };
  b[3].case_hash = "another";
  return BuildDiff(SummaryOf("20261120-101502-aaaa", "11111111"),
                   SummaryOf("20261121-101502-bbbb", "22222222"), a, b,
                   {3, {{"mul.w", {100, 95, 110}}, {"mul.x", {300, 290, 320}}}},
                   {3, {{"mul.w", {400, 380, 500}}, {"mul.x", {100, 99, 101}}}}, {});
}

TEST(Diff, Golden) {
  const v1::Compare diff = SampleDiff();
  for (const v1::CompareCount& count : diff.counts()) EXPECT_GE(count.cases(), 1) << count.ShortDebugString();
  ExpectGolden("diff.txt", *RenderDiff(diff, "text"));
  ExpectGolden("diff.md", *RenderDiff(diff, "markdown"));
  ExpectGolden("diff.json", *RenderDiff(diff, "json"));
  EXPECT_EQ(RenderDiff(diff, "pdf").status().message(), "unknown format 'pdf'; known: text, markdown, json");
}

TEST(Runs, Golden) {
  v1::RunsPage runs;
  *runs.add_runs() = SummaryOf("20261121-101502-bbbb", "22222222");
  v1::RunSummary& bare = *runs.add_runs();  // queued: nothing is known about the library yet
  bare.set_run_id("20261122-101502-cccc");
  bare.set_state(v1::RUN_STATE_QUEUED);
  bare.set_cases(7);
  bare.set_variant("33333333");
  const Table table = RunsTable(runs);
  ExpectGolden("runs.txt", *WriteList(table, "text"));
  ExpectGolden("runs.csv", *WriteList(table, "csv"));
  ExpectGolden("runs.md", *WriteList(table, "markdown"));
  EXPECT_EQ(*WriteList(RunsTable({}), "text"), "");
  const std::string json = *WriteList(table, "json");
  EXPECT_EQ(json.find("[\n    {\"run\":\""), 0u) << json;
  EXPECT_NE(json.find(",\"done\":"), std::string::npos) << json;
  EXPECT_EQ(json.find(",\"done\":\""), std::string::npos) << "figures are numbers: " << json;
  EXPECT_EQ(WriteList(table, "xls").status().message(),
            "unknown format 'xls'; known: text, csv, markdown, json");
}

TEST(Chips, Golden) {
  v1::ChipsPage chips;
  v1::ChipRow& chip = *chips.add_chips();
  chip.set_chip("e1");
  chip.set_runs(3);
  *chip.mutable_latest() = SummaryOf("20261121-101502-bbbb", "22222222");
  chip.mutable_latest()->set_partial("functions add of suite core");
  chip.mutable_known()->set_tested(3);
  chip.mutable_known()->set_passing(2);
  chip.mutable_known()->set_newest("2026-11-20T10:15:02Z");
  v1::ChipRow whole = chip;  // represented by its newest complete run
  whole.set_chip("e2");
  *whole.mutable_complete() = SummaryOf("20261120-101502-aaaa", "11111111");
  *chips.add_chips() = whole;
  ExpectGolden("chips.txt", *WriteList(ChipsTable(chips), "text"));
}

TEST(History, GoldenAndWords) {
  server::CasePoint first{FactsOf("20261120-101502-aaaa"), MakeCase("add.f", v1::OUTCOME_PASS, 1, 10)};
  server::CasePoint second{FactsOf("20261121-101502-bbbb"), MakeCase("add.f", v1::OUTCOME_FAIL, 99, 10)};
  second.verdict.reason = "out: 3 of 4 elements differ";
  const v1::History history = BuildHistory("add.f", "e1", {first, second});
  std::string text = *WriteList(HistoryTable(history), "text");
  for (const std::string& words : HistoryWords(history)) absl::StrAppend(&text, words, "\n");
  ExpectGolden("history.txt", text);
  EXPECT_EQ(HistoryWords(BuildHistory("add.f", "e1", {first})),
            std::vector<std::string>{"The newest run passes it."});
  EXPECT_EQ(HistoryWords(BuildHistory("add.f", "e1", {second})).front(),
            "No pass since run 20261121-101502-bbbb; no run before it passed.");
}

TEST(Coverage, EachStateInWordsAndSums) {
  v1::CoveragePage matrix;
  matrix.add_chips("e1");
  matrix.add_chips("e2");
  const auto function = [&matrix](const char* name, const char* header, const char* family) {
    v1::FunctionCoverage& row = *matrix.add_functions();
    row.set_name(name);
    row.set_header(header);
    row.set_family(family);
    return &row;
  };
  const auto add_cell = [](v1::FunctionCoverage* row, bool implemented, int64_t cases, int64_t passed) {
    v1::CoverageCell& cell = *row->add_cells();
    cell.set_implemented(implemented);
    cell.set_tested(cases > 0);
    cell.set_cases(cases);
    cell.set_passed(passed);
  };
  v1::FunctionCoverage* row = function("diopiAdd", "functions.h", "elementwise");
  add_cell(row, true, 12, 12);
  row->add_cells();  // neither exported nor in any case
  row = function("diopiBmm", "functions.h", "linear");
  add_cell(row, true, 12, 3);
  add_cell(row, true, 0, 0);
  row = function("diopiNms", "functions_mmcv.h", "");
  add_cell(row, false, 0, 0);
  row->add_cells();
  EXPECT_EQ(*WriteList(CoverageTable(matrix, ""), "csv"),
            "function,header,family,e1,e2\r\n"
            "diopiAdd,functions.h,elementwise,passes 12,not implemented\r\n"
            "diopiBmm,functions.h,linear,passes 3 of 12,not tested\r\n"
            "diopiNms,functions_mmcv.h,-,not implemented,not implemented\r\n");
  EXPECT_EQ(*WriteList(CoverageTotals(matrix, ""), "csv"),
            "chip,passing,functions,exported,with cases,tested\r\ne1,1,3,2,2,2\r\ne2,0,3,1,2,0\r\n");
  EXPECT_EQ(*WriteList(CoverageTotals(matrix, "linear"), "csv"),
            "chip,passing,functions,exported,with cases,tested\r\ne1,0,1,1,1,1\r\ne2,0,1,1,1,0\r\n");
}

}  // namespace
}  // namespace diopi::reports
