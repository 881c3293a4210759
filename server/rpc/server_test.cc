#include "server/rpc/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "baselines/store/store.h"
#include "cases/fill/fill.h"
#include "server/rpc/case_stream.h"
#include "server/rpc/server_testing.h"
#include "server/rpc/status.h"

namespace diopi::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void ExpectSame(const TensorMap& actual, const TensorMap& expected, const std::string& id) {
  ASSERT_EQ(actual.size(), expected.size()) << id;
  for (const auto& [key, tensor] : expected) {
    ASSERT_TRUE(actual.contains(key)) << id << " " << key;
    EXPECT_EQ(actual.at(key).dtype, tensor.dtype) << id << " " << key;
    EXPECT_EQ(actual.at(key).shape, tensor.shape) << id << " " << key;
    EXPECT_TRUE(actual.at(key).data == tensor.data) << id << " " << key;
  }
}

std::vector<std::string> IdsOf(const ReceivedLease& lease) {
  std::vector<std::string> ids(lease.cases.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = lease.cases[i].c.id();
  return ids;
}

TEST(ServerTest, AWholeRun) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const auto run = agent.CreateRun(std::vector<std::string>{});
  ASSERT_TRUE(run.ok()) << run.status();
  const std::vector<v1::Case> cases = TestCases();
  EXPECT_EQ(run->cases(), 8);
  EXPECT_EQ(run->done(), 0);
  EXPECT_EQ(run->suite_hash(), cases::Catalog::SuiteHash(cases));
  EXPECT_THAT(run->without_baseline(), IsEmpty());

  const ReceivedLease lease = agent.Lease(run->run_id(), 100);
  ASSERT_TRUE(lease.status.ok()) << lease.status;
  EXPECT_EQ(lease.header.expires_in_s(), 10);
  EXPECT_EQ(lease.header.cases(), 8);
  ASSERT_EQ(lease.cases.size(), 8U);
  for (size_t i = 0; i < cases.size(); ++i) {
    const ReceivedCase& received = lease.cases[i];
    EXPECT_EQ(received.c.SerializeAsString(), cases[i].SerializeAsString());
    EXPECT_EQ(received.unavailable, "");
    EXPECT_THAT(received.reference, HasSubstr("cpu: test 1"));
    ExpectSame(received.inputs, *FillInputs(cases[i]), cases[i].id());
    ExpectSame(received.references, ReferencesOf(cases[i]), cases[i].id());
    EXPECT_LE(received.largest_chunk, kChunkBytes);
    if (cases[i].label() == "large") {
      EXPECT_EQ(received.chunks, 3 + 1 + 6 + 3);
    }
  }
  const auto reported = agent.Report(run->run_id(), lease.cases);
  ASSERT_TRUE(reported.ok()) << reported.status();
  EXPECT_EQ(reported->stored(), 8);
  EXPECT_TRUE(agent.Lease(run->run_id(), 1).header.run_complete());
  const auto info = agent.Finish(run->run_id(), false);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(info->outcomes().at("pass"), 8);
  EXPECT_EQ(agent.GetRun("latest")->run_id(), run->run_id());
  // A report that arrives once more, after the end.
  EXPECT_EQ(agent.Report(run->run_id(), lease.cases)->duplicates(), 8);
}

TEST(ServerTest, ServerInfoAndRuns) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  grpc::ClientContext info_context;
  v1::ServerInfoResponse info;
  ASSERT_TRUE(agent.stub().GetServerInfo(&info_context, {}, &info).ok());
  EXPECT_EQ(info.data_folder(), server.data_folder());
  EXPECT_EQ(info.generator_version(), kGeneratorVersion);
  EXPECT_NE(info.version(), "");
  const std::string first = agent.CreateRun({"add"})->run_id();
  const std::string second = agent.CreateRun({"relu"})->run_id();
  grpc::ClientContext list_context;
  v1::ListRunsResponse runs;
  ASSERT_TRUE(agent.stub().ListRuns(&list_context, {}, &runs).ok());
  ASSERT_EQ(runs.runs_size(), 2);
  EXPECT_EQ(runs.runs(0).run_id(), second);
  EXPECT_EQ(runs.runs(1).run_id(), first);
  EXPECT_EQ(runs.runs(1).cases(), 6);
}

