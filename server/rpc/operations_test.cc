// What operators rely on: health checks, reflection, metrics of a real run, and a shutdown that lets agents
// finish.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/rpc/server_testing.h"
#include "server/store/database.h"
#include "server/telemetry/exposition.h"

namespace diopi::server {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using ::testing::HasSubstr;

constexpr char kService[] = "diopi.v1.Conformance";

std::shared_ptr<grpc::Channel> ChannelTo(TestServer& server) {
  return grpc::CreateChannel(server.server().address(), grpc::InsecureChannelCredentials());
}

// A watch on one service's health.
class HealthWatch {
 public:
  HealthWatch(TestServer& server, const std::string& service) : stub_(Health::NewStub(ChannelTo(server))) {
    HealthCheckRequest request;
    request.set_service(service);
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    reader_ = stub_->Watch(&context_, request);
  }
  HealthWatch(const HealthWatch&) = delete;
  HealthWatch& operator=(const HealthWatch&) = delete;
  ~HealthWatch() {
    context_.TryCancel();
    reader_->Finish();
  }
  // The next status; UNKNOWN: the watch has ended.
  HealthCheckResponse::ServingStatus Next() {
    HealthCheckResponse response;
    return reader_->Read(&response) ? response.status() : HealthCheckResponse::UNKNOWN;
  }

 private:
  grpc::ClientContext context_;
  const std::unique_ptr<Health::Stub> stub_;
  std::unique_ptr<grpc::ClientReader<HealthCheckResponse>> reader_;
};

TEST(HealthTest, NamesOfServices) {
  TestServer server;
  const auto stub = Health::NewStub(ChannelTo(server));
  struct Row {
    std::string service;
    grpc::StatusCode code;
  };
  for (const Row& row : std::vector<Row>{{"", grpc::StatusCode::OK},
                                         {kService, grpc::StatusCode::OK},
                                         {"diopi.v1.Nothing", grpc::StatusCode::NOT_FOUND}}) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(row.service);
    HealthCheckResponse response;
    const grpc::Status status = stub->Check(&context, request, &response);
    EXPECT_EQ(status.error_code(), row.code) << row.service << ": " << status.error_message();
    if (status.ok()) {
      EXPECT_EQ(response.status(), HealthCheckResponse::SERVING) << row.service;
    }
  }
}

