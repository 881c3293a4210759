// A running server without a free thread: refused calls of every kind are retried; other ResourceExhausted
// statuses are final.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "cases/base/test_folder.h"
#include "client/rpc/agents_client.h"
#include "client/rpc/caller.h"
#include "client/rpc/client.h"
#include "diopi/v1/service.grpc.pb.h"

namespace diopi::rpc {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr int kThreads = 4;
// gRPC keeps one thread for polling.
constexpr int kHeld = kThreads - 1;
constexpr int kMaxMessage = 4096;
constexpr char kNoThread[] = "Server Threadpool Exhausted";

// Answers calls with a status that the test sets, as often as the test says, then with OK.
struct Answers {
  grpc::Status Next() {
    ++calls;
    return refusals-- > 0 ? refusal : grpc::Status::OK;
  }
  std::atomic<int> calls = 0;
  std::atomic<int> refusals = 0;
  grpc::Status refusal{grpc::StatusCode::RESOURCE_EXHAUSTED, kNoThread};
};

class FakeConformance final : public v1::Conformance::Service {
 public:
  explicit FakeConformance(Answers* answers) : answers_(answers) {}
  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::ServerInfoRequest*,
                             v1::ServerInfoResponse*) override {
    return answers_->Next();
  }
  grpc::Status Report(grpc::ServerContext*, const v1::ReportRequest*, v1::ReportResponse*) override {
    return answers_->Next();
  }
  grpc::Status Lease(grpc::ServerContext*, const v1::LeaseRequest*,
                     grpc::ServerWriter<v1::LeaseMessage>* writer) override {
    grpc::Status status = answers_->Next();
    if (!status.ok()) return status;
    v1::LeaseMessage message;
    message.mutable_header()->set_run_complete(true);
    writer->Write(message);
    return status;
  }
  // Holds its thread until Release.
  grpc::Status ListRuns(grpc::ServerContext*, const v1::ListRunsRequest*, v1::ListRunsResponse*) override {
    std::unique_lock lock(mutex_);
    ++held_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return released_; });
    return grpc::Status::OK;
  }
  void AwaitHeld(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return held_ == count; });
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  Answers* const answers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int held_ = 0;
  bool released_ = false;
};

class FakeAgents final : public v1::Agents::Service {
 public:
  explicit FakeAgents(Answers* answers) : answers_(answers) {}
  grpc::Status Heartbeat(grpc::ServerContext*, const v1::HeartbeatRequest*, v1::HeartbeatResponse*) override {
    return answers_->Next();
  }
  grpc::Status FetchImpl(grpc::ServerContext*, const v1::FetchImplRequest*,
                         grpc::ServerWriter<v1::ImplChunk>*) override {
    return answers_->Next();
  }
  grpc::Status Submit(grpc::ServerContext*, grpc::ServerReader<v1::SubmitRequest>*,
                      v1::SubmitResponse*) override {
    return answers_->Next();
  }
  grpc::Status WatchRun(grpc::ServerContext*, const v1::GetRunRequest*,
                        grpc::ServerWriter<v1::RunInfo>* writer) override {
    grpc::Status status = answers_->Next();
    v1::RunInfo run;
    run.set_state(v1::RUN_STATE_FINISHED);
    if (status.ok()) writer->Write(run);
    return status;
  }

 private:
  Answers* const answers_;
};

class BusyTest : public ::testing::Test {
 protected:
  BusyTest() {
    address_ = "unix:" + folder_ / "s";
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
    builder.SetResourceQuota(grpc::ResourceQuota("busy_test").SetMaxThreads(kThreads));
    builder.SetMaxReceiveMessageSize(kMaxMessage);
    builder.RegisterService(&conformance_);
    builder.RegisterService(&agents_);
    server_ = builder.BuildAndStart();
    options_.first_backoff = milliseconds(1);
    Connect();
  }
  ~BusyTest() override {
    Release();
    server_->Shutdown();
  }

  // Connects with options_.
  void Connect() {
    client_ = *Client::Connect(address_, options_);
    agents_client_ = *AgentsClient::Make(address_, options_);
    answers_.calls = 0;
  }
  // From here on the server refuses every call, until Release. A holder, too, is refused while gRPC still
  // counts a thread that has ended, so it tries again until it is served.
  void HoldAllThreads() {
    for (int i = 0; i < kHeld; ++i) {
      holders_.emplace_back([this] {
        const auto stub =
            v1::Conformance::NewStub(grpc::CreateChannel(address_, grpc::InsecureChannelCredentials()));
        grpc::Status status;
        do {
          grpc::ClientContext context;
          v1::ListRunsResponse response;
          status = stub->ListRuns(&context, {}, &response);
        } while (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED);
        EXPECT_TRUE(status.ok()) << status.error_message();
      });
    }
    conformance_.AwaitHeld(kHeld);
  }
  void Release() {
    conformance_.Release();
    for (std::thread& holder : holders_) holder.join();
    holders_.clear();
  }

