// What the answers of the API say.
#include <fstream>

#include "reports/model/report.h"
#include "reports/render/render.h"
#include "server/http/api_testing.h"

namespace diopi::server {
namespace {

using api_testing::ApiTest;
using api_testing::FoundVerdict;
using api_testing::Json;
using api_testing::RichVerdict;
using ::testing::HasSubstr;

TEST_F(ApiTest, CapturesAreTheFoldersOfTheDataFolder) {
  EXPECT_EQ(Ask("/captures").at("captures").size(), 0U);
  Captured("run 1", {7, 9});
  Captured("run 2", {8});
  std::filesystem::create_directories(folder_ / "captures/empty");
  std::filesystem::last_write_time(folder_ / "captures/run 1/" + FileOfCall(2),
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  const Json list = Ask("/captures").at("captures");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list.at(0).at("name"), "run 1");
  EXPECT_EQ(list.at(0).at("calls"), 2);
  EXPECT_EQ(list.at(0).at("functions"), 1);
  EXPECT_EQ(list.at(0).at("processes"), 1);
  const Json capture = Ask("/captures/run%201");
  EXPECT_EQ(capture.at("threads"), 2);
  EXPECT_EQ(capture.at("library"), "libvendor.so");
  EXPECT_EQ(capture.at("command"), "diopi-cli replay 'run 1' --impl LIBRARY");
  const Json& call = capture.at("list").at(1);
  EXPECT_EQ(call.at("file"), FileOfCall(2));
  EXPECT_EQ(call.at("function"), "diopiAdd");
  EXPECT_EQ(call.at("order"), 2);
  EXPECT_EQ(call.at("step"), 3);
  EXPECT_EQ(call.at("thread"), 9);
  EXPECT_EQ(call.at("stream"), "0x0");
  EXPECT_EQ(call.at("start_us"), 1500);
  EXPECT_EQ(call.at("took_us"), 250);
  EXPECT_EQ(call.at("returned"), 5);
  EXPECT_GT(call.at("bytes"), 8);
  EXPECT_EQ(Ask("/captures/run%201?limit=1").at("list").size(), 1U);
  std::filesystem::resize_file(folder_ / "captures/run 1/" + FileOfCall(1), 100);
  const Json damaged = Ask("/captures/run%201");
  EXPECT_EQ(damaged.at("list").size(), 1U);
  EXPECT_THAT(damaged.at("damaged").at(0).get<std::string>(), HasSubstr(FileOfCall(1)));
  for (const char* name :
       {"no_such", "empty", "..", "%2E%2E", "..%2Fcaptures%2Frun%201", "run%201%2F.", "a%00"}) {
    Ask(absl::StrCat("/captures/", name), 404);
  }
}

TEST_F(ApiTest, AnExplorationIsListedByItselfAndShowsItsCauses) {
  const std::string id = Explored("chip a", /*stored=*/true);
  EXPECT_EQ(Ask("/runs?chip=chip%20a").at("runs").size(), 2U);
  EXPECT_EQ(Ask("/chips/chip%20a").at("latest").at("run_id"), bad_);
  const Json list = Ask("/explorations").at("explorations");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].at("run_id"), id);
  EXPECT_EQ(list[0].at("asked_calls"), 64);
  EXPECT_TRUE(list[0].at("asked_seconds").is_null());
  EXPECT_EQ(list[0].at("failed"), 4);
  EXPECT_EQ(list[0].at("causes"), 1);
  const Json shown = Ask("/runs/" + id).at("exploration");
  EXPECT_EQ(shown.at("seed"), "7");
  EXPECT_EQ(shown.at("functions")[0].at("failures"), 4);
  EXPECT_EQ(shown.at("causes")[0].at("text"), "operator: \"add\"");
  EXPECT_TRUE(Ask("/runs/" + good_).at("exploration").is_null());
  EXPECT_EQ(Ask("/explorations?chip=chip%20b").at("explorations").size(), 0U);
  EXPECT_EQ(Ask("/explorations?label=branch%3Dmain").at("explorations").size(), 1U);
  EXPECT_EQ(Ask("/explorations?label=branch%3Dother").at("explorations").size(), 0U);
  EXPECT_EQ(Ask("/runs?label=branch%3Dmain").at("runs").size(), 0U);
}

