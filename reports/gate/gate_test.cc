#include "reports/gate/gate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "reports/gate/testing.h"
#include "reports/performance/performance_testing.h"

namespace diopi::reports {
namespace {

constexpr char kRest[] = " expires=2027-01-31 issue=https://x.test/1 \"r\"\n";

Day DayOf(const char* text) {
  return ParseDay(text).value_or(Day());
}

// "kind:line:subject: text" for each.
std::vector<std::string> Told(const std::vector<GateFinding>& findings) {
  std::vector<std::string> told;
  told.reserve(findings.size());
  for (const GateFinding& finding : findings) {
    told.push_back(FindingName(finding.kind) + ":" + std::to_string(finding.line) + ":" + finding.subject +
                   ": " + finding.text);
  }
  return told;
}

struct Judged {
  std::vector<std::string> findings;
  std::vector<std::string> notes;
  bool only_ours = false;
};

Judged Judge(const RunReport& run, const std::string& lines,
             GateOptions options = {.today = DayOf("2026-11-21")}, const RunReport* reference = nullptr) {
  const Expectations expectations = Lines(lines);
  GateInput input;
  input.run = &run;
  input.expectations = &expectations;
  input.reference = reference;
  const GateResult result = RunGate(input, options);
  return {Told(result.findings), Told(result.notes), result.only_ours()};
}

using List = std::vector<std::string>;

TEST(Gate, EveryOutcomeAgainstEveryLine) {
  const v1::Outcome outcomes[] = {v1::OUTCOME_PASS,
                                  v1::OUTCOME_FAIL,
                                  v1::OUTCOME_ERROR,
                                  v1::OUTCOME_NOT_IMPLEMENTED,
                                  v1::OUTCOME_UNSUPPORTED_DTYPE,
                                  v1::OUTCOME_CRASH,
                                  v1::OUTCOME_TIMEOUT,
                                  v1::OUTCOME_MEMORY,
                                  v1::OUTCOME_NONDETERMINISTIC,
                                  v1::OUTCOME_SKIPPED,
                                  v1::OUTCOME_HARNESS_ERROR,
                                  v1::OUTCOME_WAIVED};
  struct Row {
    const char* line;
    const char* green;  // outcomes with a Y: in the order above
  };
  const Row rows[] = {
      {"", "Y..........Y"},
      {"fail a.x", "YYY.....Y..Y"},
      {"flake a.x", "YYY.....Y..Y"},
      {"skip a.x", "Y..YY....Y.Y"},
      {"fail a.x outcome=crash", "Y....Y.....Y"},
      {"fail a.x outcome=memory,timeout", "Y.....YY...Y"},
      {"fail b.*", "Y..........Y"},
      {"fail a.?", "YYY.....Y..Y"},
  };
  for (const Row& row : rows) {
    for (size_t i = 0; i < std::size(outcomes); ++i) {
      const RunReport run = SmallRun("r", {{"a.x", outcomes[i]}});
      const std::string line = row.line;
      const Judged judged = Judge(run, line.empty() ? "" : line + kRest);
      EXPECT_EQ(judged.findings.empty(), row.green[i] == 'Y') << line << " with " << outcomes[i];
      EXPECT_LE(judged.findings.size(), 1u);
    }
  }
}

TEST(Gate, WhatIsSaid) {
  const RunReport run = SmallRun("r", {{"a.x", v1::OUTCOME_FAIL},
                                       {"a.y", v1::OUTCOME_CRASH},
                                       {"b.x"},
                                       {"b.y"},
                                       {"c.x"},
                                       {"c.y", v1::OUTCOME_FAIL},
                                       {"d.x", v1::OUTCOME_HARNESS_ERROR}});
  const std::string lines = std::string("fail a.y") + kRest + "fail b.*" + kRest + "fail c.*" + kRest +
                            "flake gone" + kRest + "fail c.y expires=2026-11-30 issue=TODO \"soon\"\n";
  const Judged judged = Judge(run, lines);
  EXPECT_EQ(
      judged.findings,
      (List{"not_listed:0:a.x: fail, not listed: why, of a.x",
            "other_outcome:1:a.y: crash, but line 1 excuses fail, error, nondeterministic only: why, of a.y",
            "not_judged:0:d.x: could not be judged: why, of d.x"}));
  EXPECT_EQ(
      judged.notes,
      (List{"passes_now:2:b.*: all 2 cases pass now", "partly_passes:3:c.*: 1 of its 2 cases pass now: c.x",
            "matches_nothing:4:gone: no case of the run has such an id", "no_issue:5:c.y: has no issue yet",
            "expires_soon:5:c.y: expires on 2026-11-30: soon"}));
  const Judged strict = Judge(run, lines, {.today = DayOf("2026-11-21"), .strict = true});
  EXPECT_EQ(strict.findings.size(), 7u);
  EXPECT_EQ(strict.notes.size(), 1u);
}

TEST(Gate, ALineHoldsThroughItsLastDay) {
  const RunReport run = SmallRun("r", {{"a.x", v1::OUTCOME_FAIL}});
  const std::string lines = std::string("fail a.x") + kRest;
  EXPECT_EQ(Judge(run, lines, {.today = DayOf("2027-01-31")}).findings, List());
  EXPECT_EQ(Judge(run, lines, {.today = DayOf("2027-02-01")}).findings,
            (List{"expired:1:a.x: expired on 2027-01-31: r (https://x.test/1); 1 case still needs it: a.x"}));
  const RunReport fixed = SmallRun("r", {{"a.x"}});
  EXPECT_EQ(Judge(fixed, lines, {.today = DayOf("2027-02-01")}).findings,
            (List{"expired:1:a.x: expired on 2027-01-31: r (https://x.test/1); every case passes"}));
  // With --partial, a run of another selection does not report this line.
  const RunReport other = SmallRun("r", {{"b.x"}});
  EXPECT_EQ(Judge(other, lines, {.today = DayOf("2027-02-01")}).findings.size(), 1u);
  EXPECT_EQ(Judge(other, lines, {.today = DayOf("2027-02-01"), .partial = true}).findings, List());
}

TEST(Gate, WhatIsNotWholeIsNeverGreen) {
  RunReport aborted = SmallRun("r", {{"a.x"}});
  aborted.run.set_state(v1::RUN_STATE_ABORTED);
  RunReport missing = SmallRun("r", {{"a.x"}});
  missing.cases = 2;
  missing.missing = 1;
  RunReport shard = SmallRun("r", {{"a.x"}});
  shard.run.mutable_options()->set_shard_count(3);
  const std::pair<RunReport, const char*> rows[] = {
      {aborted,
       "incomplete:0:run: run r is aborted: 1 of 1 cases have a verdict; an incomplete run is never green"},
      {missing,
       "incomplete:0:run: run r is finished: 1 of 2 cases have a verdict; an incomplete run is never green"},
      {SmallRun("r", {}), "incomplete:0:run: run r has no cases; nothing was tested"},
      {shard, "incomplete:0:run: run r is shard 0 of 3"}};
  for (const auto& [run, text] : rows) {
    const Judged judged = Judge(run, "");
    EXPECT_EQ(judged.findings, List{text});
    EXPECT_TRUE(judged.only_ours);
    EXPECT_FALSE(IsGreen(run, nullptr) && run.run.options().shard_count() == 0);
  }
}

TEST(Gate, AgainstARunAlone) {
  const RunReport before =
      SmallRun("old", {{"a.x"}, {"a.y", v1::OUTCOME_FAIL}, {"a.z", v1::OUTCOME_FAIL}, {"a.w"}});
  const RunReport run = SmallRun("new", {{"a.x", v1::OUTCOME_FAIL},
                                         {"a.y", v1::OUTCOME_FAIL},
                                         {"a.z", v1::OUTCOME_CRASH},
                                         {"a.v", v1::OUTCOME_FAIL}});
  GateInput input;
  input.run = &run;
  input.reference = &before;
  const GateResult result = RunGate(input, {.today = DayOf("2026-11-21")});
  EXPECT_EQ(Told(result.findings),
            (List{"not_listed:0:a.v: fail, and run old does not have the case: why, of a.v",
                  "regressed:0:a.x: fail, passed in run old: why, of a.x",
                  "regressed:0:a.z: crash, was fail in run old: why, of a.z",
                  "coverage:0:coverage: 1 case that was in run old no longer is: a.w"}));
  EXPECT_EQ(result.expected_failures, 1);
}

TEST(Gate, CoverageThatFell) {
  const RunReport before = SmallRun("old", {{"a.x"}, {"b.x"}, {"c.x"}});
  const RunReport now =
      SmallRun("new", {{"a.x"}, {"b.x", v1::OUTCOME_NOT_IMPLEMENTED}, {"c.x", v1::OUTCOME_SKIPPED}});
  const GateOptions options{.today = DayOf("2026-11-21")};
  const std::string all = std::string("fail b.x") + kRest + "flake c.x" + kRest;
  EXPECT_EQ(
      Judge(now, all, options, &before).findings,
      (List{
          "coverage:0:coverage: 1 function that was implemented in run old no longer is: diopi_b",
          "coverage:0:coverage: 1 function that was tested in run old no longer is: diopi_c",
          "other_outcome:1:b.x: not_implemented, but line 1 excuses fail, error, nondeterministic only: why, "
          "of b.x",
          "other_outcome:2:c.x: skipped, but line 2 excuses fail, error, nondeterministic only: why, of "
          "c.x"}));
  // Coverage that skip lines announced has not fallen.
  EXPECT_EQ(Judge(now, std::string("skip b.*") + kRest + "skip c.*" + kRest, options, &before).findings,
            List());
  // The file's floor.
  EXPECT_EQ(Judge(before, "coverage implemented=4 tested=3 cases=5\n", options).findings,
            (List{"coverage:1:coverage: 3 functions are implemented, the floor in line 1 is 4",
                  "coverage:1:coverage: 3 cases are in the run, the floor in line 1 is 5"}));
  EXPECT_EQ(Judge(before, "coverage passing=4\n", options).findings,
            (List{"coverage:1:coverage: 3 functions pass, the floor in line 1 is 4"}));
  // And the floor of --min-coverage.
  EXPECT_EQ(Judge(before, "", {.today = options.today, .min_passing = 4}).findings,
            (List{"coverage:0:coverage: 3 of 538 functions pass (0.55 %), --min-coverage requires 4"}));
  EXPECT_EQ(Judge(before, "", {.today = options.today, .min_passing = 3}).findings, List());
  // A selection on purpose.
  RunReport one = SmallRun("one", {{"a.x"}});
  for (const char* function : {"diopi_b", "diopi_c"}) one.run.mutable_options()->add_implemented(function);
  EXPECT_EQ(Judge(one, "", options, &before).findings.size(), 2u);
  EXPECT_EQ(Judge(one, "coverage cases=3\n", {.today = options.today, .partial = true}, &before).findings,
            List());
}

TEST(Gate, OtherContractsAreSaid) {
  const RunReport before = SmallRun("old", {{"a.x"}});
  RunReport now = SmallRun("new", {{"a.x"}});
  now.run.mutable_options()->add_contracts("tf32");
  const Judged judged = Judge(now, "", {.today = DayOf("2026-11-21")}, &before);
  EXPECT_EQ(
      judged.notes,
      List{"declared:0:run: declares other contracts, which widen tolerances: tf32, was none in run old"});
}

std::vector<SmallCase> Timed(const std::vector<std::pair<std::string, double>>& functions, int cases) {
  std::vector<SmallCase> all;
  for (const auto& [name, us] : functions) {
    for (int i = 0; i < cases; ++i) all.push_back({name + "." + std::to_string(i), v1::OUTCOME_PASS, us, us});
  }
  return all;
}

struct Growing {
  const char* name;
  std::vector<std::pair<std::string, double>> functions;  // time of each, was 10
  int cases;
  bool repeated;
  std::vector<std::string> slower;
  std::vector<std::string> suspected;
};

TEST(Gate, SlowerWithEvidenceOnly) {
  const std::vector<std::pair<std::string, double>> old = {
      {"a", 10}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 10}};
  const Growing rows[] = {
      {"one function", {{"a", 30}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 10}}, 20, true, {"diopi_a"}, {}},
      {"in one run only",
       {{"a", 30}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 10}},
       20,
       false,
       {},
       {"diopi_a"}},
      {"within the factor", {{"a", 14}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 10}}, 20, true, {}, {}},
      {"too few cases", {{"a", 30}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 10}}, 6, true, {}, {}},
      {"everything", {{"a", 30}, {"b", 30}, {"c", 30}, {"d", 30}, {"e", 30}}, 20, true, {"run"}, {}},
      {"one more than everything",
       {{"a", 90}, {"b", 30}, {"c", 30}, {"d", 30}, {"e", 30}},
       20,
       true,
       {"run", "diopi_a"},
       {}},
  };
  for (const Growing& row : rows) {
    const RunReport before = SmallRun("old", Timed(old, row.cases));
    const RunReport now = SmallRun("new", Timed(row.functions, row.cases));
    GateInput input;
    input.run = &now;
    input.reference = &before;
    // The reference's repeat is noisy and slower: the fastest call counts.
    RunReport noisy = SmallRun("old2", Timed(old, row.cases));
    for (v1::Verdict& verdict : noisy.results) verdict.set_call_us(500);
    if (row.repeated) input.repeats = {&now};
    if (row.repeated) input.reference_repeats = {&noisy};
    const GateResult result = RunGate(input, {.today = DayOf("2026-11-21"), .max_slowdown = 1.5});
    std::vector<std::string> slower, suspected;
    for (const GateFinding& finding : result.findings) slower.push_back(finding.subject);
    for (const GateFinding& finding : result.notes) suspected.push_back(finding.subject);
    EXPECT_EQ(slower, row.slower) << row.name;
    if (row.name != std::string("everything") && row.name != std::string("one more than everything")) {
      EXPECT_EQ(suspected, row.suspected) << row.name;
    }
    for (const GateFinding& finding : result.findings) EXPECT_EQ(finding.kind, FindingKind::kSlower);
  }
}