// The messages of the reflection protocol live in gRPC's own library, without a header.
std::unique_ptr<google::protobuf::Message> NewMessage(const std::string& name) {
  const auto* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(name);
  if (type == nullptr) {
    ADD_FAILURE() << "no message " << name;
    return nullptr;
  }
  return std::unique_ptr<google::protobuf::Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

std::string Reflect(TestServer& server, const std::string& field, const std::string& value) {
  const auto request = NewMessage("grpc.reflection.v1alpha.ServerReflectionRequest");
  request->GetReflection()->SetString(request.get(), request->GetDescriptor()->FindFieldByName(field), value);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  grpc::GenericStub stub(ChannelTo(server));
  grpc::CompletionQueue queue;
  const auto stream =
      stub.PrepareCall(&context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  stream->StartCall(nullptr);
  EXPECT_TRUE(wait());
  const grpc::Slice bytes(request->SerializeAsString());
  stream->Write(grpc::ByteBuffer(&bytes, 1), nullptr);
  EXPECT_TRUE(wait());
  grpc::ByteBuffer answer;
  stream->Read(&answer, nullptr);
  EXPECT_TRUE(wait());
  context.TryCancel();
  grpc::Status status;
  stream->Finish(&status, nullptr);
  wait();
  grpc::Slice slice;
  EXPECT_TRUE(answer.DumpToSingleSlice(&slice).ok());
  const auto response = NewMessage("grpc.reflection.v1alpha.ServerReflectionResponse");
  EXPECT_TRUE(response->ParseFromArray(slice.begin(), static_cast<int>(slice.size())));
  return response->DebugString();
}

TEST(ReflectionTest, ListsAndDescribesOurServices) {
  TestServer server;
  const std::string services = Reflect(server, "list_services", "");
  EXPECT_THAT(services, HasSubstr("name: \"diopi.v1.Conformance\""));
  EXPECT_THAT(services, HasSubstr("name: \"grpc.health.v1.Health\""));
  // What grpcurl describe asks for.
  EXPECT_THAT(Reflect(server, "file_containing_symbol", kService), HasSubstr("ReportRequest"));
  EXPECT_THAT(Reflect(server, "file_containing_symbol", "grpc.health.v1.Health"),
              HasSubstr("HealthCheckRequest"));
  EXPECT_THAT(Reflect(server, "file_containing_symbol", "diopi.v1.Nothing"), HasSubstr("error_response"));
}

std::map<std::string, double> MetricsOf(TestServer& server) {
  const std::string text = server.server().metrics().Text();
  const auto parsed = ParseExposition(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
  return parsed.ok() ? *parsed : std::map<std::string, double>();
}

TEST(ServerMetricsTest, MoveInARun) {
  TestServer server;
  TestAgent a = server.Agent("a");
  TestAgent b = server.Agent("b");
  const std::map<std::string, double> before = MetricsOf(server);
  const std::string run = a.CreateRun({"add"})->run_id();
  const ReceivedLease first = a.Lease(run, 4);
  std::map<std::string, double> during = MetricsOf(server);
  server.clock().Advance(absl::Seconds(10));  // a's lease expires
  const ReceivedLease again = b.Lease(run, 6);
  v1::ReportRequest report;
  report.set_run_id(run);
  report.set_agent_id("b");
  size_t bytes = 0;
  for (const ReceivedLease* lease : {&first, &again}) {
    for (const ReceivedCase& received : lease->cases) {
      for (const TensorMap* tensors : {&received.inputs, &received.references}) {
        for (const auto& [unused, tensor] : *tensors) bytes += tensor.data.size();
      }
    }
  }
  for (const ReceivedCase& received : again.cases) {
    *report.add_verdicts() = PassOf(received.c);
    report.add_renew_leases(received.lease_id);
    if (report.verdicts_size() <= 2)
      report.mutable_verdicts(report.verdicts_size() - 1)->set_outcome(v1::OUTCOME_FAIL);
  }
  ASSERT_TRUE(b.Report(report).ok());
  EXPECT_EQ(a.Report(run, first.cases)->duplicates(), 4);
  ASSERT_TRUE(b.Finish(run, false).ok());
  EXPECT_TRUE(absl::IsNotFound(a.GetRun("nope").status()));
  std::map<std::string, double> after = MetricsOf(server);

  EXPECT_EQ(during["diopi_open_leases"], 1);
  EXPECT_EQ(during["diopi_open_cases"], 4);
  EXPECT_EQ(during[R"(diopi_runs{chip="chip",kind="cases",state="running"})"], 1);
  const std::map<std::string, double> expected = {
      {"diopi_open_leases", 0},
      {"diopi_open_cases", 0},
      {"diopi_rpc_in_flight", 0},
      {R"(diopi_runs{chip="chip",kind="cases",state="running"})", 0},
      {R"(diopi_runs{chip="chip",kind="cases",state="finished"})", 1},
      {"diopi_cases_leased_total", 10},
      {"diopi_cases_expired_total", 4},
      {"diopi_cases_reported_total", 10},
      {"diopi_cases_duplicate_total", 4},
      {R"(diopi_verdicts_total{chip="chip",outcome="pass"})", 4},
      {R"(diopi_verdicts_total{chip="chip",outcome="fail"})", 2},
      {R"(diopi_rpc_seconds_count{code="OK",method="Lease"})", 2},
      {R"(diopi_rpc_seconds_count{code="OK",method="Report"})", 2},
      {R"(diopi_rpc_seconds_count{code="OK",method="CreateRun"})", 1},
      {R"(diopi_rpc_seconds_count{code="NOT_FOUND",method="GetRun"})", 1},
      {"diopi_database_append_seconds_count", 2},
      {"diopi_streamed_bytes_total", static_cast<double>(bytes)},
      {"diopi_baseline_misses_total", 1},
      {"diopi_baseline_open_files", 1},
  };
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(after.contains(name)) << name << "\n" << server.server().metrics().Text();
    EXPECT_EQ(after[name], value) << name;
  }
  EXPECT_GE(after["diopi_baseline_hits_total"], 10);
  // The log is used again from its beginning.
  EXPECT_GE(after["diopi_database_bytes"], before.at("diopi_database_bytes"));
}

TEST(ShutdownTest, AgentsFinishTheirLeasesWithinTheGrace) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun({"add"})->run_id();
  const ReceivedLease lease = agent.Lease(run, 2);
  HealthWatch all(server, "");
  HealthWatch ours(server, kService);
  EXPECT_EQ(all.Next(), HealthCheckResponse::SERVING);
  EXPECT_EQ(ours.Next(), HealthCheckResponse::SERVING);
  EXPECT_TRUE(server.server().serving());
  // Far longer than the test may take: Shutdown returns because the lease ends.
  std::thread stopping([&server] { server.server().Shutdown(absl::Minutes(10)); });
  EXPECT_EQ(all.Next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(ours.Next(), HealthCheckResponse::NOT_SERVING);
  // Poll: a server reports itself unhealthy just before it stops handing out work.
  while (server.server().serving()) std::this_thread::yield();
  const absl::Status refused = agent.Lease(run, 1).status;
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("shutting down"));
  EXPECT_EQ(agent.Report(run, {lease.cases[0]})->stored(), 1);
  EXPECT_EQ(agent.Report(run, {lease.cases[1]})->stored(), 1);
  stopping.join();
  EXPECT_TRUE(absl::IsUnavailable(agent.GetRun(run).status()));
}

TEST(ShutdownTest, WhatNobodyReportsIsReleasedAndHandedOutAtOnceByTheNextServer) {
  TestServer server;
  TestAgent dead = server.Agent("dead");
  const std::string run = dead.CreateRun({"add"})->run_id();
  EXPECT_EQ(dead.Lease(run, 4).cases.size(), 4U);
  server.server().Shutdown(absl::Milliseconds(50));  // the grace passes
  server.Stop();
  server.Start();
  // The clock stands still: no lease can have expired.
  TestAgent alive = server.Agent("alive");
  EXPECT_EQ(alive.Lease(run, 100).cases.size(), 6U);
}

TEST(ShutdownTest, AnImpatientOperatorWaitsForNoLease) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun({"add"})->run_id();
  agent.Lease(run, 4);
  HealthWatch watch(server, "");
  EXPECT_EQ(watch.Next(), HealthCheckResponse::SERVING);
  std::thread stopping([&server] { server.server().Shutdown(absl::Minutes(10)); });
  EXPECT_EQ(watch.Next(), HealthCheckResponse::NOT_SERVING);
  server.server().AbandonLeases();
  stopping.join();
}

