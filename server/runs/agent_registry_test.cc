// Which agents are connected and which run each does, over a real database, a clock that the test moves, and
// links that are lists.
#include "server/runs/agent_registry.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "server/scheduler/fake_clock.h"
#include "server/store/database_testing.h"
#include "server/store/full_disk_testing.h"

namespace diopi::server {
namespace {

class ListLink final : public AgentLink {
 public:
  void Send(const v1::Assignment& message) override {
    if (message.has_run()) runs.push_back(message.run().run_id());
    if (message.what_case() == v1::Assignment::kStopRun) stops.push_back(message.stop_run());
  }
  void Close(const absl::Status& why) override { closed = why; }

  std::vector<std::string> runs;
  std::vector<std::string> stops;
  std::optional<absl::Status> closed;
};

class AgentRegistryTest : public ::testing::Test {
 protected:
  AgentRegistryTest() { Restart(); }

  // Like a new server on the same database.
  void Restart() {
    registry_ = nullptr;
    changes_ = nullptr;
    database_ = nullptr;
    database_ = *Database::Open(DatabasePath(folder_.path()), {});
    AgentRegistry::Options options;
    options.lost_after = absl::Seconds(20);
    options.forget_after = absl::Hours(1);
    options.max_agents = 4;
    changes_ = std::make_unique<RunChanges>(database_.get(), [this](const std::string& run, bool ended) {
      if (ended) ended_.push_back(run);
    });
    registry_ = std::make_unique<AgentRegistry>(database_.get(), changes_.get(), &clock_, options);
    ASSERT_TRUE(registry_->Load().ok());
  }

  static v1::ServeRequest Agent(const std::string& name, const std::string& library = "sha") {
    v1::ServeRequest request;
    request.mutable_facts()->set_agent_id(name);
    request.mutable_facts()->set_chip("c");
    request.mutable_facts()->set_impl_sha256(library);
    request.mutable_health()->set_ok(true);
    return request;
  }

  std::shared_ptr<ListLink> Register(const v1::ServeRequest& request) {
    auto link = std::make_shared<ListLink>();
    const absl::Status status = registry_->Register(request, link);
    EXPECT_TRUE(status.ok()) << status;
    return link;
  }

  std::string Submit(const v1::Submission& submission = {}, bool exploration = false) {
    v1::RunOptions options;
    options.set_chip("c");
    if (exploration) options.mutable_exploration()->set_seconds(7200);
    const std::string id = database_->CreateRun(options, "s", MakeCases(exploration ? 0 : 1))->run_id();
    EXPECT_TRUE(database_->SetSubmission(id, submission).ok());
    registry_->Enqueue(*database_->GetRun(id));
    return id;
  }

  v1::AgentState StateOf(const std::string& name) {
    for (const v1::AgentInfo& agent : registry_->List("")) {
      if (agent.facts().agent_id() == name) return agent.state();
    }
    return v1::AGENT_STATE_UNSPECIFIED;
  }

  void Beat(const std::string& name, bool healthy = true) {
    v1::HeartbeatRequest request;
    request.set_agent_id(name);
    request.mutable_health()->set_ok(healthy);
    EXPECT_TRUE(registry_->Heartbeat(request));
  }

  void End(const std::string& name, const std::string& run, int exit_code) {
    v1::EndAssignmentRequest request;
    request.set_agent_id(name);
    request.set_run_id(run);
    request.set_exit_code(exit_code);
    request.set_text("why");
    registry_->EndAssignment(request);
  }