TEST_F(ApiTest, RangesLabelsAndAgents) {
  v1::RunOptions options = MakeOptions("chip l");
  (*options.mutable_labels())["commit"] = "1f2e3d";
  const std::string run = database_->CreateRun(options, "s", MakeCases(4))->run_id();
  EXPECT_EQ(Ask("/runs/" + run).at("labels"), Json({{"commit", "1f2e3d"}}));
  EXPECT_EQ(Ask("/runs/" + good_).at("labels"), Json::object());
  const Json labelled = Ask("/runs?label=commit%3D1f2e3d").at("runs");
  ASSERT_EQ(labelled.size(), 1U);
  EXPECT_EQ(labelled[0].at("run_id"), run);
  EXPECT_EQ(Ask("/runs?label=commit%3D1").at("runs"), Json::array());
  EXPECT_EQ(Ask("/runs?to=2020-01-01").at("runs").size(), 0U);
  EXPECT_EQ(Ask("/runs?from=2020-01-01&chip=chip%20l").at("runs").size(), 1U);
  EXPECT_EQ(Ask("/chips?to=2020-01-01").at("chips").size(), 0U);
  EXPECT_EQ(Ask("/lab?to=2020-01-01").at("chips").size(), 0U);
  const Json agents = Ask("/agents").at("agents");
  EXPECT_EQ(agents[0].at("state"), "busy");
  EXPECT_EQ(agents[0].at("done"), 12);
  EXPECT_EQ(agents[1].at("state"), "lost");
  EXPECT_TRUE(agents[1].at("run_id").is_null());
  EXPECT_EQ(Ask("/lab").at("failures"), Json::array());  // no run of the chip is complete
  Run("chip a", v1::RUN_STATE_FINISHED,
      {FoundVerdict(0), MakeVerdict(1, v1::OUTCOME_PASS), MakeVerdict(2, v1::OUTCOME_PASS),
       MakeVerdict(3, v1::OUTCOME_PASS)});
  const Json lab = Ask("/lab");
  ASSERT_GE(lab.at("failures").size(), 1U);
  EXPECT_EQ(lab.at("failures")[0].at("chips")[0].at("chip"), "chip a");
}

TEST_F(ApiTest, MeasuredCalls) {
  const std::string before = Measured("chip m", 10), after = Measured("chip m", 30);
  EXPECT_EQ(Ask("/runs/" + good_).at("measured_calls"), 0);
  EXPECT_EQ(Ask("/runs/" + after).at("measured_calls"), 2);
  const Json answer = Ask("/runs/" + after + "/performance?against=" + before);
  EXPECT_EQ(answer.at("calls")[0].at("us").at("median"), 30);
  EXPECT_EQ(answer.at("calls")[1].at("not_measured"), "its case exp.float32.n does not pass: fail");
  EXPECT_EQ(answer.at("comparison").at("against"), before);
  EXPECT_EQ(answer.at("comparison").at("slower"), Json({"diopiAdd"}));
  EXPECT_FALSE(Ask("/runs/" + after + "/performance").contains("comparison"));
  const Json runs = Ask("/performance?chip=chip%20m").at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].at("run_id"), before);
  EXPECT_EQ(runs[1].at("measured"), 1);
}

TEST_F(ApiTest, ACase) {
  const Json json = Ask("/runs/" + bad_ + "/cases/" + CaseId(0));
  EXPECT_EQ(json.at("outcome"), "fail");
  EXPECT_EQ(json.at("error_text"), "not UTF-8: \xEF\xBF\xBD");
  EXPECT_EQ(json.at("reveals"), "carelessness");
  const Json arguments = {{{"name", "input"}, {"role", "in"}, {"text", "float32 (2,)"}},
                          {{"name", "alpha"}, {"role", ""}, {"text", "0.5"}}};
  EXPECT_EQ(json.at("arguments"), arguments);
  EXPECT_THAT(json.at("repro").get<std::string>(), HasSubstr("diopi-cli repro add.float32.p0"));
  const Json& output = json.at("outputs").at(0);
  EXPECT_EQ(output.at("max_ulp"), "Infinity");
  EXPECT_EQ(output.at("bias"), "-Infinity");
  EXPECT_TRUE(output.at("max_z").is_null());
  EXPECT_EQ(output.at("first").at(0).at("index"), 4);
  EXPECT_TRUE(output.at("first").at(0).at("actual").is_null());
  EXPECT_EQ(output.at("rmse_device"), 0.25);
  // Unknown here, or redefined by now.
  EXPECT_TRUE(Ask("/runs/" + bad_ + "/cases/" + CaseId(1)).at("arguments").is_null());
}

