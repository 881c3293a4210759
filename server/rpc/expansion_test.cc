// Calls that expand the whole suite, by a real server with the real catalog: runs share what one of them
// made, nothing is made for callers that have gone, and no such call delays a shutdown.
#include <gtest/gtest.h>

#include <thread>

#include "server/rpc/server_testing.h"
#include "server/telemetry/exposition.h"

namespace diopi::server {
namespace {

class ExpansionTest : public testing::Test {
 protected:
  ExpansionTest() : server_(/*with_baselines=*/false) {
    server_.Stop();
    ServerOptions options = server_.options;
    options.catalog = nullptr;  // the operators built in
    auto started = ConformanceServer::Start(options);
    EXPECT_TRUE(started.ok()) << started.status();
    built_in_ = *std::move(started);
    stub_ = v1::Conformance::NewStub(
        grpc::CreateChannel(built_in_->address(), grpc::InsecureChannelCredentials()));
  }

  double Metric(const std::string& name) const {
    const auto parsed = ParseExposition(built_in_->metrics().Text());
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return parsed->at(name);
  }
  static v1::CreateRunRequest Whole(uint32_t shard, const std::string& suite = "") {
    v1::CreateRunRequest request;
    request.mutable_options()->set_chip("chip");
    request.mutable_options()->set_impl_sha256("sha");
    request.mutable_options()->mutable_selection()->set_suite(suite);
    request.mutable_options()->set_shard_index(shard);
    request.mutable_options()->set_shard_count(64);
    return request;
  }

  TestServer server_;
  std::unique_ptr<ConformanceServer> built_in_;
  std::unique_ptr<v1::Conformance::Stub> stub_;
};

TEST_F(ExpansionTest, ShardsShareOneListAndSayWhatTheyHave) {
  int64_t cases = 0;
  for (const uint32_t shard : {0U, 1U, 2U}) {
    grpc::ClientContext context;
    v1::CreateRunResponse run;
    const grpc::Status status = stub_->CreateRun(&context, Whole(shard), &run);
    ASSERT_TRUE(status.ok()) << status.error_message();
    int64_t sum = 0;
    for (const auto& function : run.functions()) sum += function.cases();
    EXPECT_EQ(sum, run.cases());
    cases += run.cases();
  }
  EXPECT_GT(cases, 1000);
  EXPECT_EQ(Metric("diopi_suite_expansions_total"), 1);
}

TEST_F(ExpansionTest, NothingIsMadeForACallerThatHasGone) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  v1::CreateRunResponse run;
  EXPECT_EQ(stub_->CreateRun(&context, Whole(0), &run).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  while (Metric("diopi_rpc_in_flight") > 0) std::this_thread::yield();
  EXPECT_EQ(Metric("diopi_suite_expansions_total"), 0);
  grpc::ClientContext other;
  v1::ListRunsResponse runs;
  ASSERT_TRUE(stub_->ListRuns(&other, {}, &runs).ok());
  EXPECT_EQ(runs.runs_size(), 0);
}

TEST_F(ExpansionTest, AShutdownEndsThoseInProgress) {
  std::vector<std::thread> callers;
  for (int i = 0; i < 12; ++i) {
    callers.emplace_back([&, i] {
      grpc::ClientContext context;
      v1::CreateRunResponse run;
      v1::CreateRunRequest request = Whole(0);
      // Each another selection.
      request.mutable_options()->mutable_selection()->add_dtypes(static_cast<v1::Dtype::Code>(i % 3 + 1));
      if (i >= 3) request.mutable_options()->mutable_selection()->set_max_tensor_bytes(i);
      stub_->CreateRun(&context, request, &run);
    });
  }
  while (Metric("diopi_rpc_in_flight") < 12) std::this_thread::yield();
  built_in_->Shutdown(absl::ZeroDuration());
  for (std::thread& caller : callers) caller.join();
  EXPECT_LT(Metric("diopi_suite_expansions_total"), 12);
}

}  // namespace
}  // namespace diopi::server