TEST(ServerTest, ShardsCoverTheRunOnce) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  std::multiset<std::string> seen;
  for (uint32_t shard = 0; shard < 3; ++shard) {
    v1::CreateRunRequest request;
    *request.mutable_options() = TestOptions({});
    request.mutable_options()->set_shard_index(shard);
    request.mutable_options()->set_shard_count(3);
    for (const std::string& id : IdsOf(agent.Lease(agent.CreateRun(request)->run_id(), 100))) {
      seen.insert(id);
    }
  }
  std::multiset<std::string> all;
  for (const v1::Case& c : TestCases()) all.insert(c.id());
  EXPECT_EQ(seen, all);
}

TEST(ServerTest, CasesWithoutUsableBaselineAreSentWithTheReason) {
  TestServer server(/*with_baselines=*/false);
  TestAgent agent = server.Agent("a");
  const std::vector<v1::Case> cases = TestCases("relu");
  const std::string path = baselines::BaselinePath(server.data_folder(), "cpu", "relu");
  v1::Case changed = cases[0];
  changed.set_hash(std::string(32, 'f'));
  struct Row {
    std::function<void()> make;
    std::string says;  // of the first case; empty: it is fine
    bool second_is_fine;
  };
  const std::vector<Row> rows = {
      {[] {}, "relu.h5", false},
      {[&] { WriteBaselines(server.data_folder(), "relu", {cases[1]}); }, "gen --fname relu", true},
      {[&] {
         WriteBaselines(server.data_folder(), "relu", {changed, cases[1]});
       },
       "another version", true},
      {[&] { WriteBaselines(server.data_folder(), "relu", cases); }, "", true},
      {[&] { std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2); }, "relu.h5", false},
      {[&] { std::ofstream(path) << "text"; }, "not an HDF5 file", false},
      {[&] { WriteBaselines(server.data_folder(), "relu", cases); }, "", true},
  };
  // The same server notices each new file.
  for (const Row& row : rows) {
    row.make();
    const auto run = agent.CreateRun({"relu"});
    ASSERT_TRUE(run.ok()) << run.status();
    const ReceivedLease lease = agent.Lease(run->run_id(), 10);
    ASSERT_TRUE(lease.status.ok()) << lease.status;
    ASSERT_EQ(lease.cases.size(), 2U);
    EXPECT_THAT(lease.cases[0].unavailable, HasSubstr(row.says));
    EXPECT_EQ(lease.cases[0].unavailable.empty(), row.says.empty());
    EXPECT_EQ(lease.cases[0].inputs.empty(), !row.says.empty());
    EXPECT_EQ(lease.cases[1].unavailable.empty(), row.second_is_fine) << lease.cases[1].unavailable;
    EXPECT_EQ(run->without_baseline_size(), row.says.empty() ? 0 : 1);
  }
}

TEST(ServerTest, TheDeviceReferenceIsSentAndNamedAndAQuarantinedCaseIsNot) {
  TestServer server(false);
  const std::vector<v1::Case> cases = TestCases("relu");
  ASSERT_EQ(cases.size(), 2U);
  baselines::Provenance provenance;
  provenance.reference = "cpu";
  provenance.library = "test 1";
  provenance.device_reference = {"Acme", "2.1", "00ff", "tf32", "2026-01-02T00:00:00Z"};
  const std::string path = baselines::BaselinePath(server.data_folder(), "cpu", "relu");
  auto writer = baselines::BaselineWriter::Create(path, "relu", provenance);
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const v1::Case& c : cases) {
    baselines::Baseline baseline{c, *FillInputs(c), ReferencesOf(c)};
    if (&c == &cases[0]) baseline.references["out.device"] = baseline.references["out"];
    if (&c == &cases[1]) baseline.quarantined = "oracle/contract conflict: out";
    ASSERT_TRUE((*writer)->Add(baseline).ok());
  }
  ASSERT_TRUE((*writer)->Commit().ok());
  TestAgent agent = server.Agent("a");
  const auto run = agent.CreateRun({"relu"});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->without_baseline_size(), 0);
  const ReceivedLease lease = agent.Lease(run->run_id(), 2);
  ASSERT_EQ(lease.cases.size(), 2U);
  EXPECT_EQ(lease.cases[0].unavailable, "");
  EXPECT_TRUE(lease.cases[0].references.contains("out.device"));
  EXPECT_FALSE(lease.cases[0].quarantined);
  EXPECT_EQ(lease.cases[1].unavailable, "oracle/contract conflict: out");
  EXPECT_TRUE(lease.cases[1].quarantined);
  for (const ReceivedCase& received : lease.cases) {
    EXPECT_EQ(received.device_reference, "Acme 2.1");
    EXPECT_THAT(received.reference, HasSubstr("cpu: test 1"));
    EXPECT_THAT(received.reference, HasSubstr("device reference: Acme 2.1 (library 00ff; contracts tf32)"));
  }
  EXPECT_TRUE(lease.cases[1].references.empty());
}

