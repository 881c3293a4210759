// Who may work on a run: every call about a run or under an agent's name, by every kind of caller, on a real
// server that requires tokens.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "server/rpc/server_testing.h"
#include "server/rpc/status.h"
#include "server/security/token_file.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kAgent[] = "carols-agent";
constexpr char kChip[] = "chip";
constexpr char kReservedChip[] = "dora's chip";

// Alice has submitted a run; an agent with Carol's token has received it and begun.
class SharedServer {
 public:
  SharedServer() : server_(false) {
    WriteBaselines(server_.data_folder(), "relu", TestCases("relu"));
    for (const auto& [name, role] : {std::pair("alice", Role::kRun),
                                     {"bob", Role::kRun},
                                     {"carol", Role::kRun},
                                     {"reader", Role::kRead},
                                     {"boss", Role::kAdmin}}) {
      tokens_[name] = *AddToken(server_.data_folder(), name, role);
    }
    tokens_["dora"] =
        *AddToken(server_.data_folder(), "dora", Role::kRun, absl::InfiniteFuture(), {kReservedChip});
    const auto channel = grpc::CreateChannel(server_.server().address(), grpc::InsecureChannelCredentials());
    work_ = v1::Conformance::NewStub(channel);
    agents_ = v1::Agents::NewStub(channel);
    Submit();
    serving_ = std::make_unique<grpc::ClientContext>();
    stream_ = Serve("carol", serving_.get());
    v1::Assignment message;
    EXPECT_TRUE(stream_->Read(&message) && message.has_welcome());
    EXPECT_TRUE(stream_->Read(&message) && message.run().run_id() == run_);
    EXPECT_TRUE(Resume("carol", false).ok());
  }
  ~SharedServer() {
    serving_->TryCancel();
    stream_->Finish();
  }

  const std::string& run() const { return run_; }
  const std::map<std::string, std::string>& tokens() const { return tokens_; }

  absl::Status Resume(const std::string& who, bool join) {
    v1::CreateRunRequest request;
    *request.mutable_options() = TestOptions({});
    request.set_resume_run(run_);
    request.set_join(join);
    return Call<v1::CreateRunResponse>(who, work_.get(), &v1::Conformance::Stub::CreateRun, request);
  }
  absl::Status Lease(const std::string& who) {
    v1::LeaseRequest request;
    request.set_run_id(run_);
    request.set_agent_id("a");
    return Read<v1::LeaseMessage>(
        who, request, [this](auto* context, const auto& message) { return work_->Lease(context, message); });
  }
  absl::Status Fetch(const std::string& who) {
    v1::FetchRequest request;
    request.set_run_id(run_);
    request.set_agent_id("a");
    return Read<v1::LeaseMessage>(
        who, request, [this](auto* context, const auto& message) { return work_->Fetch(context, message); });
  }
  absl::Status FetchImpl(const std::string& who) {
    v1::FetchImplRequest request;
    request.set_run_id(run_);
    return Read<v1::ImplChunk>(who, request, [this](auto* context, const auto& message) {
      return agents_->FetchImpl(context, message);
    });
  }
  absl::Status Report(const std::string& who) {
    v1::ReportRequest request;
    request.set_run_id(run_);
    request.set_agent_id("a");
    return Call<v1::ReportResponse>(who, work_.get(), &v1::Conformance::Stub::Report, request);
  }
  absl::Status FinishRun(const std::string& who) {
    v1::FinishRunRequest request;
    request.set_run_id(run_);
    request.set_agent_id("a");
    request.set_aborted(true);
    return Call<v1::FinishRunResponse>(who, work_.get(), &v1::Conformance::Stub::FinishRun, request);
  }
  absl::Status CancelRun(const std::string& who) {
    v1::CancelRunRequest request;
    request.set_run_id(run_);
    return Call<v1::CancelRunResponse>(who, agents_.get(), &v1::Agents::Stub::CancelRun, request);
  }
  absl::Status EndAssignment(const std::string& who) {
    v1::EndAssignmentRequest request;
    request.set_run_id(run_);
    request.set_agent_id(kAgent);
    return Call<v1::EndAssignmentResponse>(who, agents_.get(), &v1::Agents::Stub::EndAssignment, request);
  }
  absl::Status Heartbeat(const std::string& who) {
    v1::HeartbeatRequest request;
    request.set_agent_id(kAgent);
    request.mutable_health()->set_ok(true);
    return Call<v1::HeartbeatResponse>(who, agents_.get(), &v1::Agents::Stub::Heartbeat, request);
  }
  absl::Status Leave(const std::string& who) {
    v1::LeaveRequest request;
    request.set_agent_id(kAgent);
    return Call<v1::LeaveResponse>(who, agents_.get(), &v1::Agents::Stub::Leave, request);
  }
  absl::Status Start(const std::string& who, const std::string& chip) {
    v1::CreateRunRequest request;
    *request.mutable_options() = TestOptions({"relu"});
    request.mutable_options()->set_chip(chip);
    return Call<v1::CreateRunResponse>(who, work_.get(), &v1::Conformance::Stub::CreateRun, request);
  }
  absl::Status Displace(const std::string& who) { return Register(who, kAgent, kChip); }
  absl::Status Register(const std::string& who, const std::string& agent, const std::string& chip) {
    grpc::ClientContext context;
    const auto stream = Serve(who, &context, agent, chip);
    v1::Assignment message;
    const bool welcome = stream->Read(&message);
    if (welcome) context.TryCancel();
    const absl::Status ended = FromGrpc(stream->Finish());
    return welcome ? absl::OkStatus() : ended;
  }

