#include "baselines/tap/tool_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace diopi::tap {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;

using Values = std::map<std::string, std::string>;

const FunctionTable& Table() {
  static const FunctionTable& table = *[] { return FunctionTable::Load().value().release(); }();
  return table;
}

ToolSettings Read(const Values& values, std::vector<std::string>* problems) {
  return ReadToolSettings(
      [&](const char* name) {
        const auto found = values.find(name);
        return found == values.end() ? nullptr : found->second.c_str();
      },
      Table(), "/tap", problems);
}

std::vector<std::string> Watched(const ToolSettings& settings, Tool tool) {
  std::vector<std::string> names;
  for (size_t i = 0; i < settings.tools.size(); ++i) {
    if ((settings.tools[i] & tool) != 0) names.push_back(Table().functions()[i].function->name());
  }
  return names;
}

struct ListTest {
  std::string description;
  Values values;
  Tool tool;
  std::vector<std::string> watched;
};

class ListsTest : public ::testing::TestWithParam<ListTest> {};

TEST_P(ListsTest, WatchTheFunctionsThatTheyName) {
  std::vector<std::string> problems;
  const ToolSettings settings = Read(GetParam().values, &problems);
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_THAT(Watched(settings, GetParam().tool), UnorderedElementsAreArray(GetParam().watched));
}

INSTANTIATE_TEST_SUITE_P(
    Settings, ListsTest,
    ::testing::Values(
        ListTest{"none", {}, kCapture, {}},
        ListTest{"abi_name", {{"OP_CAPTURE_LIST", "diopiAddInp"}}, kCapture, {"diopiAddInp"}},
        ListTest{
            "operator_name", {{"OP_CAPTURE_LIST", "gelu"}}, kCapture, {"diopiGelu", "diopiGeluBackward"}},
        ListTest{"several",
                 {{"OP_CAPTURE_LIST", " diopiBmm , diopiSoftmax,"}},
                 kCapture,
                 {"diopiBmm", "diopiSoftmax"}},
        ListTest{"expression",
                 {{"OP_FALLBACK_LIST", "diopiSoftmax(Backward)?"}},
                 kFallback,
                 {"diopiSoftmax", "diopiSoftmaxBackward"}},
        ListTest{"whole_name", {{"OP_FALLBACK_LIST", "diopiSoftmax"}}, kFallback, {"diopiSoftmax"}},
        ListTest{
            "disabled",
            {{"OP_FALLBACK_LIST", "diopiSoftmax(Backward)?"}, {"OP_FALLBACK_DISABLE_LIST", ".*Backward"}},
            kFallback,
            {"diopiSoftmax"}},
        ListTest{"both_names_of_a_list",
                 {{"OP_FALLBACK_LIST", "diopiBmm"}, {"DIPU_FORCE_FALLBACK_OPS_LIST", "diopiMm"}},
                 kFallback,
                 {"diopiBmm", "diopiMm"}},
        ListTest{"compare", {{"DIPU_AUTOCOMPARE_OPS_LIST", "diopiBmm"}}, kCompare, {"diopiBmm"}},
        ListTest{"another_tool", {{"OP_CAPTURE_LIST", "bmm"}}, kFallback, {}}),
    [](const auto& test) { return test.param.description; });

TEST(ToolSettingsTest, ADisableListAloneWatchesAllOthers) {
  std::vector<std::string> problems;
  const ToolSettings settings = Read({{"OP_CAPTURE_DISABLE_LIST", "diopiBmm"}}, &problems);
  EXPECT_EQ(Watched(settings, kCapture).size(), 537U);
}

struct BadSetting {
  std::string description;
  Values values;
  std::string problem;
  Tool off;
};

class BadSettingsTest : public ::testing::TestWithParam<BadSetting> {};