  using Runs = std::vector<std::string>;
  const TestFolder folder_;
  FakeClock clock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<RunChanges> changes_;
  std::unique_ptr<AgentRegistry> registry_;
  Runs ended_;
};

TEST_F(AgentRegistryTest, AnExplorationHasOneAgentAtATime) {
  const auto a = Register(Agent("a"));
  const auto b = Register(Agent("b"));
  const std::string id = Submit({}, /*exploration=*/true);
  EXPECT_EQ(a->runs, Runs{id});
  EXPECT_EQ(b->runs, Runs{});
  // Its agent dies: the other one begins it again.
  registry_->StreamEnded("a", a.get());
  EXPECT_EQ(b->runs, Runs{id});
  // The first one was only out of reach, and hears that it is another's now.
  v1::ServeRequest again = Agent("a");
  again.set_run_id(id);
  const auto back = Register(again);
  EXPECT_EQ(back->stops, Runs{id});
  EXPECT_EQ(back->runs, Runs{});
  End("a", id, 143);
  // Agents that fail it three times end it, as they end a run.
  for (int i = 0; i < 6; ++i) {
    End("b", id, 3);
    End("a", id, 3);
  }
  EXPECT_EQ(ended_, Runs{id});
  EXPECT_EQ(database_->GetRun(id)->state(), v1::RUN_STATE_ABORTED);
  EXPECT_EQ(database_->GetRun(id)->submission().exit_code(), 3);
}

TEST_F(AgentRegistryTest, SilenceMakesAnAgentLostAndLaterForgotten) {
  const auto link = Register(Agent("a"));
  clock_.Advance(absl::Seconds(19));
  Beat("a");
  clock_.Advance(absl::Seconds(19));
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_ONLINE);
  clock_.Advance(absl::Seconds(2));
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_LOST);
  ASSERT_TRUE(link->closed.has_value());
  EXPECT_TRUE(absl::IsUnavailable(*link->closed));
  v1::HeartbeatRequest late;
  late.set_agent_id("a");
  EXPECT_FALSE(registry_->Heartbeat(late));  // it must register again
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_UNSPECIFIED);
  EXPECT_TRUE(database_->KnownAgents()->empty());
}

TEST_F(AgentRegistryTest, AStreamsEndMakesAnAgentLostAtOnceButNotAnOldStreams) {
  const auto old = Register(Agent("a"));
  const auto link = Register(Agent("a"));
  ASSERT_TRUE(old->closed.has_value());
  registry_->StreamEnded("a", old.get());
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_ONLINE);
  registry_->StreamEnded("a", link.get());
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_LOST);
  registry_->Leave("a");
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_UNSPECIFIED);
}

TEST_F(AgentRegistryTest, ARunGoesToEveryFreeAgentWithTheSameLibrary) {
  const auto a = Register(Agent("a"));
  const auto b = Register(Agent("b"));
  const auto other = Register(Agent("other", "another"));
  const std::string first = Submit();
  EXPECT_EQ(a->runs, Runs({first}));
  EXPECT_EQ(b->runs, Runs({first}));
  EXPECT_TRUE(other->runs.empty());
  const std::string second = Submit();
  EXPECT_EQ(other->runs, Runs({second}));  // it is free, and decides the second run's library
  const auto late = Register(Agent("late"));
  EXPECT_EQ(late->runs, Runs({first}));
  registry_->Finished(first);
  End("a", first, 0);
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_ONLINE);  // the second run has another library
  EXPECT_EQ(StateOf("other"), v1::AGENT_STATE_BUSY);
}

TEST_F(AgentRegistryTest, ASickAgentGetsNothingUntilItIsWell) {
  v1::ServeRequest sick = Agent("a");
  sick.mutable_health()->set_ok(false);
  sick.mutable_health()->set_text("on fire");
  const auto link = Register(sick);
  const std::string run = Submit();
  EXPECT_TRUE(link->runs.empty());
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_UNHEALTHY);
  EXPECT_EQ(database_->GetRun(run)->submission().note(),
            "every agent that could run it fails its health check: a: on fire");
  EXPECT_EQ(registry_->Check("c", {})->note(), database_->GetRun(run)->submission().note());
  Beat("a");
  EXPECT_EQ(database_->GetRun(run)->submission().note(), "");
  EXPECT_EQ(link->runs, Runs({run}));
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_BUSY);
}

TEST_F(AgentRegistryTest, ARunThatNoAgentCanDoIsAborted) {
  const auto a = Register(Agent("a"));
  const auto b = Register(Agent("b"));
  const std::string run = Submit();
  End("a", run, 2);  // wrong usage there, and always will be
  EXPECT_EQ(a->runs.size(), 1U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(b->runs.size(), static_cast<size_t>(i) + 1);
    EXPECT_EQ(database_->GetRun(run)->state(), v1::RUN_STATE_QUEUED);
    End("b", run, 3);
  }
  EXPECT_EQ(b->runs.size(), 3U);
  EXPECT_EQ(database_->GetRun(run)->state(), v1::RUN_STATE_ABORTED);
  EXPECT_EQ(database_->GetRun(run)->submission().note(), "b: why");
  EXPECT_EQ(database_->GetRun(run)->submission().exit_code(), 3);
  EXPECT_EQ(ended_, Runs({run}));
}

