// The client with a real gRPC server on a Unix socket; the test decides the answers.
#include "client/rpc/client.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "cases/base/test_folder.h"
#include "client/rpc/verdict_collector.h"
#include "diopi/v1/service.grpc.pb.h"

namespace diopi::rpc {
namespace {

using std::chrono::milliseconds;

class FakeService final : public v1::Conformance::Service {
 public:
  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::ServerInfoRequest*,
                             v1::ServerInfoResponse* response) override {
    response->set_version("fake");
    return grpc::Status::OK;
  }
  grpc::Status Report(grpc::ServerContext*, const v1::ReportRequest* request,
                      v1::ReportResponse* response) override {
    ++reports;
    if (unavailable_reports-- > 0) return {unavailable, "restarting"};
    response->set_stored(request->verdicts_size());
    return grpc::Status::OK;
  }
  grpc::Status GetRun(grpc::ServerContext*, const v1::GetRunRequest* request, v1::RunInfo*) override {
    return {grpc::StatusCode::NOT_FOUND, "no run " + request->run_id()};
  }
  grpc::Status ListRuns(grpc::ServerContext* context, const v1::ListRunsRequest*,
                        v1::ListRunsResponse*) override {
    std::unique_lock lock(mutex);
    hanging = true;
    changed.notify_all();
    changed.wait(lock, [&] { return released || context->IsCancelled(); });
    return grpc::Status::OK;
  }
  grpc::Status Lease(grpc::ServerContext* context, const v1::LeaseRequest* request,
                     grpc::ServerWriter<v1::LeaseMessage>* writer) override {
    if (silent_leases-- > 0) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return released || context->IsCancelled(); });
      return grpc::Status::CANCELLED;
    }
    if (unavailable_leases-- > 0) return {grpc::StatusCode::UNAVAILABLE, "restarting"};
    v1::LeaseMessage message;
    message.mutable_header()->set_lease_id("L");
    message.mutable_header()->set_cases(request->max_cases());
    writer->Write(message);
    for (int i = 0; i < request->max_cases(); ++i) {
      message.mutable_case_start()->mutable_case_()->set_id("case." + std::to_string(i));
      writer->Write(message);
      message.set_case_end(true);
      writer->Write(message);
      if (break_after_case == i) return {grpc::StatusCode::UNAVAILABLE, "gone"};
    }
    return grpc::Status::OK;
  }
  std::vector<v1::ReadVerdictsRequest> TakeAsked() {
    const std::lock_guard lock(mutex);
    return std::exchange(asked, {});
  }
  // A run of three cases, one per batch.
  grpc::Status ReadVerdicts(grpc::ServerContext*, const v1::ReadVerdictsRequest* request,
                            grpc::ServerWriter<v1::VerdictBatch>* writer) override {
    if (too_old) return {grpc::StatusCode::UNIMPLEMENTED, ""};
    const std::lock_guard lock(mutex);
    asked.push_back(*request);
    if (request->run_id() == "none") return {grpc::StatusCode::NOT_FOUND, "no run none"};
    v1::VerdictBatch batch;
    batch.mutable_run()->set_run_id("r1");
    batch.mutable_run()->set_done(3);
    int sent = 0;
    for (const char* id : {"a", "b", "c"}) {
      if (std::string(id) <= request->after()) continue;
      if (verdicts_a_stream == sent++) return {grpc::StatusCode::UNAVAILABLE, "gone"};
      batch.add_verdicts()->set_case_id(id);
      batch.add_positions('c' - *id);  // the last one comes first
      writer->Write(batch);
      batch.Clear();
    }
    return grpc::Status::OK;
  }

  std::atomic<bool> too_old{false};
  std::atomic<int> verdicts_a_stream{-1};
  std::vector<v1::ReadVerdictsRequest> asked;  // guarded by mutex
  grpc::StatusCode unavailable = grpc::StatusCode::UNAVAILABLE;
  std::atomic<int> unavailable_reports{0};
  std::atomic<int> unavailable_leases{0};
  std::atomic<int> silent_leases{0};
  std::atomic<int> break_after_case{-1};
  std::atomic<int> reports{0};
  std::mutex mutex;
  std::condition_variable changed;
  bool hanging = false;
  bool released = false;
};

class ClientTest : public testing::Test {
 protected:
  ClientTest() { address_ = "unix:" + folder_ / "s"; }
  ~ClientTest() override { Stop(); }

  void Start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  void Stop() {
    if (server_ == nullptr) return;
    {
      const std::lock_guard lock(service_.mutex);
      service_.released = true;
      service_.changed.notify_all();
    }
    server_->Shutdown();
    server_ = nullptr;
  }
  std::unique_ptr<Client> MustConnect(const ClientOptions& options = {}) {
    auto client = Client::Connect(address_, options);
    EXPECT_TRUE(client.ok()) << client.status();
    return client.ok() ? *std::move(client) : nullptr;
  }