TEST_P(BadSettingsTest, AreReportedAndTheirToolIsOff) {
  std::vector<std::string> problems;
  const ToolSettings settings = Read(GetParam().values, &problems);
  EXPECT_THAT(problems, ElementsAre(HasSubstr(GetParam().problem)));
  EXPECT_THAT(Watched(settings, GetParam().off), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Settings, BadSettingsTest,
    ::testing::Values(BadSetting{"expression",
                                 {{"OP_CAPTURE_LIST", "add("}},
                                 "OP_CAPTURE_LIST: 'add(' is no regular expression",
                                 kCapture},
                      BadSetting{"unknown",
                                 {{"OP_FALLBACK_LIST", "diopiAd"}},
                                 "OP_FALLBACK_LIST: 'diopiAd' matches no function or operator; nearest: ",
                                 kFallback},
                      BadSetting{"level",
                                 {{"DIPU_DUMP_OP_ARGS", "4"}},
                                 "DIPU_DUMP_OP_ARGS: is '4'; expected an integer from 0 to 3",
                                 kDump},
                      BadSetting{"bytes",
                                 {{"OP_CAPTURE_LIST", ".*"}, {"DIOPI_TAP_CAPTURE_BYTES", "1G"}},
                                 "DIOPI_TAP_CAPTURE_BYTES: is '1G'",
                                 kCapture},
                      BadSetting{"steps",
                                 {{"OP_CAPTURE_LIST", ".*"}, {"DIOPI_TAP_STEPS", "5-3"}},
                                 "DIOPI_TAP_STEPS: is '5-3'; expected FIRST-LAST",
                                 kCapture},
                      BadSetting{"schedule",
                                 {{"DIOPI_TAP_TRACE", "t.json"}, {"DIOPI_TAP_SCHEDULE", "wait=1 activ=2"}},
                                 "DIOPI_TAP_SCHEDULE: has 'activ=2'",
                                 kTime},
                      BadSetting{"no_active_steps",
                                 {{"DIOPI_TAP_TRACE", "t.json"}, {"DIOPI_TAP_SCHEDULE", "wait=1"}},
                                 "DIOPI_TAP_SCHEDULE: has no active steps",
                                 kTime},
                      BadSetting{"cycle_of_zero",
                                 {{"DIOPI_TAP_TRACE", "t.json"},
                                  {"DIOPI_TAP_SCHEDULE",
                                   "wait=9223372036854775807 warmup=9223372036854775807 active=2"}},
                                 "DIOPI_TAP_SCHEDULE: has 'wait=9223372036854775807'; expected",
                                 kTime},
                      BadSetting{"clock",
                                 {{"DIOPI_TAP_TRACE", "t.json"}, {"DIOPI_TAP_CLOCK", "gpu"}},
                                 "DIOPI_TAP_CLOCK: is 'gpu'; expected host or device",
                                 kTime},
                      BadSetting{"contract",
                                 {{"OP_AUTOCOMPARE_LIST", ".*"}, {"DIOPI_TAP_CONTRACTS", "tf33"}},
                                 "DIOPI_TAP_CONTRACTS: ",
                                 kCompare}),
    [](const auto& test) { return test.param.description; });

TEST(ScheduleTest, CyclesThroughWaitWarmUpAndActiveSteps) {
  const Schedule schedule{/*skip=*/2, /*wait=*/1, /*warmup=*/1, /*active=*/2, /*repeat=*/2};
  std::vector<int64_t> active;
  for (int64_t step = 0; step < 20; ++step) {
    if (schedule.IsActive(step)) active.push_back(step);
  }
  EXPECT_THAT(active, ElementsAre(4, 5, 8, 9));
  EXPECT_TRUE(Schedule().IsActive(7));
}

TEST(ToolSettingsTest, ReadsTheRest) {
  std::vector<std::string> problems;
  const ToolSettings settings = Read({{"DIOPI_TAP_TRACE", "t.json"},
                                      {"DIOPI_TAP_SCHEDULE", "skip=1,wait=2 warmup=3 active=4 repeat=5"},
                                      {"DIOPI_TAP_CLOCK", "device"},
                                      {"DIOPI_TAP_STEPS", "3-"},
                                      {"DIPU_DUMP_OP_ARGS", "2"},
                                      {"DIOPI_TAP_CONTRACTS", "tf32"},
                                      {"DIOPI_TAP_STEP_ENDS", "diopiRelu"}},
                                     &problems);
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(Watched(settings, kTime).size(), 538U);
  EXPECT_EQ(Watched(settings, kDump).size(), 538U);
  EXPECT_EQ(settings.dump_level, 2);
  EXPECT_EQ(settings.schedule.repeat, 5);
  EXPECT_TRUE(settings.device_clock);
  EXPECT_FALSE(settings.InSteps(2));
  EXPECT_TRUE(settings.InSteps(1000));
  EXPECT_THAT(settings.contracts.Texts(), ElementsAre("tf32"));
  EXPECT_EQ(std::count(settings.step_ends.begin(), settings.step_ends.end(), true), 1);
  EXPECT_EQ(settings.reference, "/tap/libdiopi_cpu.so");
}

}  // namespace
}  // namespace diopi::tap