TEST_F(AgentRegistryTest, CancelStopsItsAgentsAndOnlyOpenRunsCanBeCancelled) {
  const auto link = Register(Agent("a"));
  const std::string run = Submit();
  EXPECT_TRUE(registry_->Cancel(run).ok());
  EXPECT_EQ(link->stops, Runs({run}));
  EXPECT_EQ(database_->GetRun(run)->state(), v1::RUN_STATE_ABORTED);
  EXPECT_TRUE(absl::IsFailedPrecondition(registry_->Cancel(run)));
}

TEST_F(AgentRegistryTest, ANewServerKnowsAgentsAndRuns) {
  Register(Agent("a"));
  Register(Agent("b"));
  const std::string run = Submit();
  Restart();
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_LOST);
  v1::ServeRequest still_at_it = Agent("a");
  still_at_it.set_run_id(run);
  EXPECT_TRUE(Register(still_at_it)->runs.empty());
  EXPECT_EQ(StateOf("a"), v1::AGENT_STATE_BUSY);
  EXPECT_EQ(Register(Agent("b"))->runs, Runs({run}));
  // A run that ended while the agent could not be reached.
  v1::ServeRequest outdated = Agent("c");
  outdated.set_run_id("20200101-000000-0000");
  EXPECT_EQ(Register(outdated)->stops, Runs({"20200101-000000-0000"}));
}

// An agent may fail a run for a fault of the server any number of times, and waits longer each time.
TEST_F(AgentRegistryTest, FaultsOfTheServerAreNotTheAgents) {
  const auto a = Register(Agent("a"));
  const auto b = Register(Agent("b"));
  const std::string run = Submit();
  const auto pass = [this](absl::Duration left) {  // no faster than agents fall silent
    for (; left > absl::ZeroDuration(); left -= absl::Seconds(10)) {
      clock_.Advance(std::min<absl::Duration>(left, absl::Seconds(10)));
      Beat("a");
      Beat("b");
    }
  };
  size_t given = 1;
  for (const int seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    ASSERT_EQ(a->runs.size(), given);
    ASSERT_EQ(b->runs.size(), given);
    registry_->ServerFault(run, "no room");
    End("a", run, 4);
    End("b", run, 4);
    pass(absl::Seconds(seconds) - absl::Milliseconds(1));
    EXPECT_EQ(a->runs.size(), given) << seconds;
    EXPECT_EQ(
        database_->GetRun(run)->submission().note(),
        seconds < 60 ? "" : "a fault of the server stops its agents, which try again every 1m: no room");
    clock_.Advance(absl::Milliseconds(1));
    registry_->Tick();
    ++given;
  }
  EXPECT_EQ(database_->GetRun(run)->state(), v1::RUN_STATE_QUEUED);
  EXPECT_EQ(database_->GetRun(run)->submission().note(), "");
  // The agents' own failures count as before.
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(absl::Seconds(1));
    End("a", run, 4);
    End("b", run, 4);
  }
  EXPECT_EQ(database_->GetRun(run)->state(), v1::RUN_STATE_ABORTED);
}

TEST_F(AgentRegistryTest, WhatAFullDiskDidNotTakeIsStoredLater) {
  Register(Agent("a"));
  const std::string hopeless = Submit();
  const std::string cancelled = Submit();
  {
    const FullDisk full;
    End("a", hopeless, 2);
    EXPECT_TRUE(registry_->Cancel(cancelled).ok());
    registry_->Tick();
    EXPECT_EQ(database_->GetRun(hopeless)->state(), v1::RUN_STATE_QUEUED);
    EXPECT_EQ(ended_, Runs());
  }
  registry_->Tick();
  EXPECT_EQ(database_->GetRun(hopeless)->state(), v1::RUN_STATE_ABORTED);
  EXPECT_EQ(database_->GetRun(hopeless)->submission().note(), "a: why");
  EXPECT_EQ(database_->GetRun(hopeless)->options().abort_reason(), "a: why");
  EXPECT_EQ(database_->GetRun(cancelled)->state(), v1::RUN_STATE_ABORTED);
  EXPECT_TRUE(database_->GetRun(cancelled)->submission().cancelled());
  EXPECT_EQ(ended_.size(), 2U);
}

