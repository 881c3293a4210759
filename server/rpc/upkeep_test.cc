// What a server does by itself or refuses to protect others: abandoned runs, quotas, a temporarily full disk.
// A real server; a second connection makes runs in its database old.
#include "server/store/upkeep.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cases/base/sha256.h"
#include "cases/base/status_macros.h"
#include "server/rpc/server_testing.h"
#include "server/rpc/status.h"
#include "server/security/token_file.h"
#include "server/store/database.h"
#include "server/store/full_disk_testing.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

class UpkeepTest : public ::testing::Test {
 protected:
  UpkeepTest() : server_(false) {
    WriteBaselines(server_.data_folder(), "relu", TestCases("relu"));
    server_.Stop();
    server_.options.reap_after = absl::Seconds(10);
    server_.options.quota = {.open_runs = 2, .bytes = 2 << 20};
    server_.options.max_upload_bytes = 100;
    server_.options.max_owner_upload_bytes = 150;
    server_.Start();
  }

  std::unique_ptr<v1::Agents::Stub> Agents() {
    return v1::Agents::NewStub(
        grpc::CreateChannel(server_.server().address(), grpc::InsecureChannelCredentials()));
  }

  // Submits a run with a library of this many bytes; 0: none.
  absl::StatusOr<v1::RunInfo> Submit(const std::string& token, size_t library = 0) {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    v1::SubmitResponse response;
    const auto stub = Agents();
    const auto writer = stub->Submit(&context, &response);
    v1::SubmitRequest request;
    *request.mutable_options() = TestOptions({"relu"});
    request.mutable_options()->clear_impl_sha256();
    std::string bytes = "\177ELF";
    if (library > 0) {
      bytes.resize(library, 'x');
      request.set_upload_name("lib.so");
      request.set_upload_bytes(static_cast<int64_t>(library));
      const std::string path = server_.data_folder() + "/lib.so";
      std::ofstream(path, std::ios::binary) << bytes;
      request.set_upload_sha256(*Sha256OfFile(path));
    }
    writer->Write(request);
    v1::SubmitRequest chunk;
    chunk.set_chunk(bytes);
    if (library > 0) writer->Write(chunk);
    writer->WritesDone();
    RETURN_IF_ERROR(FromGrpc(writer->Finish()));
    return response.run();
  }

  absl::Status Cancel(const std::string& token, const std::string& run) {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    v1::CancelRunRequest request;
    request.set_run_id(run);
    v1::CancelRunResponse response;
    return FromGrpc(Agents()->CancelRun(&context, request, &response));
  }

  // The run when it has ended, as a watcher receives it.
  v1::RunInfo AwaitEnd(const std::string& run) {
    grpc::ClientContext context;
    v1::GetRunRequest request;
    request.set_run_id(run);
    const auto stub = Agents();
    const auto reader = stub->WatchRun(&context, request);
    v1::RunInfo info;
    while (reader->Read(&info)) {
    }
    const absl::Status status = FromGrpc(reader->Finish());
    EXPECT_TRUE(status.ok()) << status;
    return info;
  }

  // Makes the run look as if its agent had left this long ago, by the time of day.
  void MakeOld(const std::string& run, absl::Duration age) {
    const auto database = Database::Open(DatabasePath(server_.data_folder()), {});
    ASSERT_TRUE(database.ok()) << database.status();
    const absl::Status aged = (*database)->KeepAlive(run, -age);
    ASSERT_TRUE(aged.ok()) << aged;
  }

  TestServer server_;
};

TEST_F(UpkeepTest, AnAbandonedRunIsAbortedAndCanBeResumed) {
  TestAgent agent = server_.Agent("a");
  const std::string young = agent.CreateRun({"relu"})->run_id();
  const std::string here = agent.CreateRun({"relu"})->run_id();
  const std::string gone = agent.CreateRun({"relu"})->run_id();
  server_.clock().Advance(absl::Seconds(60));
  // Only the time of day, which jumped, makes it look old.
  EXPECT_EQ(agent.Lease(here, 1).cases.size(), 1U);
  MakeOld(here, absl::Hours(1));
  MakeOld(young, absl::Seconds(1));
  MakeOld(gone, absl::Seconds(11));
  const v1::RunInfo ended = AwaitEnd(gone);
  EXPECT_EQ(ended.state(), v1::RUN_STATE_ABORTED);
  EXPECT_EQ(ended.options().aborted().code(), v1::Finding::ABANDONED);
  EXPECT_EQ(ended.options().aborted().limit(), "10s");
  EXPECT_EQ(agent.GetRun(young)->state(), v1::RUN_STATE_STALLED);
  EXPECT_EQ(agent.GetRun(here)->state(), v1::RUN_STATE_STALLED);
  const auto resumed = agent.Resume(gone);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(agent.GetRun(gone)->state(), v1::RUN_STATE_RUNNING);
  EXPECT_FALSE(agent.GetRun(gone)->options().has_aborted());
  EXPECT_EQ(agent.DoAll(gone, 10), 2);
  EXPECT_EQ(agent.Finish(gone, false)->state(), v1::RUN_STATE_FINISHED);
}