 private:
  void Authorize(const std::string& who, grpc::ClientContext* context) {
    context->AddMetadata("authorization", "Bearer " + tokens_.at(who));
  }

  template <typename Response, typename Stub, typename Method, typename Request>
  absl::Status Call(const std::string& who, Stub* stub, Method method, const Request& request) {
    grpc::ClientContext context;
    Authorize(who, &context);
    Response response;
    return FromGrpc((stub->*method)(&context, request, &response));
  }

  template <typename Message, typename Request, typename Start>
  absl::Status Read(const std::string& who, const Request& request, const Start& start) {
    grpc::ClientContext context;
    Authorize(who, &context);
    const auto reader = start(&context, request);
    Message message;
    while (reader->Read(&message)) {
    }
    return FromGrpc(reader->Finish());
  }

  std::unique_ptr<grpc::ClientReader<v1::Assignment>> Serve(const std::string& who,
                                                            grpc::ClientContext* context,
                                                            const std::string& agent = kAgent,
                                                            const std::string& chip = kChip) {
    Authorize(who, context);
    v1::ServeRequest request;
    request.mutable_facts()->set_agent_id(agent);
    request.mutable_facts()->set_chip(chip);
    request.mutable_facts()->set_impl_sha256("sha");
    request.mutable_facts()->set_token("alice");  // a client's claim does not count
    request.mutable_health()->set_ok(true);
    return agents_->Serve(context, request);
  }

  void Submit() {
    grpc::ClientContext context;
    Authorize("alice", &context);
    v1::SubmitResponse response;
    const auto writer = agents_->Submit(&context, &response);
    v1::SubmitRequest request;
    *request.mutable_options() = TestOptions({"relu"});
    request.mutable_options()->clear_impl_sha256();
    writer->Write(request);
    writer->WritesDone();
    const absl::Status submitted = FromGrpc(writer->Finish());
    EXPECT_TRUE(submitted.ok()) << submitted;
    run_ = response.run().run_id();
  }

  TestServer server_;
  std::map<std::string, std::string> tokens_;
  std::unique_ptr<v1::Conformance::Stub> work_;
  std::unique_ptr<v1::Agents::Stub> agents_;
  std::unique_ptr<grpc::ClientContext> serving_;
  std::unique_ptr<grpc::ClientReader<v1::Assignment>> stream_;
  std::string run_;
};