  struct Row {
    const char* name;
    std::function<absl::Status()> call;
  };
  // Every kind of call.
  std::vector<Row> Rows() {
    return {
        {"Connect", [this] { return Client::Connect(address_, options_).status(); }},
        {"unary", [this] { return client_->Report({}).status(); }},
        {"Lease",
         [this] { return client_->Lease({}, [](const LeasedCase&) { return absl::OkStatus(); }).status(); }},
        {"Heartbeat", [this] { return agents_client_->Heartbeat({}).status(); }},
        {"FetchImpl",
         [this] {
           std::filesystem::remove(folder_ / "impl");
           return agents_client_->FetchImpl("r", folder_ / "impl");
         }},
        {"Submit", [this] { return agents_client_->Submit({}, "").status(); }},
        {"WatchRun",
         [this] { return agents_client_->WatchRun("r", [](const v1::RunInfo&) { return true; }); }},
    };
  }

  ClientOptions options_;
  const TestFolder folder_;
  std::string address_;
  Answers answers_;
  FakeConformance conformance_{&answers_};
  FakeAgents agents_{&answers_};
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<AgentsClient> agents_client_;
  std::vector<std::thread> holders_;
};

// gRPC really uses the words that we compare with.
TEST_F(BusyTest, AServerWithoutThreadsIsTriedUntilOneIsFree) {
  HoldAllThreads();
  Caller caller(address_, options_);
  const auto stub = v1::Conformance::NewStub(caller.channel());
  int refused = 0;
  const absl::Status status = caller.Unary("Report", [&](grpc::ClientContext* context) {
    v1::ReportResponse response;
    grpc::Status answer = stub->Report(context, {}, &response);
    if (!answer.ok()) {
      EXPECT_EQ(answer.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
      EXPECT_EQ(answer.error_message(), kNoThread);
    }
    if (!answer.ok() && ++refused == 2) Release();
    return answer;
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GE(refused, 2);
  EXPECT_EQ(answers_.calls, 1);
}

TEST_F(BusyTest, EveryCallSaysThatTheServerIsBusy) {
  options_.retry_for = options_.busy_for = milliseconds(0);
  Connect();
  HoldAllThreads();
  for (const Row& row : Rows()) {
    const absl::Status status = row.call();
    EXPECT_TRUE(absl::IsUnavailable(status)) << row.name << ": " << status;
    EXPECT_TRUE(IsBusy(status)) << row.name << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("the server at " + address_ + " is busy"))
        << row.name;
  }
  EXPECT_EQ(answers_.calls, 0) << "a call was served: the threads were not all held";
}

TEST_F(BusyTest, EveryCallIsMadeAgain) {
  // Refused by gRPC, and by the server itself (server/runs/admission.h).
  for (const char* text : {kNoThread, "busy: it prepares 2 runs and 24 more wait; try again later"}) {
    answers_.refusal = {grpc::StatusCode::RESOURCE_EXHAUSTED, text};
    for (const Row& row : Rows()) {
      answers_.calls = 0;
      answers_.refusals = 3;
      const absl::Status status = row.call();
      EXPECT_TRUE(status.ok()) << row.name << ": " << status;
      EXPECT_EQ(answers_.calls, 4) << row.name;
    }
  }
}

TEST_F(BusyTest, OtherExhaustionIsFinal) {
  answers_.refusal = {grpc::StatusCode::RESOURCE_EXHAUSTED, "/data/results.db: the disk is full"};
  for (const Row& row : Rows()) {
    answers_.calls = 0;
    answers_.refusals = 1;
    const absl::Status status = row.call();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << row.name << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("the disk is full")) << row.name;
    EXPECT_EQ(answers_.calls, 1) << row.name;
  }
  answers_.calls = 0;
  answers_.refusals = 0;
  v1::ReportRequest large;
  large.set_agent_id(std::string(size_t{2} * kMaxMessage, 'a'));
  const absl::Status status = client_->Report(large).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_FALSE(IsBusy(status));
  EXPECT_EQ(answers_.calls, 0);
}

// Clients refused together return one after another.
TEST_F(BusyTest, PausesDiffer) {
  std::set<std::chrono::steady_clock::rep> pauses;
  Caller caller(address_, options_);
  caller.channel()->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10));
  for (int i = 0; i < 8; ++i) {
    Caller::Attempts attempts{std::chrono::steady_clock::now(), milliseconds(40)};
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(caller.WaitToRetry(absl::UnavailableError("gone"), &attempts));
    const auto pause = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
    EXPECT_GE(pause, milliseconds(20));
    EXPECT_EQ(attempts.backoff, milliseconds(80));
    pauses.insert(pause.count());
  }
  EXPECT_GT(pauses.size(), 1U);
}

}  // namespace
}  // namespace diopi::rpc