TEST(ServerTest, OneDamagedTensorCostsOneCase) {
  TestServer server;
  const std::string path = baselines::BaselinePath(server.data_folder(), "cpu", "relu");
  const std::vector<v1::Case> cases = TestCases("relu");
  // Inverts one byte of the first case's input, wherever it is in the file.
  const std::string bytes = FillInputs(cases[0])->at("input").data;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t at = all.find(bytes);
  ASSERT_NE(at, std::string::npos);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(bytes[0] ^ 1));
  file.close();
  TestAgent agent = server.Agent("a");
  const ReceivedLease lease = agent.Lease(agent.CreateRun({"relu"})->run_id(), 10);
  ASSERT_EQ(lease.cases.size(), 2U);
  EXPECT_THAT(lease.cases[0].unavailable, HasSubstr("input"));
  EXPECT_EQ(lease.cases[1].unavailable, "");
}

TEST(ServerTest, TwoAgentsShareAndEveryResultCountsOnce) {
  TestServer server;
  TestAgent a = server.Agent("a");
  TestAgent b = server.Agent("b");
  const std::string run = a.CreateRun({"add"})->run_id();
  const ReceivedLease first = a.Lease(run, 2);
  const ReceivedLease second = b.Lease(run, 4);
  EXPECT_EQ(first.cases.size() + second.cases.size(), 6U);
  const ReceivedLease none = b.Lease(run, 4);
  EXPECT_THAT(none.cases, IsEmpty());
  EXPECT_FALSE(none.header.run_complete());
  EXPECT_GT(none.header.retry_in_s(), 0);
  EXPECT_EQ(b.Report(run, second.cases)->stored(), 4);

  // a goes silent: b gets its cases, both report.
  server.clock().Advance(absl::Seconds(10));
  const ReceivedLease again = b.Lease(run, 4);
  EXPECT_EQ(IdsOf(again), IdsOf(first));
  EXPECT_EQ(a.Report(run, first.cases)->stored(), 2);
  const auto late = b.Report(run, again.cases);
  EXPECT_EQ(late->stored(), 0);
  EXPECT_EQ(late->duplicates(), 2);
  EXPECT_EQ(a.GetRun(run)->done(), 6);
  EXPECT_TRUE(b.Lease(run, 4).header.run_complete());
}

TEST(ServerTest, RenewalKeepsALease) {
  TestServer server;
  TestAgent a = server.Agent("a");
  TestAgent b = server.Agent("b");
  const std::string run = a.CreateRun({"relu"})->run_id();
  const ReceivedLease lease = a.Lease(run, 10);
  v1::ReportRequest renewal;
  renewal.set_run_id(run);
  renewal.set_agent_id("a");
  renewal.add_renew_leases(lease.header.lease_id());
  for (int i = 0; i < 3; ++i) {
    server.clock().Advance(absl::Seconds(9));
    ASSERT_TRUE(a.Report(renewal).ok());
    EXPECT_THAT(b.Lease(run, 10).cases, IsEmpty());
  }
  server.clock().Advance(absl::Seconds(10));
  EXPECT_EQ(b.Lease(run, 10).cases.size(), 2U);
}

TEST(ServerTest, ManyAgentsAtOnce) {
  TestServer server;
  std::vector<std::thread> agents;
  agents.reserve(4);
  std::atomic<int> stored = 0;
  const std::string run = server.Agent("a").CreateRun(std::vector<std::string>{})->run_id();
  for (int i = 0; i < 4; ++i) {
    agents.emplace_back([&, i] { stored += server.Agent(absl::StrCat("agent", i)).DoAll(run, 1); });
  }
  for (std::thread& agent : agents) agent.join();
  EXPECT_EQ(stored, 8);
}

