// The API of a real server on a loopback port, over a real data folder; every answer is validated by the
// schema.
#include "server/http/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/store/store.h"
#include "baselines/tap/capture.h"
#include "build_paths.h"
#include "reports/performance/performance_testing.h"
#include "server/http/api_schema.h"
#include "server/http/compress.h"
#include "server/http/page.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr char kApi[] = "/api/v1";

v1::Case MakeCase(const v1::Verdict& verdict) {
  v1::Case c;
  c.set_id(verdict.case_id());
  c.set_hash(verdict.case_hash());
  c.set_operator_(verdict.operator_());
  c.set_function(verdict.function());
  c.set_dtype(verdict.dtype());
  c.set_reveals("carelessness");
  v1::Argument& input = *c.add_args();
  input.set_name("input");
  input.set_role(v1::ROLE_INPUT);
  input.mutable_tensor()->set_dtype(v1::Dtype::float32);
  input.mutable_tensor()->add_shape(2);
  v1::Argument& alpha = *c.add_args();
  alpha.set_name("alpha");
  alpha.set_f(0.5);
  return c;
}

// Fails with everything that a verdict can have.
v1::Verdict RichVerdict(int i) {
  v1::Verdict verdict = MakeVerdict(i, v1::OUTCOME_FAIL);
  verdict.set_reason("it \"differs\"\nsecond line");
  verdict.set_error_text("not UTF-8: \xff");
  verdict.set_call_us(12.5);
  verdict.set_elapsed_us(99);
  verdict.set_device_index(1);
  verdict.add_contracts("tf32");
  v1::OutputStats& output = *verdict.add_outputs();
  output.set_key("out");
  output.set_dtype(v1::Dtype::float32);
  output.add_shape(2);
  output.add_shape(3);
  output.set_elements(6);
  output.set_mismatches(3);
  output.set_gates("P,R");
  output.set_max_ulp(std::numeric_limits<double>::infinity());
  output.set_max_z(std::nan(""));
  output.set_bias(-std::numeric_limits<double>::infinity());
  output.set_grade("C");
  output.set_rmse_device(0.25);
  for (int bin = 0; bin < 24; ++bin) output.add_ulp_histogram(bin);
  v1::Mismatch& first = *output.add_first();
  first.set_index(4);
  first.set_actual(std::nan(""));
  first.set_expected(1);
  return verdict;
}

class ApiTest : public testing::Test {
 protected:
  ApiTest() : path_(DatabasePath(folder_.path())), database_(*Database::Open(path_, {})) {
    good_ = Run("chip a", v1::RUN_STATE_FINISHED,
                {MakeVerdict(0, v1::OUTCOME_PASS), MakeVerdict(1, v1::OUTCOME_PASS)});
    bad_ = Run(
        "chip a", v1::RUN_STATE_FINISHED,
        {RichVerdict(0), MakeVerdict(1, v1::OUTCOME_WAIVED), MakeVerdict(2, v1::OUTCOME_NOT_IMPLEMENTED)});
    queued_ = Run("", v1::RUN_STATE_QUEUED, {});
    running_ = Run("chip b", v1::RUN_STATE_RUNNING, {MakeVerdict(0, v1::OUTCOME_PASS)});
    WriteBaseline();
    http_ = HttpServer::Create({});
    RegisterApi(http_.get(), *Queries::Open(path_), {folder_.path(), "cpu", "1.2.3", Agents});
    const absl::Status status = http_->Listen("127.0.0.1", 0);
    EXPECT_TRUE(status.ok()) << status;
    client_ = std::make_unique<httplib::Client>(absl::StrCat("http://", http_->address()));
    client_->set_decompress(false);
    client_->set_read_timeout(60);  // the first question about models reads all operators
  }