// Each silent upload holds a thread. Calls beyond the threads are refused, not queued; when threads are free
// again, calls are served.
TEST(ThreadsTest, CallsBeyondTheLimitAreRefused) {
  constexpr int kThreads = 4;
  TestServer server;
  server.Stop();
  server.options.max_threads = kThreads;
  server.Start();
  const auto channel = ChannelTo(server);
  const auto stub = v1::Conformance::NewStub(channel);
  const auto agents = v1::Agents::NewStub(channel);
  struct Silent {
    grpc::ClientContext context;
    v1::SubmitResponse response;
    std::unique_ptr<grpc::ClientWriter<v1::SubmitRequest>> writer;
  };
  std::vector<std::unique_ptr<Silent>> silent;
  const auto call = [&stub] {
    grpc::ClientContext context;
    v1::ServerInfoResponse response;
    return stub->GetServerInfo(&context, {}, &response);
  };
  grpc::Status status = call();
  EXPECT_TRUE(status.ok());
  while (status.ok() && silent.size() < size_t{10} * kThreads) {
    Silent& upload = *silent.emplace_back(std::make_unique<Silent>());
    upload.writer = agents->Submit(&upload.context, &upload.response);
    status = call();
  }
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "Server Threadpool Exhausted");  // client/rpc relies on this text
  for (const auto& upload : silent) upload->context.TryCancel();
  for (const auto& upload : silent) upload->writer->Finish();
  // The client's end of an upload may be over before the server's.
  const absl::Time limit = absl::Now() + absl::Seconds(60);
  while (!status.ok() && absl::Now() < limit) status = call();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

// The file alone has the run: a copy of it does not depend on the write-ahead log.
TEST(DurabilityTest, AFinishedRunIsInTheFileItself) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const auto run = agent.CreateRun({"relu"});
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(agent.DoAll(run->run_id(), 16), run->cases());
  ASSERT_TRUE(agent.Finish(run->run_id(), false).ok());
  const std::string copy = absl::StrCat(server.data_folder(), "/copy.db");
  std::filesystem::copy_file(DatabasePath(server.data_folder()), copy);
  const auto database = Database::Open(copy, {.read_only = true});
  ASSERT_TRUE(database.ok()) << database.status();
  const auto kept = (*database)->GetRun(run->run_id());
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(kept->done(), run->cases());
}

// A server whose threads are all held answers health checks, and is not ready.
TEST(ReadyTest, CallsItself) {
  TestServer server;
  const auto problems = [&server] {
    std::vector<std::string> names;
    for (const ReadyPart& part : server.server().Ready()) {
      if (!part.status.ok()) names.push_back(absl::StrCat(part.name, ": ", part.status.message()));
    }
    return names;
  };
  EXPECT_THAT(problems(), testing::IsEmpty());
  server.Stop();
  server.options.max_threads = 4;
  server.Start();
  const auto agents = v1::Agents::NewStub(ChannelTo(server));
  struct Silent {
    grpc::ClientContext context;
    v1::SubmitResponse response;
    std::unique_ptr<grpc::ClientWriter<v1::SubmitRequest>> writer;
  };
  std::vector<std::unique_ptr<Silent>> silent;
  std::vector<std::string> found;
  while ((found = problems()).empty() && silent.size() < 40) {
    Silent& upload = *silent.emplace_back(std::make_unique<Silent>());
    upload.writer = agents->Submit(&upload.context, &upload.response);
  }
  EXPECT_THAT(found, testing::ElementsAre(testing::StartsWith("calls: a call ")));
  for (const auto& upload : silent) upload->context.TryCancel();
  for (const auto& upload : silent) upload->writer->Finish();
  const absl::Time limit = absl::Now() + absl::Seconds(60);
  while (!(found = problems()).empty() && absl::Now() < limit) std::this_thread::yield();
  EXPECT_THAT(found, testing::IsEmpty());
}

}  // namespace
}  // namespace diopi::server
