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

RunSummary SummaryOf(const std::string& id, const std::string& variant) {
  RunSummary run;
  run.facts.run_id = id;
  run.facts.chip = "e1";
  run.facts.vendor_name = "Acme, <R&D>";
  run.facts.impl_version = "2.1";
  run.facts.impl_sha256 = "0123456789abcdef0123";
  run.facts.suite_hash = "5a17e";
  run.facts.state = v1::RUN_STATE_FINISHED;
  run.facts.created = "2026-11-20T10:15:02Z";
  run.cases = 5;
  run.done = 4;
  run.outcomes = {{v1::OUTCOME_PASS, 2}, {v1::OUTCOME_FAIL, 1}, {v1::OUTCOME_NOT_IMPLEMENTED, 1}};
  run.coverage = {538, 3, 4, 3, 2};
  run.correctness = {3, 2};
  run.badges = {"tf32", "ftz"};
  run.failed = 1;
  run.variant = variant;
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
Diff SampleDiff() {
  const double nan = std::nan("");
  std::vector<server::CaseRow> a = {
      MakeCase("add.f", v1::OUTCOME_PASS, 1, 10),    MakeCase("add.g", v1::OUTCOME_FAIL, 99, 10),
      MakeCase("exp.c", v1::OUTCOME_FAIL, 5, 10),    MakeCase("exp.d", v1::OUTCOME_PASS, nan, nan),
      MakeCase("mul.w", v1::OUTCOME_PASS, 1.5, 100), MakeCase("mul.x", v1::OUTCOME_PASS, 8, 300),
      MakeCase("sub.gone", v1::OUTCOME_PASS, 1, 10), MakeCase("sub.same", v1::OUTCOME_PASS, 1, 10),
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
  };
  b[3].case_hash = "another";
  return BuildDiff(SummaryOf("20261120-101502-aaaa", "11111111"),
                   SummaryOf("20261121-101502-bbbb", "22222222"), a, b,
                   {3, {{"mul.w", {100, 95, 110}}, {"mul.x", {300, 290, 320}}}},
                   {3, {{"mul.w", {400, 380, 500}}, {"mul.x", {100, 99, 101}}}}, {});
}

TEST(Diff, Golden) {
  const Diff diff = SampleDiff();
  for (const DiffKind kind : DiffKinds()) EXPECT_GE(diff.counts.at(kind), 1) << DiffKindName(kind);
  ExpectGolden("diff.txt", *RenderDiff(diff, "text"));
  ExpectGolden("diff.md", *RenderDiff(diff, "markdown"));
  ExpectGolden("diff.json", *RenderDiff(diff, "json"));
  EXPECT_EQ(RenderDiff(diff, "pdf").status().message(), "unknown format 'pdf'; known: text, markdown, json");
}

TEST(Runs, Golden) {
  RunSummary bare;  // queued: nothing is known about the library yet
  bare.facts.run_id = "20261122-101502-cccc";
  bare.facts.state = v1::RUN_STATE_QUEUED;
  bare.cases = 7;
  bare.variant = "33333333";
  const Table table = RunsTable({SummaryOf("20261121-101502-bbbb", "22222222"), bare});
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
  ChipOverview chip;
  chip.chip = "e1";
  chip.runs = 3;
  chip.latest = SummaryOf("20261121-101502-bbbb", "22222222");
  chip.latest.partial = "functions add of suite core";
  ChipOverview whole = chip;  // its newest complete run stands for the chip
  whole.chip = "e2";
  whole.complete = SummaryOf("20261120-101502-aaaa", "11111111");
  ExpectGolden("chips.txt", *WriteList(ChipsTable({chip, whole}), "text"));
}

TEST(History, GoldenAndWords) {
  server::CasePoint first{SummaryOf("20261120-101502-aaaa", "").facts,
                          MakeCase("add.f", v1::OUTCOME_PASS, 1, 10)};
  server::CasePoint second{SummaryOf("20261121-101502-bbbb", "").facts,
                           MakeCase("add.f", v1::OUTCOME_FAIL, 99, 10)};
  second.verdict.reason = "out: 3 of 4 elements differ";
  const History history = BuildHistory("add.f", "e1", {first, second});
  std::string text = *WriteList(HistoryTable(history), "text");
  for (const std::string& words : HistoryWords(history)) absl::StrAppend(&text, words, "\n");
  ExpectGolden("history.txt", text);
  EXPECT_EQ(HistoryWords(BuildHistory("add.f", "e1", {first})),
            std::vector<std::string>{"The newest run passes it."});
  EXPECT_EQ(HistoryWords(BuildHistory("add.f", "e1", {second})).front(),
            "No pass since run 20261121-101502-bbbb; no run before it passed.");
}

TEST(Coverage, EachStateInWordsAndSums) {
  CoverageMatrix matrix;
  matrix.chips = {"e1", "e2"};
  matrix.functions = {
      {"diopiAdd", "functions.h", "elementwise", {CoverageCell{true, true, 12, 12, "r"}, std::nullopt}},
      {"diopiBmm",
       "functions.h",
       "linear",
       {CoverageCell{true, true, 12, 3, "r"}, CoverageCell{true, false, 0, 0, ""}}},
      {"diopiNms", "functions_mmcv.h", "", {CoverageCell{false, false, 0, 0, "r"}, std::nullopt}},
  };
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
