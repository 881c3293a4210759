#include "reports/gate/render.h"

#include <gtest/gtest.h>

#include "reports/gate/testing.h"

namespace diopi::reports {
namespace {

// A failing run with every character that could break a format.
class RenderGateTest : public ::testing::Test {
 protected:
  RenderGateTest() {
    run_.results[0].set_reason("50% <b>|x|</b> & \"q\", a:b\r\nsecond `line` \xff");
    input_.run = &run_;
    input_.expectations = &lines_;
    options_.today = *ParseDay("2026-11-21");
    result_ = RunGate(input_, options_);
  }
  std::string Render(const char* format) const {
    const auto text = RenderGate({&input_, &options_, &result_}, format);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.value_or("");
  }

  RunReport run_ = SmallRun("r1", {{"add.x", v1::OUTCOME_FAIL}, {"add.y", v1::OUTCOME_FAIL}, {"mul.x"}});
  Expectations lines_ = Lines(
      "fail add.y expires=2027-01-31 issue=https://x.test/1 \"r\"\n"
      "fail mul.x expires=2027-01-31 issue=https://x.test/2 \"50% | <i>\"\n");
  GateInput input_;
  GateOptions options_;
  GateResult result_;
};

TEST_F(RenderGateTest, Text) {
  EXPECT_EQ(Render("text"),
            "Gate         FAILED: 1 finding, 1 note\n"
            "Run          r1 (finished), chip demo, 3 cases of everything\n"
            "Library      lib.so, sha256 0123456789abcdef\n"
            "Expected     demo.txt (2 fail, 0 flake, 0 skip)\n"
            "Coverage     1 of 538 functions pass (0.18 %): 2 exported, 2 tested of 12 with cases, 1 "
            "passing\n"
            "Called       3 of 3 cases (100.00 %)\n"
            "Correctness  1 of 3 called cases pass (33.33 %); expected not to pass: 1, waived: 0\n"
            "Did not pass 2 cases in 1 group\n"
            "\nFindings\n"
            "  new failure  add.x: fail, not listed: 50% <b>|x|</b> & \"q\", a:b second `line` ?\n"
            "      diopi-cli repro add.x --impl lib.so\n"
            "\nNotes\n"
            "  passes now  demo.txt:2: mul.x: passes now\n"
            "      delete the line: fail mul.x expires=2027-01-31 issue=https://x.test/2 \"50% | <i>\"\n");
}

TEST_F(RenderGateTest, Markdown) {
  const std::string text = Render("markdown");
  EXPECT_EQ(text.find("## Conformance gate FAILED: 1 finding, 1 note\n"), 0u);
  EXPECT_NE(text.find("| new failure | add.x | fail, not listed: 50% &lt;b>\\|x\\|&lt;/b> &amp; \"q\", a:b "
                      "second \\`line\\` ? | diopi-cli repro add.x --impl lib.so |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<details><summary>1 note</summary>"), std::string::npos);
}

// Hundreds of cases that fail alike are one finding for people, and one finding each for programs.
TEST(RenderGate, CasesThatFailAlikeAreOneFinding) {
  std::vector<SmallCase> cases = {{"mul.x", v1::OUTCOME_CRASH}};
  for (int i = 0; i < 40; ++i) cases.push_back({"add.c" + std::to_string(i), v1::OUTCOME_FAIL});
  RunReport run = SmallRun("r1", cases);
  for (v1::Verdict& verdict : run.results) {
    if (verdict.operator_() == "add") verdict.set_likely_cause("consistent with alpha taken as 1");
  }
  run.failures = GroupFailures(run.results);
  const Expectations lines = Lines("");
  GateInput input;
  input.run = &run;
  input.expectations = &lines;
  const GateOptions options;
  const GateResult result = RunGate(input, options);
  EXPECT_EQ(result.findings.size(), 41u);
  GateDocument document{&input, &options, &result};
  const std::vector<GateFinding> shown = ShownFindings(document);
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].subject, "40 cases of add (int8)");
  EXPECT_EQ(shown[0].text,
            "fail: consistent with alpha taken as 1; for example add.c0: fail, not listed: why, of add.c0");
  EXPECT_EQ(shown[0].action, "diopi-cli repro add.c0 --impl lib.so");
  EXPECT_EQ(shown[1].subject, "mul.x");
  // The groups are the run's own, also where the file excuses a part of one.
  EXPECT_EQ(GateFacts(document).back().text, "41 cases in 2 groups");
  const Expectations excused = Lines("fail add.c0 expires=2099-01-31 issue=https://x.test/1 \"known\"\n");
  input.expectations = &excused;
  const GateResult fewer = RunGate(input, options);
  EXPECT_EQ(ShownFindings({&input, &options, &fewer})[0].subject, "39 cases of add (int8)");
  input.expectations = &lines;
  EXPECT_EQ(RenderGateText(document).find("add.c7"), std::string::npos);
  document.verbose = true;
  EXPECT_EQ(ShownFindings(document).size(), 41u);
  EXPECT_NE(RenderGateText(document).find("add.c7"), std::string::npos);
}

TEST_F(RenderGateTest, Annotations) {
  const std::string text = Render("github");
  EXPECT_EQ(text.find("::error title=Conformance gate::FAILED: 1 finding, 1 note%0ARun: r1"), 0u);
  EXPECT_NE(text.find("\n::error title=new failure%3A add.x::fail, not listed: 50%25 <b>|x|</b> & \"q\", a:b "
                      "second `line` ?%0Adiopi-cli repro add.x --impl lib.so\n"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("\n::warning file=demo.txt,line=2,title=passes now%3A mul.x::passes now%0Adelete the line: "),
      std::string::npos)
      << text;
}

TEST_F(RenderGateTest, Junit) {
  const std::string text = Render("junit");
  EXPECT_NE(text.find("<testsuites name=\"diopi gate\" tests=\"4\" failures=\"1\" errors=\"0\" time="),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<failure type=\"fail\" message=\"fail, not listed: 50% &lt;b&gt;"), std::string::npos)
      << text;
  EXPECT_NE(text.find("<skipped message=\"fail, expected: r (https://x.test/1)\"/>"), std::string::npos)
      << text;
}

TEST_F(RenderGateTest, Json) {
  const std::string text = Render("json");
  EXPECT_EQ(text.find("{\n  \"green\": false,\n  \"run\": \"r1\""), 0u);
  EXPECT_NE(text.find("{\"kind\": \"passes_now\", \"line\": 2, \"subject\": \"mul.x\""), std::string::npos)
      << text;
}

TEST_F(RenderGateTest, UnknownFormat) {
  EXPECT_FALSE(RenderGate({&input_, &options_, &result_}, "xml").ok());
}

TEST_F(RenderGateTest, AnExpiredLineFailsItsCaseInJunitToo) {
  options_.today = *ParseDay("2027-02-01");
  result_ = RunGate(input_, options_);
  const std::string text = Render("junit");
  EXPECT_NE(text.find("<testcase name=\"add.y\" classname=\"diopi_add\" time=\"0.000010\">\n      <failure"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<testcase name=\"demo.txt:1: add.y\" classname=\"gate\""), std::string::npos) << text;
}

}  // namespace
}  // namespace diopi::reports
