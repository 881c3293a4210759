#include "client/agent/progress.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace diopi::agent {
namespace {

v1::Verdict MakeVerdict(const std::string& op, const std::string& function, v1::Outcome outcome) {
  v1::Verdict verdict;
  verdict.set_operator_(op);
  verdict.set_function(function);
  verdict.set_case_id(op + ".float32.x");
  verdict.set_outcome(outcome);
  verdict.set_reason("why\nnot");
  return verdict;
}

class ProgressTest : public testing::Test {
 protected:
  ProgressTest() {
    setenv("TZ", "UTC", 1);
    tzset();
    options_.total = 4;
    options_.run.set_impl_path("/x/lib.so");
    options_.clock = [] {
      return std::chrono::system_clock::time_point(std::chrono::milliseconds(1664469640550));
    };
  }
  Progress::Options options_;
  std::ostringstream out_;
};

TEST_F(ProgressTest, LinesInThePublicHarnessForm) {
  options_.verbose = true;
  Progress progress(options_, &out_);
  for (int i = 0; i < 2; ++i) progress.Expect("relu", i == 0 ? "diopiRelu" : "diopiReluInp");
  progress.Expect("add", "diopiAdd");
  progress.Expect("exp", "diopiExp");
  progress.Add(MakeVerdict("relu", "diopiRelu", v1::OUTCOME_PASS));
  EXPECT_EQ(out_.str(), "");
  progress.Add(MakeVerdict("relu", "diopiReluInp", v1::OUTCOME_PASS));
  EXPECT_EQ(out_.str(), "2022-09-29 16:40:40,550 - DIOPI-Test - INFO - Run diopi_functions.relu succeed\n");
  out_.str("");
  progress.Add(MakeVerdict("add", "diopiAdd", v1::OUTCOME_CRASH));
  EXPECT_EQ(
      out_.str(),
      "2022-09-29 16:40:40,550 - DIOPI-Test - ERROR - add.float32.x: crash: why not | diopi-cli repro "
      "add.float32.x --impl /x/lib.so\n"
      "2022-09-29 16:40:40,550 - DIOPI-Test - ERROR - Run diopi_functions.add failed: 0 of 1 cases pass\n");
  out_.str("");
  progress.Add(MakeVerdict("exp", "diopiExp", v1::OUTCOME_NOT_IMPLEMENTED));
  EXPECT_EQ(out_.str(),
            "2022-09-29 16:40:40,550 - DIOPI-Test - WARNING - Run diopi_functions.exp not implemented\n");
}

// One defect may make hundreds of cases fail: they are grouped at the end of the run.
TEST_F(ProgressTest, WithoutVerboseAFailureHasNoLineOfItsOwn) {
  Progress progress(options_, &out_);
  progress.Expect("add", "diopiAdd");
  progress.Add(MakeVerdict("add", "diopiAdd", v1::OUTCOME_CRASH));
  EXPECT_EQ(
      out_.str(),
      "2022-09-29 16:40:40,550 - DIOPI-Test - ERROR - Run diopi_functions.add failed: 0 of 1 cases pass\n");
}

TEST_F(ProgressTest, PartlyNotImplementedIsNoSuccess) {
  Progress progress(options_, &out_);
  progress.Add(MakeVerdict("relu", "diopiReluBackward", v1::OUTCOME_PASS));
  progress.Add(MakeVerdict("relu", "diopiReluBackward", v1::OUTCOME_NOT_IMPLEMENTED));
  progress.Finish();
  EXPECT_NE(
      out_.str().find("WARNING - Run diopi_functions.relu_backward incomplete: 1 of 2 cases pass, 1 not "
                      "implemented"),
      std::string::npos)
      << out_.str();
}

TEST_F(ProgressTest, Bar) {
  options_.bar = true;
  options_.done = 1;
  Progress progress(options_, &out_);
  progress.Add(MakeVerdict("relu", "diopiRelu", v1::OUTCOME_PASS));
  EXPECT_EQ(out_.str(), "\r[###############               ] 50 %  2/4 cases, 0 failed\033[K");
}

TEST_F(ProgressTest, BarWithRateTimeLeftAndColours) {
  options_.bar = options_.colours = true;
  options_.total = 400;
  int64_t seconds = 0;
  options_.clock = [&seconds] {
    return std::chrono::system_clock::time_point(std::chrono::seconds(seconds));
  };
  Progress progress(options_, &out_);
  for (int i = 0; i < 3; ++i) progress.Expect("add", "diopiAdd");
  seconds = 4;
  progress.Add(MakeVerdict("add", "diopiAdd", v1::OUTCOME_PASS));
  EXPECT_EQ(out_.str(),
            "\r[                              ] 0 %  1/400 cases, \033[32m0 failed\033[0m, 0.2/s, 26 min 36 "
            "s left\033[K");
  progress.Add(MakeVerdict("add", "diopiAdd", v1::OUTCOME_PASS));
  out_.str("");
  seconds = 10;
  progress.Add(MakeVerdict("add", "diopiAdd", v1::OUTCOME_FAIL));
  EXPECT_EQ(
      out_.str().find("\r\033[K\033[31mERROR \033[0mRun diopi_functions.add failed: 2 of 3 cases pass\n"), 0u)
      << out_.str();
  EXPECT_NE(out_.str().find("\033[31m1 failed\033[0m"), std::string::npos) << out_.str();
  out_.str("");
  progress.Finish();
  EXPECT_NE(out_.str().find(", 0.3/s, 10 s\033[K\n"), std::string::npos)
      << "how long it took: " << out_.str();
}

TEST_F(ProgressTest, OnATerminalWhatPassesHasNoLineUnlessTheHarnessLinesAreAskedFor) {
  options_.bar = true;
  for (const bool lines : {false, true}) {
    options_.lines = lines;
    out_.str("");
    Progress progress(options_, &out_);
    progress.Expect("relu", "diopiRelu");
    progress.Add(MakeVerdict("relu", "diopiRelu", v1::OUTCOME_PASS));
    progress.Finish();
    EXPECT_EQ(
        out_.str().find(" - DIOPI-Test - INFO - Run diopi_functions.relu succeed\n") != std::string::npos,
        lines)
        << out_.str();
  }
}

TEST(DurationText, HasTheTwoLargestUnits) {
  EXPECT_EQ(DurationText(std::chrono::seconds(59)), "59 s");
  EXPECT_EQ(DurationText(std::chrono::seconds(125)), "2 min 05 s");
  EXPECT_EQ(DurationText(std::chrono::seconds(3720)), "1 h 02 min");
}

TEST_F(ProgressTest, QuietPrintsNothing) {
  options_.quiet = true;
  options_.bar = true;
  Progress progress(options_, &out_);
  progress.Add(MakeVerdict("add", "diopiAdd", v1::OUTCOME_FAIL));
  progress.Finish();
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace diopi::agent