// Measured calls need no second run, and are judged instead of the verdicts' times.
TEST(Gate, SlowerByMeasuredCalls) {
  RunReport before = SmallRun("old", Timed({{"a", 1}, {"b", 1}}, 20));
  RunReport now = SmallRun("new", Timed({{"a", 1}, {"b", 100}}, 20));
  const auto measured = [](double us) {
    const std::vector<double> samples = {us,        us * 1.02,  us * 1.01, us * 1.03,
                                         us * 1.04, us * 1.015, us * 1.025};
    return std::vector<std::vector<double>>{samples, samples, samples};
  };
  for (const char* function : {"a", "b"}) {
    const std::string id = absl::StrCat(function, ".n");
    const double slower = function[0] == 'a' ? 2 : 1;
    before.performance.measurements.push_back(
        MakeMeasurement(id, absl::StrCat("diopi_", function), measured(10)));
    now.performance.measurements.push_back(
        MakeMeasurement(id, absl::StrCat("diopi_", function), measured(10 * slower)));
  }
  GateInput input;
  input.run = &now;
  input.reference = &before;
  const GateResult result = RunGate(input, {.today = DayOf("2026-11-21"), .max_slowdown = 1.5});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].subject, "diopi_a");
  EXPECT_EQ(result.findings[0].kind, FindingKind::kSlower);
  EXPECT_EQ(result.findings[0].cases, std::vector<std::string>{"a.n"});
  EXPECT_TRUE(
      absl::StrContains(result.findings[0].text, "1 measured calls are slower beyond a factor of 1.50"))
      << result.findings[0].text;
  EXPECT_TRUE(RunGate(input, {.today = DayOf("2026-11-21"), .max_slowdown = 3}).green());
}