TEST_F(UpkeepTest, AnAbandonedSubmissionEndsItsWait) {
  const auto run = Submit("");
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_TRUE(server_.Agent("a").Resume(run->run_id()).ok());  // its agent begins, and is gone
  MakeOld(run->run_id(), absl::Hours(1));
  server_.clock().Advance(absl::Hours(1));
  const v1::RunInfo ended = AwaitEnd(run->run_id());
  EXPECT_EQ(ended.state(), v1::RUN_STATE_ABORTED);
  EXPECT_THAT(ended.submission().note(), HasSubstr("no agent has worked on it"));
  EXPECT_EQ(ended.submission().exit_code(), 4);
  ASSERT_TRUE(server_.Agent("a").Resume(run->run_id()).ok());
  const auto again = server_.Agent("a").GetRun(run->run_id());
  EXPECT_EQ(again->state(), v1::RUN_STATE_RUNNING);
  EXPECT_EQ(again->submission().note(), "");
}

TEST_F(UpkeepTest, ARunThatNeverBeganIsNotResumed) {
  const auto run = Submit("");
  ASSERT_TRUE(run.ok()) << run.status();
  server_.Stop();
  ASSERT_TRUE((*Database::Open(DatabasePath(server_.data_folder()), {}))
                  ->ChangeRun(run->run_id(), {.state = v1::RUN_STATE_ABORTED})
                  .ok());
  server_.Start();
  const absl::Status refused = server_.Agent("a").Resume(run->run_id()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("was aborted before an agent began it"));
}

TEST_F(UpkeepTest, ATokenHasSoManyOpenRuns) {
  // Without tokens nobody's runs can be counted.
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(server_.Agent("a").CreateRun({"relu"}).ok());
  const std::string alice = *AddToken(server_.data_folder(), "alice", Role::kRun);
  const std::string bob = *AddToken(server_.data_folder(), "bob", Role::kRun);
  const auto first = Submit(alice);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(Submit(alice).ok());
  const absl::Status refused = Submit(alice).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("'alice' has 2 runs that are queued or running; 2 are allowed"));
  EXPECT_TRUE(Submit(bob).ok());
  ASSERT_TRUE(Cancel(alice, first->run_id()).ok());
  EXPECT_TRUE(Submit(alice).ok());
}

TEST_F(UpkeepTest, ATokenHasSoManyBytesOfResults) {
  const std::string alice = *AddToken(server_.data_folder(), "alice", Role::kRun);
  const std::string bob = *AddToken(server_.data_folder(), "bob", Role::kRun);
  const auto run = Submit(alice);
  ASSERT_TRUE(run.ok()) << run.status();
  {
    const auto database = Database::Open(DatabasePath(server_.data_folder()), {});
    v1::Verdict verdict;
    const std::vector<RunCase> cases = *(*database)->CasesOf(run->run_id());
    verdict.set_case_id(cases.front().case_id);
    verdict.set_case_hash(cases.front().case_hash);
    verdict.set_outcome(v1::OUTCOME_ERROR);
    verdict.set_error_text(std::string(2 << 20, 'x'));
    ASSERT_TRUE((*database)->Append(run->run_id(), {verdict}).ok());
  }
  const absl::Status refused = Submit(alice).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(
      std::string(refused.message()),
      HasSubstr("the results of 'alice' take 2.0 MiB; 2.0 MiB are allowed (--max-owner-results-mib)"));
  EXPECT_TRUE(Submit(bob).ok());
  ASSERT_TRUE(Cancel(alice, run->run_id()).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Submit(alice).status()));  // the results stay
  ASSERT_TRUE(RemoveRuns(DatabasePath(server_.data_folder()), {run->run_id()}).ok());
  EXPECT_TRUE(Submit(alice).ok());
}

TEST_F(UpkeepTest, ATokenHasSoManyBytesOfLibraries) {
  const std::string alice = *AddToken(server_.data_folder(), "alice", Role::kAdmin);
  const auto first = Submit(alice, 100);
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::Status refused = Submit(alice, 51).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("'alice' has 100 bytes of uploaded libraries; this one has 51, and 150 are allowed"));
  server_.Stop();
  server_.Start();  // which counts what is there
  EXPECT_TRUE(absl::IsResourceExhausted(Submit(alice, 51).status()));
  ASSERT_TRUE(Cancel(alice, first->run_id()).ok());
  EXPECT_TRUE(Submit(alice, 100).ok());
}

TEST_F(UpkeepTest, OnAFullDiskASubmittedRunIsThereOrIsNot) {
  {
    const FullDisk full;
    const absl::Status status = Submit("").status();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_TRUE(absl::IsResourceExhausted(server_.Agent("a").CreateRun({"relu"}).status()));
  }
  TestAgent agent = server_.Agent("a");
  EXPECT_TRUE(absl::IsNotFound(agent.GetRun("latest").status())) << agent.GetRun("latest").status();
  const auto run = Submit("", 100);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->state(), v1::RUN_STATE_QUEUED);
  EXPECT_EQ(run->submission().upload_bytes(), 100);
  EXPECT_TRUE(std::filesystem::exists(server_.data_folder() + "/uploads/" + run->run_id() + ".so"));
}

TEST_F(UpkeepTest, AnEndThatAFullDiskDidNotTakeIsStoredLater) {
  TestAgent agent = server_.Agent("a");
  const std::string run = agent.CreateRun({"relu"})->run_id();
  ASSERT_EQ(agent.DoAll(run, 10), 2);
  {
    const FullDisk full;
    EXPECT_TRUE(absl::IsResourceExhausted(agent.Finish(run, false).status()));
    EXPECT_EQ(agent.GetRun(run)->state(), v1::RUN_STATE_RUNNING);
  }
  EXPECT_EQ(AwaitEnd(run).state(), v1::RUN_STATE_FINISHED);
}

}  // namespace
}  // namespace diopi::server