  static std::vector<v1::AgentInfo> Agents() {
    std::vector<v1::AgentInfo> agents(2);
    agents[0].mutable_facts()->set_agent_id("host-1");
    agents[0].mutable_facts()->set_chip("chip a");
    agents[0].set_state(v1::AGENT_STATE_BUSY);
    agents[0].set_run_id("20261120-101502-7f3a");
    agents[0].set_cases(40);
    agents[0].set_done(12);
    agents[0].set_since("2026-11-20T10:15:02Z");
    agents[0].set_seen("2026-11-20T10:16:02Z");
    agents[1].set_state(v1::AGENT_STATE_LOST);
    return agents;
  }
  std::string Run(const std::string& chip, v1::RunState state, const std::vector<v1::Verdict>& verdicts) {
    v1::RunOptions options = MakeOptions(chip);
    if (state == v1::RUN_STATE_FINISHED) options.clear_selection();
    std::string id = database_->CreateRun(options, "s", MakeCases(4))->run_id();
    EXPECT_TRUE(database_->Append(id, verdicts).ok());
    if (state == v1::RUN_STATE_QUEUED) {
      v1::Submission submission;
      submission.set_note("waits");
      EXPECT_TRUE(database_->SetSubmission(id, submission).ok());
    } else {
      EXPECT_TRUE(database_->SetState(id, state).ok());
    }
    return id;
  }
  // A run whose call takes this long in every round, and another call that has no time.
  std::string Measured(const std::string& chip, double us) {
    std::string id = Run(chip, v1::RUN_STATE_RUNNING, {MakeVerdict(0, v1::OUTCOME_PASS)});
    const std::vector<double> samples(8, us);
    std::vector<v1::Measurement> measurements = {
        reports::MakeMeasurement("add.float32.p0", "diopiAdd", {samples, samples, samples}),
        reports::MakeMeasurement("exp.float32.n", "diopiExp", {})};
    measurements[0].mutable_work()->set_read_bytes(4e5);
    measurements[1].set_not_measured("its case does not pass: fail");
    v1::MachineFacts machine;
    machine.set_copy_bytes_per_s(8e9);
    EXPECT_TRUE(database_->AppendPerformance(id, {&measurements[0], &measurements[1]}, &machine).ok());
    EXPECT_TRUE(database_->SetState(id, v1::RUN_STATE_FINISHED).ok());
    return id;
  }
  // An exploration with a cause; `stored`: with its file.
  std::string Explored(const std::string& chip, bool stored) {
    v1::RunOptions options = MakeOptions(chip);
    options.mutable_exploration()->set_seed(7);
    (*options.mutable_labels())["branch"] = "main";
    stored ? options.mutable_exploration()->set_calls(64) : options.mutable_exploration()->set_seconds(7200);
    const std::string id = database_->CreateRun(options, "s", {})->run_id();
    v1::Exploration exploration;
    exploration.set_calls(64);
    exploration.set_functions_called(1);
    (*exploration.mutable_outcomes())["pass"] = 60;
    (*exploration.mutable_outcomes())["memory"] = 4;
    exploration.add_given_up("diopiSub");
    v1::Exploration::Function& function = *exploration.add_functions();
    function.set_name("diopiAdd");
    function.set_calls(64);
    function.set_failures(4);
    v1::Exploration::Cause& cause = *exploration.add_causes();
    cause.set_outcome(v1::OUTCOME_MEMORY);
    cause.add_operators("add");
    cause.set_calls(4);
    cause.set_file("add_0a1b2c3d.textproto");
    if (stored) cause.set_text("operator: \"add\"");
    EXPECT_TRUE(database_->WriteExploration(id, exploration).ok());
    return id;
  }
  // Calls of diopiAdd, one on each of these threads.
  void Captured(const std::string& name, const std::vector<int64_t>& threads) {
    tap::CaptureFolder capture(folder_.File("captures/" + name), 1 << 20, "libvendor.so");
    v1::Case c = MakeCase(MakeVerdict(0, v1::OUTCOME_PASS));
    c.set_function("diopiAdd");
    const HostTensor tensor{v1::Dtype::float32, {2}, std::string(8, 'x')};
    int64_t order = 0;
    for (const int64_t thread : threads) {
      const absl::Status status =
          capture.Add(c, {{"input", tensor}}, {{"out", tensor}}, {++order, thread, nullptr, 3, 1500, 250, 5});
      ASSERT_TRUE(status.ok()) << status;
    }
  }
  static std::string FileOfCall(int order) { return absl::StrFormat("%d-%06d-diopiAdd.h5", getpid(), order); }
  // Writes the baseline of the case p0 only.
  void WriteBaseline() {
    baselines::Provenance provenance;
    provenance.reference = "cpu";
    const std::string path = baselines::BaselinePath(folder_.path(), "cpu", "add");
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    auto writer = baselines::BaselineWriter::Create(path, "add", provenance);
    ASSERT_TRUE(writer.ok()) << writer.status();
    baselines::Baseline baseline;
    baseline.c = MakeCase(MakeVerdict(0, v1::OUTCOME_PASS));
    ASSERT_TRUE((*writer)->Add(baseline).ok());
    ASSERT_TRUE((*writer)->Commit().ok());
  }
  httplib::Result Get(const std::string& path, const httplib::Headers& headers = {}) {
    auto result = client_->Get(path, headers);
    EXPECT_TRUE(result) << path << ": " << httplib::to_string(result.error());
    return result;
  }
  Json Ask(const std::string& path, int status = 200) {
    const auto result = Get(kApi + path);
    if (!result) return {};
    EXPECT_EQ(result->status, status) << path << ": " << result->body;
    EXPECT_EQ(result->get_header_value("Content-Type"), "application/json") << path;
    Json json = Json::parse(result->body, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << path;
    return json;
  }

  const ScratchFolder folder_;
  const std::string path_;
  const std::unique_ptr<Database> database_;
  std::string good_;
  std::string bad_;
  std::string queued_;
  std::string running_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<httplib::Client> client_;
};

TEST_F(ApiTest, CapturesAreTheFoldersOfTheDataFolder) {
  EXPECT_EQ(Ask("/captures").at("captures").size(), 0U);
  Captured("run 1", {7, 9});
  Captured("run 2", {8});
  std::filesystem::create_directories(folder_.File("captures/empty"));
  std::filesystem::last_write_time(folder_.File("captures/run 1/") + FileOfCall(2),
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
  EXPECT_EQ(capture.at("command"),
            "diopi-cli replay '" + folder_.File("captures/run 1") + "' --impl LIBRARY");
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
  std::filesystem::resize_file(folder_.File("captures/run 1/") + FileOfCall(1), 100);
  const Json damaged = Ask("/captures/run%201");
  EXPECT_EQ(damaged.at("list").size(), 1U);
  EXPECT_THAT(damaged.at("damaged").at(0).get<std::string>(), HasSubstr(FileOfCall(1)));
  for (const char* name :
       {"no_such", "empty", "..", "%2E%2E", "..%2Fcaptures%2Frun%201", "run%201%2F.", "a%00"}) {
    Ask(absl::StrCat("/captures/", name), 404);
  }
}

TEST_F(ApiTest, EveryAnswerFitsTheSchema) {
  Captured("run 1", {7});
  std::vector<v1::Verdict> all(4);
  for (int i = 0; i < 4; ++i) all[static_cast<size_t>(i)] = MakeVerdict(i, v1::OUTCOME_PASS);
  const std::string whole = Run("chip whole", v1::RUN_STATE_FINISHED, all);
  const Json stands = Ask("/chips/chip%20whole").at("complete");
  EXPECT_EQ(stands.at("run_id"), whole);
  EXPECT_TRUE(stands.at("partial").is_null());
  const Json cut_off = Ask("/chips/chip%20a");  // two of four cases have a verdict
  EXPECT_TRUE(cut_off.at("complete").is_null());
  EXPECT_EQ(cut_off.at("latest").at("partial"), "incomplete after 3 of 4 cases");
  EXPECT_TRUE(cut_off.at("latest").at("abort_reason").is_null());
  const std::string aborted = Run("chip gone", v1::RUN_STATE_RUNNING, {});
  ASSERT_TRUE(
      database_->ChangeRun(aborted, {.state = v1::RUN_STATE_ABORTED, .abort_reason = "no agent"}).ok());
  EXPECT_EQ(Ask("/runs/" + aborted).at("abort_reason"), "no agent");
  const std::string explored = Explored("chip a", /*stored=*/true), other = Explored("", /*stored=*/false);
  const std::string before = Measured("chip m", 10), after = Measured("chip m", 30);
  const std::pair<std::string, std::string> endpoints[] = {
      {"Chips", "/chips"},
      {"Chip", "/chips/chip%20a"},
      {"Chip", "/chips/unnamed"},
      {"Runs", "/runs"},
      {"Runs", "/runs?chip=chip%20b&limit=1"},
      {"Run", "/runs/" + good_},
      {"Run", "/runs/" + bad_},
      {"Run", "/runs/" + queued_},
      {"Run", "/runs/latest"},
      {"Cases", "/runs/" + bad_ + "/cases"},
      {"Cases", "/runs/" + queued_ + "/cases"},
      {"Case", "/runs/" + bad_ + "/cases/" + CaseId(0)},
      {"Case", "/runs/" + bad_ + "/cases/" + CaseId(2)},
      {"Failures", "/runs/" + bad_ + "/failures"},
      {"Failures", "/runs/" + queued_ + "/failures"},
      {"Progress", "/runs/" + running_ + "/progress"},
      {"Progress", "/runs/" + queued_ + "/progress?since=5"},
      {"History", "/cases/" + CaseId(0) + "/history?chip=chip%20a"},
      {"Compare", "/compare?a=" + good_ + "&b=" + bad_},
      {"CoverageMatrix", "/coverage"},
      {"ModelMatrix", "/models"},
      {"Performance", "/runs/" + before + "/performance"},
      {"Performance", "/runs/" + after + "/performance?against=" + before},
      {"MeasuredRuns", "/performance?chip=chip%20m"},
      {"MeasuredRuns", "/performance?chip=chip%20a"},
      {"Run", "/runs/" + after},
      {"Explorations", "/explorations?chip=chip%20a"},
      {"Explorations", "/explorations?limit=1"},
      {"Captures", "/captures"},
      {"Capture", "/captures/run%201"},
      {"Run", "/runs/" + explored},
      {"Run", "/runs/" + other},
      {"Lab", "/lab"},
      {"Lab", "/lab?from=2026-01-01&to=2099-01-01T00:00:00%2B08:00"},
      {"Agents", "/agents"},
      {"Version", "/version"},
  };
  Json answers = Json::array();
  for (const auto& [name, path] : endpoints)
    answers.push_back({{"name", name}, {"path", path}, {"answer", Ask(path)}});
  answers.push_back({{"name", "Error"}, {"path", "/runs/x"}, {"answer", Ask("/runs/x", 404)}});
  const std::string file = folder_.File("answers.json");
  std::ofstream(file) << Json{{"schema", Ask("/schema")}, {"answers", answers}};
  const std::string command =
      absl::StrCat("/usr/bin/python3 " DIOPI_SOURCE_DIR "/server/http/validate_answers.py ", file, " 2>&1");
  // NOLINTNEXTLINE(bugprone-command-processor): the test writes the command itself
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output(4096, '\0');
  output.resize(fread(output.data(), 1, output.size(), pipe));
  EXPECT_EQ(pclose(pipe), 0) << output;
  EXPECT_THAT(output, HasSubstr(absl::StrCat(answers.size(), " answers fit")));
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

TEST_F(ApiTest, WhatIsWrongIsNamed) {
  const std::string cases = "/runs/" + good_ + "/cases";
  struct Row {
    std::string path;
    int status;
    std::string code;
    std::string text;
  };
  const Row rows[] = {
      {"/runs/x", 404, "NOT_FOUND", "no run 'x'; there are"},
      {"/compare?a=" + good_ + "&b=" + Explored("chip a", true), 400, "INVALID_ARGUMENT",
       "is an exploration, which has no verdicts"},
      {"/explorations?limit=0", 400, "INVALID_ARGUMENT", "limit"},
      {"/explorations?label=main", 400, "INVALID_ARGUMENT", "label"},
      {"/runs/x/cases", 404, "NOT_FOUND", "no run 'x'"},
      {"/runs/x/failures", 404, "NOT_FOUND", "no run 'x'"},
      {"/runs/x/progress", 404, "NOT_FOUND", "no run 'x'"},
      {cases + "/nothing", 404, "NOT_FOUND", "has no verdict on case 'nothing'"},
      {"/chips/nothing", 404, "NOT_FOUND", "no runs on a chip 'nothing'; there are runs on"},
      {"/cases/" + CaseId(0) + "/history", 400, "INVALID_ARGUMENT", "parameter 'chip' is required"},
      {"/cases/nothing/history?chip=chip%20a", 404, "NOT_FOUND", "has a verdict on case 'nothing'"},
      {"/compare?a=" + good_, 400, "INVALID_ARGUMENT", "parameter 'b' is required"},
      {"/compare?a=" + good_ + "&b=x", 404, "NOT_FOUND", "no run 'x'"},
      {"/runs?limit=0", 400, "INVALID_ARGUMENT", "limit: expected a whole number from 1 to 1000, got '0'"},
      {"/runs?limit=many", 400, "INVALID_ARGUMENT", "got 'many'"},
      {"/runs?limits=5", 400, "INVALID_ARGUMENT", "unknown parameter 'limits'; expected some of chip, limit"},
      {"/runs?from=yesterday", 400, "INVALID_ARGUMENT",
       "from: expected a time such as 2026-11-20T08:00:00Z, or a day such as 2026-11-20, got 'yesterday'"},
      {"/runs?limit=1&limit=2", 400, "INVALID_ARGUMENT", "parameter 'limit' is given twice"},
      {"/agents?x=1", 400, "INVALID_ARGUMENT", "this address takes none"},
      {"/runs/latest/progress?since=-1", 400, "INVALID_ARGUMENT", "since: expected"},
      {cases + "?outcome=green", 400, "INVALID_ARGUMENT", "outcome: unknown outcome 'green'"},
      {cases + "?dtype=float31", 400, "INVALID_ARGUMENT", "dtype: "},
      {"/runs/x/performance", 404, "NOT_FOUND", "no run 'x'"},
      {"/runs/" + good_ + "/performance", 404, "NOT_FOUND", "measured nothing"},
      {"/performance", 400, "INVALID_ARGUMENT", "parameter 'chip' is required"},
      {"/nothing", 404, "NOT_FOUND", "there is nothing at /api/v1/nothing"},
  };
  for (const Row& row : rows) {
    const Json json = Ask(row.path, row.status);
    EXPECT_EQ(json.at("error").at("code"), row.code) << row.path;
    EXPECT_THAT(json.at("error").at("message").get<std::string>(), HasSubstr(row.text)) << row.path;
  }
  EXPECT_EQ(Get("/api/v2/runs")->status, 404);
  EXPECT_EQ(Get("/etc/passwd")->status, 404);
}

TEST_F(ApiTest, AChipsNameMayHoldAnythingThatAnAddressCanEncode) {
  for (const std::string name : {"acme/100", "a//b/", "50%2F", "c #?&+ü", "runs/x"}) {
    const std::string run = Run(name, v1::RUN_STATE_FINISHED, {MakeVerdict(0, v1::OUTCOME_PASS)});
    std::string encoded;
    for (const unsigned char c : name) absl::StrAppendFormat(&encoded, "%%%02X", c);
    const Json chip = Ask("/chips/" + encoded);
    EXPECT_EQ(chip.at("chip"), name);
    EXPECT_EQ(chip.at("latest").at("run_id"), run) << name;
    EXPECT_EQ(Ask("/runs?chip=" + encoded).at("runs").size(), 1U) << name;
    EXPECT_EQ(Ask("/cases/" + CaseId(0) + "/history?chip=" + encoded).at("points").size(), 1U) << name;
  }
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
  EXPECT_EQ(answer.at("calls")[1].at("not_measured"), "its case does not pass: fail");
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
}

std::string Gunzip(const std::string& data) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::string out(1 << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST_F(ApiTest, TagsAndCompression) {
  const std::string path = std::string(kApi) + "/coverage";
  const auto plain = Get(path);
  EXPECT_EQ(plain->get_header_value("Content-Encoding"), "");
  EXPECT_EQ(plain->get_header_value("Cache-Control"), "private, no-cache");
  const auto small = Get(path, {{"Accept-Encoding", "br, gzip"}});
  EXPECT_EQ(small->get_header_value("Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(small->body), plain->body);
  const std::string tag = plain->get_header_value("ETag");
  const auto unchanged = Get(path, {{"If-None-Match", tag}});
  EXPECT_EQ(unchanged->status, 304);
  EXPECT_EQ(unchanged->body, "");
  Run("chip c", v1::RUN_STATE_FINISHED, {MakeVerdict(0, v1::OUTCOME_PASS)});
  EXPECT_EQ(Get(path, {{"If-None-Match", tag}})->status, 200);
}

TEST_F(ApiTest, ThePageIsAtItsPathsAndKeepsTheBrowserToItself) {
  for (const char* path :
       {"/", "/chips/x", "/runs", "/runs/x/cases/y", "/compare?a=1&b=2", "/coverage", "/models"}) {
    const auto page = Get(path);
    EXPECT_EQ(page->status, 200) << path;
    EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8") << path;
    EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'")) << path;
    EXPECT_EQ(page->get_header_value("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(page->get_header_value("Referrer-Policy"), "no-referrer") << path;
    EXPECT_THAT(page->body,
                HasSubstr(PageHtml().empty() ? "the dashboards' page was left out" : "<div id=\"app\""))
        << path;
  }
  const std::string body = Get("/")->body;
  const auto small = Get("/", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(Gunzip(small->body), body);
  EXPECT_EQ(Ask("/version").at("web"), !PageHtml().empty());
}

TEST(ApiParts, CookiesPathsAndEncodings) {
  EXPECT_EQ(CookieOf("a=1; diopi_token=abc; b=2", "diopi_token"), "abc");
  EXPECT_EQ(CookieOf("diopi_token=a=b", "diopi_token"), "a=b");
  EXPECT_EQ(CookieOf("xdiopi_token=abc", "diopi_token"), "");
  EXPECT_EQ(CookieOf("", "diopi_token"), "");
  for (const char* path : {"/", "/index.html", "/chips", "/runs/x/cases/y", "/compare"})
    EXPECT_TRUE(IsPagePath(path));
  for (const char* path : {"/api", "/api/v1/runs", "/metrics", "/healthz", "/runsx", "/etc/passwd", ""}) {
    EXPECT_FALSE(IsPagePath(path)) << path;
  }
  EXPECT_TRUE(IsApiPath("/api/v1"));
  EXPECT_FALSE(IsApiPath("/apix"));
  const std::pair<const char*, bool> encodings[] = {
      {"gzip", true},      {"br, gzip;q=0.5", true},
      {"*", true},         {"GZIP", true},
      {"", false},         {"br", false},
      {"gzip;q=0", false}, {"gzip; q=0.0", false},
      {"gzipx", false},    {"gzip;q=x", false},
  };
  for (const auto& [header, accepts] : encodings) EXPECT_EQ(AcceptsGzip(header), accepts) << header;
}

}  // namespace
}  // namespace diopi::server
