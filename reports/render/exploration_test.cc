#include "reports/render/exploration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace diopi::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::RunInfo Sample() {
  v1::RunInfo run;
  run.set_run_id("20261120-101502-7f3a");
  run.set_state(v1::RUN_STATE_FINISHED);
  run.mutable_options()->set_chip("demo");
  run.mutable_options()->mutable_exploration()->set_seconds(7200);
  run.mutable_options()->mutable_exploration()->set_seed(7);
  v1::Exploration& done = *run.mutable_exploration();
  done.set_calls(64);
  done.set_functions_called(1);
  (*done.mutable_outcomes())["pass"] = 60;
  (*done.mutable_outcomes())["fail"] = 4;
  v1::Exploration::Function& function = *done.add_functions();
  function.set_name("diopiAdd");
  function.set_calls(64);
  function.set_failures(4);
  v1::Exploration::Cause& cause = *done.add_causes();
  cause.set_outcome(v1::OUTCOME_FAIL);
  cause.set_cause("ignores \"alpha\"");
  cause.set_reason("out: 3 of 24 elements");
  cause.set_example("add.float32.x7_shrunk");
  cause.add_operators("add");
  cause.set_calls(4);
  cause.set_text("# Repeat: diopi-cli repro");
  cause.set_command("diopi-cli repro add.float32.x7_shrunk");
  return run;
}

TEST(RenderExploration, EveryFormatHasCausesOrFunctions) {
  for (const std::string& format : ExplorationFormats()) {
    const auto text = RenderExploration(Sample(), format);
    ASSERT_TRUE(text.ok()) << format << ": " << text.status();
    EXPECT_THAT(*text, HasSubstr("diopiAdd")) << format;
    if (format == "csv") continue;
    EXPECT_THAT(*text, HasSubstr("diopi-cli repro add.float32.x7_shrunk")) << format;
    EXPECT_THAT(*text, HasSubstr("# Repeat: ")) << format;
  }
  EXPECT_EQ(*RenderExploration(Sample(), "csv"),
            "function,calls,failures,classes,pairs\r\ndiopiAdd,64,4,0,0\r\n");
  const absl::Status unknown = RenderExploration(Sample(), "junit").status();
  EXPECT_TRUE(absl::IsInvalidArgument(unknown)) << unknown;
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("'junit'; it has: text, markdown"));
}

TEST(RenderExploration, CausesAddUp) {
  v1::RunInfo run = Sample();
  EXPECT_THAT(*RenderExploration(run, "text"),
              HasSubstr("4 failures: 4 explained by 1 cause, 0 not diagnosed."));
  (*run.mutable_exploration()->mutable_outcomes())["fail"] = 25;
  *run.mutable_exploration()->add_causes() = run.exploration().causes(0);
  EXPECT_THAT(*RenderExploration(run, "text"),
              HasSubstr("25 failures: 8 explained by 2 causes, 17 not diagnosed."));
}

TEST(RenderExploration, SaysWhetherCausesWereSought) {
  v1::RunInfo run = Sample();
  run.mutable_exploration()->clear_causes();
  EXPECT_THAT(*RenderExploration(run, "text"), HasSubstr("The causes of the failures were not looked for."));
  run.mutable_exploration()->mutable_outcomes()->erase("fail");
  EXPECT_THAT(*RenderExploration(run, "text"), HasSubstr("No call failed."));
  EXPECT_THAT(*RenderExploration(run, "text"), Not(HasSubstr("sought")));
}

TEST(AskedText, CallsOrATime) {
  struct Row {
    int64_t calls;
    double seconds;
    const char* text;
  };
  for (const Row& row : {Row{1, 0, "1 call"}, Row{5000, 0, "5000 calls"}, Row{0, 45, "45 s"},
                         Row{0, 90, "1.5 min"}, Row{0, 7200, "2 h"}}) {
    v1::ExplorationOptions asked;
    asked.set_calls(row.calls);
    asked.set_seconds(row.seconds);
    EXPECT_EQ(AskedText(asked), row.text);
  }
}

}  // namespace
}  // namespace diopi::reports