  const TestFolder folder_;
  std::string address_;
  FakeService service_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(ClientTest, RefusesWhatIsNoAddress) {
  for (const char* bad : {"", "localhost", "host:", ":80", "host:http", "unix:"}) {
    const auto client = Client::Connect(bad, {});
    EXPECT_EQ(client.status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

TEST_F(ClientTest, SaysWhichServerCannotBeReached) {
  ClientOptions options;
  options.retry_for = milliseconds(0);
  const auto client = Client::Connect(address_, options);
  EXPECT_EQ(client.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(std::string(client.status().message()).find("cannot reach the server at " + address_),
            std::string::npos);
}

TEST_F(ClientTest, RetriesWhileTheServerRestarts) {
  Start();
  const auto client = MustConnect();
  service_.unavailable_reports = 2;
  v1::ReportRequest request;
  request.add_verdicts();
  const auto response = client->Report(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->stored(), 1);
  EXPECT_EQ(service_.reports, 3);
}

TEST_F(ClientTest, RetriesWhatAServerThatEndsHasCancelled) {
  Start();
  const auto client = MustConnect();
  service_.unavailable = grpc::StatusCode::CANCELLED;
  service_.unavailable_reports = 2;
  EXPECT_TRUE(client->Report({}).ok());
  EXPECT_EQ(service_.reports, 3);
}

TEST_F(ClientTest, FindsARestartedServerAgain) {
  Start();
  const auto client = MustConnect();
  Stop();
  std::thread restart([this] { Start(); });
  const auto response = client->Report({});
  restart.join();
  EXPECT_TRUE(response.ok()) << response.status();
}

TEST_F(ClientTest, GivesUpAfterABoundedTime) {
  Start();
  ClientOptions options;
  options.retry_for = milliseconds(100);
  const auto client = MustConnect(options);
  service_.unavailable_reports = 1'000'000;
  EXPECT_EQ(client->Report({}).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_GT(service_.reports, 1);
  EXPECT_LT(service_.reports, 10);
}

TEST_F(ClientTest, PassesTheServersWordsOn) {
  Start();
  const auto status = MustConnect()->GetRun("r7").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no run r7");
}

TEST_F(ClientTest, LeaseDeliversCasesAndRetriesBeforeTheHeader) {
  Start();
  const auto client = MustConnect();
  service_.unavailable_leases = 1;
  v1::LeaseRequest request;
  request.set_max_cases(3);
  std::vector<std::string> ids;
  const auto header = client->Lease(request, [&](const LeasedCase& leased) {
    ids.push_back(leased.c.id());
    return absl::OkStatus();
  });
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->cases(), 3);
  EXPECT_EQ(ids, (std::vector<std::string>{"case.0", "case.1", "case.2"}));
}

TEST_F(ClientTest, ABrokenLeaseKeepsWhatCame) {
  Start();
  const auto client = MustConnect();
  service_.break_after_case = 1;
  v1::LeaseRequest request;
  request.set_max_cases(3);
  int cases = 0;
  const auto header = client->Lease(request, [&](const LeasedCase&) {
    ++cases;
    return absl::OkStatus();
  });
  EXPECT_EQ(header.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(cases, 2);
}

TEST_F(ClientTest, ReadsVerdictsOnWhereAStreamBroke) {
  struct Row {
    int a_stream;  // verdicts, before it breaks; -1: it does not
    std::vector<std::string> asked_after;
  };
  const std::vector<Row> rows = {{-1, {""}}, {1, {"", "a", "b"}}, {2, {"", "b"}}};
  Start();
  const auto client = MustConnect();
  for (const Row& row : rows) {
    service_.verdicts_a_stream = row.a_stream;
    v1::ReadVerdictsRequest request;
    request.set_run_id("latest");
    const auto read = client->ReadVerdicts(request);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->run.run_id(), "r1");
    ASSERT_EQ(read->verdicts.size(), 3u);
    EXPECT_EQ(read->verdicts[0].case_id() + read->verdicts[1].case_id() + read->verdicts[2].case_id(), "cba");
    const std::vector<v1::ReadVerdictsRequest> asked = service_.TakeAsked();
    ASSERT_EQ(asked.size(), row.asked_after.size());
    for (size_t i = 0; i < row.asked_after.size(); ++i) {
      EXPECT_EQ(asked[i].after(), row.asked_after[i]);
      EXPECT_EQ(asked[i].run_id(), i == 0 ? "latest" : "r1");
    }
  }
}

TEST_F(ClientTest, VerdictsThatCannotBeRead) {
  Start();
  ClientOptions options;
  options.retry_for = milliseconds(100);
  const auto client = MustConnect(options);
  v1::ReadVerdictsRequest request;
  request.set_run_id("none");
  const absl::Status unknown = client->ReadVerdicts(request).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(unknown.message(), "no run none");
  service_.verdicts_a_stream = 0;
  request.set_run_id("latest");
  EXPECT_EQ(client->ReadVerdicts(request).status().code(), absl::StatusCode::kUnavailable);
  service_.too_old = true;
  const absl::Status old = client->ReadVerdicts(request).status();
  EXPECT_EQ(old.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(old.message(), "the server at " + address_ +
                               " (diopi-server fake) is too old to send verdicts: it needs diopi-server " +
                               DIOPI_VERSION + " or newer");
}

TEST(VerdictCollectorTest, WhatBreaksTheRules) {
  const auto batch_of = [](const std::string& run, int64_t done, const std::string& cases, int positions) {
    v1::VerdictBatch batch;
    batch.mutable_run()->set_run_id(run);
    batch.mutable_run()->set_done(done);
    for (const char id : cases) batch.add_verdicts()->set_case_id(std::string(1, id));
    for (int i = 0; i < positions; ++i) batch.add_positions(i);
    return batch;
  };
  struct Row {
    v1::VerdictBatch batch;
    std::string says;
  };
  const std::vector<Row> rows = {
      {batch_of("", 0, "", 0), "does not name its run"},
      {batch_of("r", 1, "a", 0), "run r: the server sent 1 verdicts with 0 positions"},
      {batch_of("r", 2, "ba", 2), "the verdict on a after that on b"},
      {batch_of("r", 2, "aa", 2), "the verdict on a after that on a"},
      {batch_of("r", 3, "ab", 2), "run r has 3 verdicts; the server sent 2"},
      {batch_of("r", 2, "ab", 2), ""},
  };
  for (Row row : rows) {
    VerdictCollector collector({});
    absl::Status status = collector.Add(&row.batch);
    if (status.ok()) status = collector.Finish().status();
    EXPECT_EQ(status.ok(), row.says.empty()) << status;
    EXPECT_EQ(absl::IsDataLoss(status), !row.says.empty()) << status;
    EXPECT_NE(std::string(status.message()).find(row.says), std::string::npos) << status;
  }
  VerdictCollector nothing({});
  EXPECT_TRUE(absl::IsDataLoss(nothing.Finish().status()));
}

TEST_F(ClientTest, DeadlineIsToldAsSuch) {
  Start();
  ClientOptions options;
  options.call_deadline = milliseconds(50);
  const auto client = MustConnect(options);
  const absl::Status status = client->ListRuns({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_NE(status.message().find(" did not answer ListRuns within 50ms: "), std::string::npos) << status;
}

// gRPC's deadline is an hour away, as after the wall clock was set back by an hour.
TEST_F(ClientTest, ACallEndsByTheSteadyClockToo) {
  Start();
  ClientOptions options;
  options.call_deadline = std::chrono::hours(1);
  options.overdue_after = milliseconds(300) - options.call_deadline;
  options.retry_for = milliseconds(0);
  const auto client = MustConnect(options);
  const absl::Status status = client->ListRuns({}).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_NE(status.message().find("did not answer ListRuns within 1h"), std::string::npos) << status;
}

TEST_F(ClientTest, AStreamThatBringsNothingIsOpenedAgain) {
  Start();
  ClientOptions options;
  options.silent_after = milliseconds(200);
  const auto client = MustConnect(options);
  service_.silent_leases = 1;
  v1::LeaseRequest request;
  request.set_max_cases(2);
  int cases = 0;
  const auto header = client->Lease(request, [&](LeasedCase) {
    ++cases;
    return absl::OkStatus();
  });
  EXPECT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(cases, 2);
  options.retry_for = milliseconds(0);
  service_.silent_leases = 1;
  const absl::Status status =
      MustConnect(options)->Lease(request, [](LeasedCase) { return absl::OkStatus(); }).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_NE(status.message().find("sent nothing for Lease within 200ms"), std::string::npos) << status;
}

TEST_F(ClientTest, CancelEndsACallInFlight) {
  Start();
  const auto client = MustConnect();
  std::thread cancel([&] {
    std::unique_lock lock(service_.mutex);
    service_.changed.wait(lock, [&] { return service_.hanging; });
    client->Cancel();
  });
  EXPECT_EQ(client->ListRuns({}).status().code(), absl::StatusCode::kCancelled);
  cancel.join();
  EXPECT_EQ(client->Report({}).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace diopi::rpc
