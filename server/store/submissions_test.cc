// Submitted runs and known agents in the database, also after it was closed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "cases/findings/finding.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/queries.h"

namespace diopi::server {
namespace {

constexpr char kLibrary[] = "0123";

v1::RunOptions Library(const std::string& sha256) {
  v1::RunOptions library = MakeOptions("c");
  library.set_impl_sha256(sha256);
  library.set_vendor_name("vendor");
  library.set_impl_path("/lib.so");
  library.mutable_machine()->set_processor("a processor");
  library.clear_contracts();
  library.add_contracts("tf32");
  library.add_contracts("fastconv");
  library.mutable_command()->set_profile_path("/etc/chip.textproto");
  for (const auto& [name, value] : {std::pair("A", "1\n2"), std::pair("B", "")}) {
    v1::Variable& variable = *library.mutable_profile()->add_environment();
    variable.set_name(name);
    variable.set_value(value);
  }
  *library.mutable_sandboxed() = Found(v1::Finding::SANDBOX).Word("off");
  for (const char* rule : {"a \\ rule", "another"})
    *library.mutable_profile()->add_rules() = Found(v1::Finding::SAID).Said(rule);
  return library;
}

TEST(SubmissionsTest, AQueuedRunTakesItsFirstAgentsLibraryOver) {
  const TestFolder folder;
  std::string id;
  {
    const auto database = OpenIn(folder);
    v1::RunOptions asked;
    asked.set_chip("c");
    asked.add_contracts("tf32");
    asked.mutable_command()->set_cases_folder("/cases");
    id = database->CreateRun(asked, "s", MakeCases(2))->run_id();
    EXPECT_TRUE(database->OpenSubmissions()->empty());
    v1::Submission submission;
    submission.set_require_sha256(kLibrary);
    ASSERT_TRUE(database->SetSubmission(id, submission).ok());
  }
  const auto database = OpenIn(folder);
  auto open = database->OpenSubmissions();
  ASSERT_TRUE(open.ok()) << open.status();
  ASSERT_EQ(open->size(), 1U);
  EXPECT_EQ((*open)[0].state(), v1::RUN_STATE_QUEUED);
  EXPECT_EQ((*open)[0].submission().require_sha256(), kLibrary);
  ASSERT_TRUE(database->AdoptLibrary(id, Library(kLibrary)).ok());
  // Only the first: another library would make another run of it.
  EXPECT_TRUE(absl::IsFailedPrecondition(database->AdoptLibrary(id, Library("4567"))));
  const auto run = database->GetRun(id);
  EXPECT_EQ(run->state(), v1::RUN_STATE_RUNNING);
  EXPECT_EQ(run->options().impl_sha256(), kLibrary);
  EXPECT_EQ(run->options().vendor_name(), "vendor");
  EXPECT_EQ(run->options().machine().processor(), "a processor");
  EXPECT_EQ(run->options().implemented_size(), 2);
  EXPECT_EQ(run->options().sandboxed().word(), "off");
  EXPECT_EQ(run->options().sandbox(), "off");
  EXPECT_THAT(run->options().contracts(), testing::ElementsAre("tf32", "fastconv"));
  EXPECT_EQ(run->options().command().profile_path(), "/etc/chip.textproto");
  EXPECT_EQ(run->options().command().cases_folder(), "/cases");
  const auto facts = (*Queries::Open(DatabasePath(folder.path())))->Run(id);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_THAT(facts->facts.contracts, testing::ElementsAre("tf32", "fastconv"));
  EXPECT_THAT(facts->facts.environment, testing::ElementsAre("A=1\n2", "B="));
  EXPECT_THAT(facts->facts.adaptor, testing::ElementsAre("a \\ rule", "another"));
  // The submission of a running run changes without its state.
  v1::Submission note = run->submission();
  note.set_note("cancelled");
  ASSERT_TRUE(database->SetSubmission(id, note).ok());
  EXPECT_EQ(database->GetRun(id)->state(), v1::RUN_STATE_RUNNING);
  EXPECT_EQ(database->GetRun(id)->submission().note(), "cancelled");
  ASSERT_TRUE(database->SetState(id, v1::RUN_STATE_FINISHED).ok());
  EXPECT_TRUE(database->OpenSubmissions()->empty());
}

TEST(SubmissionsTest, AgentsAreKeptUntilForgotten) {
  const TestFolder folder;
  KnownAgent agent;
  agent.facts.set_agent_id("a");
  agent.facts.set_chip("c");
  agent.seen = "2026-01-01T00:00:00Z";
  ASSERT_TRUE(OpenIn(folder)->KeepAgent(agent).ok());
  agent.seen = "2026-01-02T00:00:00Z";
  ASSERT_TRUE(OpenIn(folder)->KeepAgent(agent).ok());
  const auto database = OpenIn(folder);
  const auto known = database->KnownAgents();
  ASSERT_TRUE(known.ok()) << known.status();
  ASSERT_EQ(known->size(), 1U);
  EXPECT_EQ((*known)[0].facts.chip(), "c");
  EXPECT_EQ((*known)[0].seen, "2026-01-02T00:00:00Z");
  ASSERT_TRUE(database->ForgetAgent("a").ok());
  EXPECT_TRUE(database->KnownAgents()->empty());
}

}  // namespace
}  // namespace diopi::server