TEST_F(AgentRegistryTest, AChangeThatNoLongerHoldsIsWithdrawn) {
  const std::string run = Submit();
  {
    const FullDisk full;
    EXPECT_TRUE(absl::IsResourceExhausted(changes_->Store(run, {.state = v1::RUN_STATE_ABORTED})));
  }
  changes_->Withdraw(run);
  EXPECT_TRUE(changes_->Flush().ok());
  EXPECT_EQ(database_->GetRun(run)->state(), v1::RUN_STATE_QUEUED);
  EXPECT_TRUE(absl::IsNotFound(changes_->Store("20200101-000000-0000", {.state = v1::RUN_STATE_ABORTED})));
  EXPECT_TRUE(changes_->Flush().ok());  // it is dropped
}

// A token's agents may work on a run from when one of them is given it until that one has ended it.
TEST_F(AgentRegistryTest, WhoseAgentsWorkOnARun) {
  const AgentCaller alice{"alice", false};
  const AgentCaller bob{"bob", false};
  const auto link = std::make_shared<ListLink>();
  ASSERT_TRUE(registry_->Register(Agent("a"), link, alice).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(registry_->Register(Agent("a"), link, bob)));
  EXPECT_TRUE(absl::IsPermissionDenied(registry_->CheckOwner("a", bob)));
  EXPECT_TRUE(registry_->CheckOwner("a", alice).ok());
  EXPECT_TRUE(registry_->CheckOwner("a", {"boss", true}).ok());
  const std::string run = Submit();
  EXPECT_TRUE(registry_->CheckAssigned("alice", run).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(registry_->CheckAssigned("bob", run)));
  // Claiming to work on a run gives no right to it.
  const std::string other = database_->CreateRun({}, "s", MakeCases(1))->run_id();
  v1::ServeRequest claim = Agent("b");
  claim.set_run_id(other);
  ASSERT_TRUE(registry_->Register(claim, std::make_shared<ListLink>(), bob).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(registry_->CheckAssigned("bob", other)));
  // It lost its stream, not its run.
  registry_->StreamEnded("a", link.get());
  EXPECT_TRUE(registry_->CheckAssigned("alice", run).ok());
  // A new server knows whose agent it was, and waits for it a little.
  Restart();
  EXPECT_TRUE(absl::IsPermissionDenied(registry_->CheckOwner("a", bob)));
  EXPECT_TRUE(absl::IsUnavailable(registry_->CheckAssigned("alice", run)));
  clock_.Advance(absl::Seconds(20));
  EXPECT_TRUE(absl::IsPermissionDenied(registry_->CheckAssigned("alice", run)));
  v1::ServeRequest back = Agent("a");
  back.set_run_id(run);
  ASSERT_TRUE(registry_->Register(back, std::make_shared<ListLink>(), alice).ok());
  EXPECT_TRUE(registry_->CheckAssigned("alice", run).ok());
  registry_->Finished(run);
  EXPECT_TRUE(registry_->CheckAssigned("alice", run).ok());
  End("a", run, 0);
  EXPECT_TRUE(absl::IsPermissionDenied(registry_->CheckAssigned("alice", run)));
}

TEST_F(AgentRegistryTest, Refusals) {
  auto link = std::make_shared<ListLink>();
  EXPECT_TRUE(absl::IsInvalidArgument(registry_->Register(v1::ServeRequest(), link)));
  for (const char* name : {"a", "b", "c", "d"}) Register(Agent(name));
  EXPECT_TRUE(absl::IsResourceExhausted(registry_->Register(Agent("e"), link)));
  v1::Submission upload;
  upload.set_upload_name("lib.so");
  upload.set_upload_sha256("0");
  EXPECT_TRUE(absl::IsInvalidArgument(registry_->Check("c", upload).status()));
  EXPECT_EQ(registry_->Check("c", {})->agents_size(), 4);
  EXPECT_NE(registry_->Check("elsewhere", upload)->note(), "");
  registry_->CloseAll();
  EXPECT_TRUE(absl::IsUnavailable(registry_->Register(Agent("a"), link)));
}

}  // namespace
}  // namespace diopi::server