TEST(Gate, LessAccurateWithEvidenceOnly) {
  struct Row {
    double before, after;
    int cases;
    bool found;
  };
  const Row rows[] = {{0.5, 2, 20, true}, {0.5, 0.6, 20, false},
                      {0.5, 2, 5, false}, {0.01, 0.09, 20, false},  // below a tenth of the noise
                      {0, 0.5, 20, true}, {0.5, 0, 20, false}};
  for (const Row& row : rows) {
    RunReport before = SmallRun("old", Timed({{"a", row.before}}, row.cases));
    const RunReport now = SmallRun("new", Timed({{"a", row.after}}, row.cases));
    GateInput input;
    input.run = &now;
    input.reference = &before;
    const GateResult result = RunGate(input, {.today = DayOf("2026-11-21"), .max_error_growth = 2});
    EXPECT_EQ(!result.green(), row.found) << row.before << " to " << row.after;
    // A single case that is far worse is not evidence.
    before.results[0].mutable_outputs(0)->set_rms_z(1e-9);
    EXPECT_EQ(!RunGate(input, {.today = DayOf("2026-11-21"), .max_error_growth = 2}).green(), row.found);
  }
}

TEST(Gate, GreenRuns) {
  const RunReport failing = SmallRun("r", {{"a.x", v1::OUTCOME_FAIL}, {"b.x"}});
  const Expectations lines = Lines(std::string("fail a.x") + " expires=2001-01-31 issue=TODO \"r\"\n");
  EXPECT_FALSE(IsGreen(failing, nullptr));
  EXPECT_TRUE(IsGreen(failing, &lines));  // whatever its day
  EXPECT_TRUE(IsGreen(SmallRun("r", {{"b.x"}}), nullptr));
  EXPECT_FALSE(IsGreen(SmallRun("r", {}), nullptr));
}

}  // namespace
}  // namespace diopi::reports