TEST_F(ApiTest, TheListOfCasesAndItsFilters) {
  const std::string path = "/runs/" + bad_ + "/cases";
  const Json all = Ask(path);
  ASSERT_EQ(all.at("rows").size(), 3U);
  EXPECT_EQ(all.at("rows").at(0).size(), all.at("columns").size());
  EXPECT_EQ(all.at("rows").at(0).at(5), "it \"differs\"");
  const std::pair<std::string, size_t> filters[] = {
      {"?outcome=fail", 1},  {"?outcome=failed", 1},   {"?outcome=fail,waived", 2},
      {"?operator=add", 3},  {"?operator=sub,add", 3}, {"?operator=sub", 0},
      {"?dtype=float32", 3}, {"?dtype=float16", 0},    {"?outcome=&operator=add", 3},
  };
  for (const auto& [filter, count] : filters)
    EXPECT_EQ(Ask(path + filter).at("rows").size(), count) << filter;
}

TEST_F(ApiTest, FailuresAreGrouped) {
  v1::Verdict second = RichVerdict(1);
  second.set_dtype(v1::Dtype::float16);
  v1::Verdict ours = MakeVerdict(2, v1::OUTCOME_HARNESS_ERROR);
  ours.set_reason("no usable baseline");
  const std::string run = Run("chip d", v1::RUN_STATE_FINISHED, {RichVerdict(0), second, ours});
  const Json json = Ask("/runs/" + run + "/failures");
  EXPECT_EQ(json.at("cases"), 3);
  ASSERT_EQ(json.at("groups").size(), 2U);
  const Json& group = json.at("groups").at(0);
  EXPECT_EQ(group.at("outcome"), "fail");
  EXPECT_EQ(group.at("cause"), "it \"differs\" second line");
  EXPECT_EQ(group.at("dtypes"), Json({"float16", "float32"}));
  EXPECT_EQ(group.at("case_ids"), Json({CaseId(0), CaseId(1)}));
  EXPECT_EQ(group.at("example").at("case_id"), CaseId(0));
  EXPECT_THAT(group.at("example").at("repro").get<std::string>(), HasSubstr("repro " + CaseId(0)));
  EXPECT_EQ(json.at("groups").at(1).at("outcome"), "harness_error");
  EXPECT_EQ(Ask("/runs/" + good_ + "/failures").at("groups").size(), 0U);
}

TEST_F(ApiTest, FindingsOfListsLackWhatIsEmpty) {
  const std::string run = Run("chip f", v1::RUN_STATE_FINISHED, {FoundVerdict(0), FoundVerdict(1)});
  const Json cause = {{"code", "consistent_with"},
                      {"parts", {{{"code", "taken_as"}, {"name", "alpha"}, {"expected", "1"}}}}};
  const Json first = {{"code", "of_output"},
                      {"name", "out"},
                      {"parts",
                       {{{"code", "wrong_elements"},
                         {"count", 1},
                         {"of", 9},
                         {"place", {{"at", {0, 0}}}},
                         {"got", "nan"},
                         {"expected", "1"}}}}};
  const Json row = Ask("/runs/" + run + "/cases").at("rows").at(0);
  EXPECT_THAT(row.at(5).get<std::string>(),
              HasSubstr("out: 1 of 9 elements differs, first at [0, 0]: got nan"));
  EXPECT_EQ(row.at(6), Json::array({first}));
  EXPECT_EQ(row.at(7), cause);
  const Json group = Ask("/runs/" + run + "/failures").at("groups").at(0);
  EXPECT_EQ(group.at("cause"), "consistent with alpha taken as 1");
  EXPECT_EQ(group.at("finding"), cause);
  EXPECT_EQ(group.at("example").at("findings"), Json::array({first}));
  EXPECT_EQ(Ask("/runs/" + bad_ + "/failures").at("groups").at(0).at("finding"), nullptr);
  EXPECT_EQ(Ask("/runs/" + bad_ + "/cases").at("rows").at(0).at(6), Json::array());
}