TEST(OwnershipTest, WhoMayDoWhat) {
  const std::set<std::string> work = {"alice", "carol", "boss"};  // owner, agent, administrator
  struct Row {
    const char* call;
    std::function<absl::Status(SharedServer&, const std::string&)> make;
    std::set<std::string> may;
    std::string owner;  // whom a refusal names
    bool ends = false;  // one such call leaves nothing for the next
  };
  const std::vector<Row> rows = {
      {"resume", [](auto& s, const auto& who) { return s.Resume(who, false); }, work, "alice"},
      {"join", [](auto& s, const auto& who) { return s.Resume(who, true); }, work, "alice"},
      {"Lease", [](auto& s, const auto& who) { return s.Lease(who); }, work, "alice"},
      {"Fetch", [](auto& s, const auto& who) { return s.Fetch(who); }, work, "alice"},
      {"Report", [](auto& s, const auto& who) { return s.Report(who); }, work, "alice"},
      {"FinishRun", [](auto& s, const auto& who) { return s.FinishRun(who); }, work, "alice"},
      {"FetchImpl", [](auto& s, const auto& who) { return s.FetchImpl(who); }, work, "alice"},
      // An agent only leaves a run; its owner decides whether the run goes on.
      {"CancelRun",
       [](auto& s, const auto& who) { return s.CancelRun(who); },
       {"alice", "boss"},
       "alice",
       true},
      // Under the agent's name.
      {"EndAssignment",
       [](auto& s, const auto& who) { return s.EndAssignment(who); },
       {"carol", "boss"},
       "carol",
       true},
      {"Heartbeat", [](auto& s, const auto& who) { return s.Heartbeat(who); }, {"carol", "boss"}, "carol"},
      {"Leave", [](auto& s, const auto& who) { return s.Leave(who); }, {"carol", "boss"}, "carol", true},
      {"Serve", [](auto& s, const auto& who) { return s.Displace(who); }, {"carol", "boss"}, "carol", true},
  };
  for (const Row& row : rows) {
    std::unique_ptr<SharedServer> server;
    for (const char* who : {"bob", "reader", "alice", "carol", "boss"}) {
      if (server == nullptr || row.ends) server = std::make_unique<SharedServer>();
      const absl::Status status = row.make(*server, who);
      EXPECT_EQ(!absl::IsPermissionDenied(status), row.may.contains(who))
          << row.call << " " << who << ": " << status;
      const std::string text(status.message());
      if (row.may.contains(who)) {
        // The owner is checked before the library, which does not exist, is looked up.
        EXPECT_TRUE(status.ok() || absl::IsNotFound(status)) << row.call << " " << who << ": " << status;
        continue;
      }
      EXPECT_THAT(text, HasSubstr(std::string("'") + who + "'")) << row.call;
      for (const auto& [name, token] : server->tokens()) EXPECT_THAT(text, Not(HasSubstr(token)));
      if (std::string(who) == "reader") continue;  // its role is not enough, whosever the run is
      EXPECT_THAT(text, HasSubstr("'" + row.owner + "'")) << row.call;
      EXPECT_THAT(text, HasSubstr(row.owner == "alice" ? server->run() : kAgent)) << row.call;
    }
  }
}

TEST(OwnershipTest, AnAgentsRightsEndWithItsAssignment) {
  SharedServer server;
  EXPECT_TRUE(server.Lease("carol").ok());
  EXPECT_TRUE(server.CancelRun("alice").ok());
  EXPECT_TRUE(server.FinishRun("carol").ok());  // it still has to leave the run
  EXPECT_TRUE(server.EndAssignment("carol").ok());
  for (const absl::Status& status : {server.Lease("carol"), server.Report("carol"), server.FinishRun("carol"),
                                     server.Resume("carol", false)}) {
    EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  }
}

TEST(OwnershipTest, AReservedChipTakesAgentsAndRunsOfItsTokensOnly) {
  SharedServer server;
  for (const char* who : {"bob", "carol", "dora", "boss"}) {
    const bool may = std::string(who) == "dora" || std::string(who) == "boss";
    for (const absl::Status& status : {server.Register(who, std::string(who) + "s-agent", kReservedChip),
                                       server.Start(who, kReservedChip)}) {
      EXPECT_EQ(status.ok(), may) << who << ": " << status;
      if (may) continue;
      EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr("chip 'dora's chip' is reserved for agents and runs of 'dora'"));
    }
    EXPECT_TRUE(server.Start(who, kChip).ok());
  }
}

TEST(OwnershipTest, TheLogHasWhoWasRefused) {
  SharedServer server;
  testing::internal::CaptureStdout();  // where the log goes by default
  EXPECT_TRUE(absl::IsPermissionDenied(server.Report("bob")));
  const std::string log = testing::internal::GetCapturedStdout();
  EXPECT_THAT(log, HasSubstr("event=refused call=Report run_id=" + server.run()));
  EXPECT_THAT(log, HasSubstr("token=bob"));
  EXPECT_THAT(log, HasSubstr("peer=ipv4:127.0.0.1:"));
}

}  // namespace
}  // namespace diopi::server