TEST(ServerTest, ARunIsResumedAfterTheServerCameBack) {
  TestServer server;
  std::string run;
  std::vector<std::string> done;
  {
    TestAgent agent = server.Agent("a");
    run = agent.CreateRun({"add"})->run_id();
    const ReceivedLease lease = agent.Lease(run, 2);
    ASSERT_TRUE(agent.Report(run, lease.cases).ok());
    agent.Lease(run, 1);  // never reported
    done = IdsOf(lease);
  }
  server.Stop();
  server.Start();
  TestAgent agent = server.Agent("b");
  const auto resumed = agent.Resume("latest");
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(resumed->run_id(), run);
  EXPECT_EQ(resumed->cases(), 6);
  EXPECT_EQ(resumed->done(), 2);
  const ReceivedLease rest = agent.Lease(run, 100);
  EXPECT_EQ(rest.cases.size(), 4U);
  for (const std::string& id : IdsOf(rest)) EXPECT_EQ(std::count(done.begin(), done.end(), id), 0) << id;
  server.Stop();
  server.Start();
  // An agent that never noticed continues with nothing but the run's name.
  TestAgent same = server.Agent("b");
  EXPECT_EQ(same.Report(run, {rest.cases[0]})->stored(), 1);
  EXPECT_EQ(same.DoAll(run, 2), 3);
  EXPECT_EQ(same.Finish(run, false)->state(), v1::RUN_STATE_FINISHED);
}

TEST(ServerTest, ResumingNeedsTheSameChipLibraryAndContracts) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  v1::CreateRunRequest request;
  request.set_resume_run(agent.CreateRun({"relu"})->run_id());
  struct Row {
    std::string chip;
    std::string sha;
    std::string contract;
    std::string says;
  };
  for (const Row& row : std::vector<Row>{{"other", "sha", "", "'chip', this is 'other'"},
                                         {"chip", "abc", "", "'sha', this is 'abc'"},
                                         {"chip", "sha", "tf32", "'none', this is 'tf32'"}}) {
    request.mutable_options()->set_chip(row.chip);
    request.mutable_options()->clear_contracts();
    if (!row.contract.empty()) request.mutable_options()->add_contracts(row.contract);
    request.mutable_options()->set_impl_sha256(row.sha);
    const absl::Status status = agent.CreateRun(request).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
  }
}

TEST(ServerTest, AnAbortedRunGoesOn) {
  TestServer server;
  TestAgent a = server.Agent("a");
  TestAgent b = server.Agent("b");
  const std::string run = a.CreateRun({"add"})->run_id();
  a.Lease(run, 1);
  const ReceivedLease kept = b.Lease(run, 1);
  EXPECT_EQ(a.Finish(run, true)->state(), v1::RUN_STATE_RUNNING);  // b still works on it
  ASSERT_TRUE(b.Report(run, kept.cases).ok());
  EXPECT_EQ(b.Finish(run, true)->state(), v1::RUN_STATE_ABORTED);
  const auto resumed = a.Resume(run);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(resumed->done(), 1);
  EXPECT_EQ(a.GetRun(run)->state(), v1::RUN_STATE_RUNNING);
  EXPECT_EQ(a.DoAll(run, 10), 5);
  EXPECT_EQ(a.Finish(run, true)->state(), v1::RUN_STATE_FINISHED);
}

TEST(ServerTest, CasesThatAGoneAgentDidNotGetGoToAnotherAtOnce) {
  TestServer server;
  TestAgent b = server.Agent("b");
  const std::string run = b.CreateRun({"add"})->run_id();
  {
    TestAgent a = server.Agent("a");  // its connection ends with it
    grpc::ClientContext context;
    v1::LeaseRequest request;
    request.set_run_id(run);
    request.set_agent_id("a");
    request.set_max_cases(100);
    const auto reader = a.stub().Lease(&context, request);
    v1::LeaseMessage header;
    ASSERT_TRUE(reader->Read(&header));
    context.TryCancel();
    reader->Finish();
  }
  // The clock stands still, so nothing expires; the large case cannot have fitted into the buffers. The loop
  // only polls.
  std::set<std::string> ids;
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (ids.empty() && absl::Now() < deadline) {
    for (const std::string& id : IdsOf(b.Lease(run, 100))) ids.insert(id);
  }
  EXPECT_TRUE(ids.contains("add.float32.large"));
}

TEST(ServerTest, AStoppingServerSaysSo) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun({"add"})->run_id();
  server.server().Shutdown(absl::Seconds(1));
  EXPECT_TRUE(absl::IsUnavailable(agent.Lease(run, 1).status));
  server.Start();
  TestAgent next = server.Agent("b");
  EXPECT_EQ(next.DoAll(run, 100), 6);
}

}  // namespace
}  // namespace diopi::server
