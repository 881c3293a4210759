// The API over a real data folder: a chip with two finished runs, a queued run, a running one, and one
// baseline.
#ifndef SERVER_HTTP_API_TESTING_H_
#define SERVER_HTTP_API_TESTING_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/store/store.h"
#include "baselines/tap/capture.h"
#include "cases/findings/finding.h"
#include "reports/performance/performance_testing.h"
#include "server/http/api.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"

namespace diopi::server::api_testing {

using Json = nlohmann::json;

constexpr char kApi[] = "/api/v1";

inline v1::Case MakeCase(const v1::Verdict& verdict) {
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
inline v1::Verdict RichVerdict(int i) {
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

// Fails with findings, as agents from 0.10 on tell them.
inline v1::Verdict FoundVerdict(int i) {
  v1::Verdict verdict = MakeVerdict(i, v1::OUTCOME_FAIL);
  verdict.add_outputs()->set_key("out");
  *verdict.add_findings() =
      Found(v1::Finding::OF_OUTPUT)
          .Name("out")
          .Part(Found(v1::Finding::WRONG_ELEMENTS).Count(i + 1).Of(9).Place({i, 0}).Got("nan").Expected("1"));
  *verdict.mutable_cause() =
      Found(v1::Finding::CONSISTENT_WITH).Part(Found(v1::Finding::TAKEN_AS).Name("alpha").Expected("1"));
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
    measurements[0].mutable_rounds(0)->add_cold_ns(static_cast<uint64_t>(us * 2e3));
    *measurements[1].mutable_refused() = Found(v1::Finding::CASE_FAILED).Name("exp.float32.n").Got("fail");
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
    if (stored) *cause.mutable_finding() = Found(v1::Finding::NOT_WRITTEN).Name("out");
    EXPECT_TRUE(database_->WriteExploration(id, exploration).ok());
    return id;
  }
  // Calls of diopiAdd, one on each of these threads.
  void Captured(const std::string& name, const std::vector<int64_t>& threads) {
    tap::CaptureFolder capture(folder_ / "captures/" + name, 1 << 20, "libvendor.so");
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

  const TestFolder folder_;
  const std::string path_;
  const std::unique_ptr<Database> database_;
  std::string good_;
  std::string bad_;
  std::string queued_;
  std::string running_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<httplib::Client> client_;
};

}  // namespace diopi::server::api_testing

#endif  // SERVER_HTTP_API_TESTING_H_