// The page reads verdicts without their outputs, a report has them.
TEST_F(ApiTest, TheGroupsAreThoseOfEveryReport) {
  v1::Verdict uncaused = FoundVerdict(1);
  uncaused.clear_cause();
  v1::Verdict missing = MakeVerdict(2, v1::OUTCOME_FAIL);
  *missing.add_findings() =
      Found(v1::Finding::OF_OUTPUT).Name("out").Part(Found(v1::Finding::OUTPUT_MISSING));
  const std::string run =
      Run("chip g", v1::RUN_STATE_FINISHED, {FoundVerdict(0), uncaused, missing, RichVerdict(3)});
  const absl::StatusOr<reports::RunReport> report = reports::LoadReport(*database_, run);
  ASSERT_TRUE(report.ok()) << report.status();
  const std::string texts[] = {reports::RenderFailures(*report), *reports::Render(*report, "markdown"),
                               *reports::Render(*report, "junit")};
  const Json groups = Ask("/runs/" + run + "/failures").at("groups");
  ASSERT_EQ(groups.size(), 3U);  // the one without a cause joins the one with a cause
  ASSERT_EQ(report->failures.size(), 3U);
  for (size_t i = 0; i < groups.size(); ++i) {
    const reports::FailureGroup& group = report->failures[i];
    EXPECT_EQ(groups[i].at("key"), group.key);
    EXPECT_EQ(groups[i].at("cause"), group.cause);
    EXPECT_EQ(groups[i].at("case_ids"), group.cases);
    // Quotes and brackets are escaped in some.
    const std::string cause = group.cause.substr(0, group.cause.find_first_of("\"["));
    for (const std::string& text : texts) EXPECT_THAT(text, HasSubstr(cause));
  }
}

TEST_F(ApiTest, RunsOfAChip) {
  const Json runs = Ask("/runs?chip=chip%20a").at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).at("run_id"), bad_);
  EXPECT_EQ(runs.at(0).at("waivers_in_force"), 1);
  EXPECT_EQ(Ask("/runs?chip=unnamed").at("runs").size(), 1U);
  EXPECT_EQ(Ask("/runs").at("runs").size(), 4U);
  EXPECT_EQ(Ask("/runs/" + bad_).at("waivers").at(0).at("case_id"), CaseId(1));
  const Json diff = Ask("/compare?a=" + good_ + "&b=" + bad_);
  EXPECT_EQ(diff.at("counts").at("newly_failing"), 1);
  EXPECT_EQ(diff.at("counts").at("appeared"), 1);
  EXPECT_EQ(diff.at("same_variant"), true);
  EXPECT_EQ(diff.at("comparison").at("identity"), Json::array());
  EXPECT_EQ(diff.at("comparison").at("times").at("kind"), "same_library");
  EXPECT_EQ(diff.at("comparable"), "the same variant, reference and agent");
}

// A run of an agent that described its machine, beside older ones.
TEST_F(ApiTest, TheMachineOfARun) {
  EXPECT_EQ(Ask("/runs/" + bad_).at("machine"), nullptr);
  EXPECT_EQ(Ask("/chips/chip%20a").at("machine"), nullptr);
  v1::RunOptions options = MakeOptions("chip a");
  options.mutable_machine()->set_processor("A processor");
  options.mutable_machine()->set_memory_bytes(1 << 30);
  options.mutable_machine()->add_gpus()->set_name("A GPU");
  const std::string run = database_->CreateRun(options, "s", MakeCases(4))->run_id();
  const Json machine = Ask("/runs/" + run).at("machine");
  EXPECT_EQ(machine.at("processor"), "A processor");
  EXPECT_EQ(machine.at("memory_bytes"), 1 << 30);
  EXPECT_EQ(machine.at("gpus").at(0).at("name"), "A GPU");
  // The chip's is that of its newest run, as none is complete.
  EXPECT_EQ(Ask("/chips/chip%20a").at("machine"), machine);
}

}  // namespace
}  // namespace diopi::server
