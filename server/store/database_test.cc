#include "server/store/database.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/findings/describe.h"
#include "proto/enum_name.h"
#include "server/store/database_testing.h"
#include "server/store/filler_testing.h"
#include "server/store/queries.h"
#include "server/store/rows_testing.h"

namespace diopi::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::Verdict FullVerdict() {
  v1::Verdict verdict;
  Filler().Fill(&verdict);
  verdict.set_case_id(CaseId(1));
  verdict.set_outcome(v1::OUTCOME_CRASH);
  verdict.set_error_text(std::string("nul\0inside", 10));
  v1::OutputStats& out = *verdict.mutable_outputs(0);
  out.set_shape(1, 0);
  out.set_max_ulp(std::numeric_limits<double>::infinity());
  out.set_max_z(1e300);
  out.set_max_rel(5e-324);
  out.mutable_first(0)->set_actual(std::numeric_limits<double>::quiet_NaN());
  v1::OutputStats& scalar = *verdict.add_outputs();
  scalar.set_key("scalar");
  scalar.set_leaning(1);  // its figures are measured zeros
  scalar.set_grade("A");
  Describe(&verdict);
  return verdict;
}

TEST(DatabaseTest, EveryFieldOfARunAndAVerdictComesBack) {
  const TestFolder folder;
  const v1::RunOptions options = MakeOptions("chip");
  std::string id;
  {
    const auto database = OpenIn(folder);
    const auto run = database->CreateRun(options, "suite", MakeCases(3));
    ASSERT_TRUE(run.ok()) << run.status();
    id = run->run_id();
    EXPECT_THAT(id, ::testing::MatchesRegex("[0-9]{8}-[0-9]{6}-[0-9a-f]{4}"));
    EXPECT_EQ(run->state(), v1::RUN_STATE_RUNNING);
    ASSERT_TRUE(database->Append(id, {MakeVerdict(2, v1::OUTCOME_PASS), FullVerdict()}).ok());
  }
  const auto database = OpenIn(folder);
  const auto run = database->GetRun(id);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(run->options(), options));
  EXPECT_EQ(run->suite_hash(), "suite");
  EXPECT_EQ(run->cases(), 3);
  EXPECT_EQ(run->done(), 2);
  EXPECT_EQ(run->outcomes().at("crash"), 1);
  EXPECT_EQ(run->outcomes().at("pass"), 1);

  const auto verdicts = database->Verdicts("latest", {});
  ASSERT_TRUE(verdicts.ok()) << verdicts.status();
  ASSERT_EQ(verdicts->size(), 2U);
  EXPECT_EQ((*verdicts)[0].SerializeAsString(), FullVerdict().SerializeAsString());  // case order
  EXPECT_EQ((*verdicts)[1].case_id(), CaseId(2));
}

// Each body is a difference from the verdict of an earlier run; whatever changes, the verdict comes back
// whole.
TEST(DatabaseTest, VerdictsThatRunsShareComeBackWhole) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  const auto database = OpenIn(folder);
  std::vector<std::vector<v1::Verdict>> expected;
  v1::Verdict verdict = FullVerdict();
  const auto store = [&](const std::string& chip) {
    const std::string id = database->CreateRun(MakeOptions(chip), "s", MakeCases(3))->run_id();
    expected.push_back({MakeVerdict(0, v1::OUTCOME_PASS), verdict});
    ASSERT_TRUE(database->Append(id, expected.back()).ok());
    ASSERT_TRUE(database->SetState(id, v1::RUN_STATE_FINISHED).ok());
  };
  const auto bodies = [&path] { return Rows(path, "SELECT base IS NOT NULL FROM contents ORDER BY id"); };
  store("c");
  EXPECT_THAT(bodies(), ElementsAre("0", "0"));
  verdict.set_elapsed_us(1.0 / 3);
  verdict.set_call_us(12.345);
  verdict.set_device_index(5);
  verdict.set_reference("another");
  store("c");
  store("another chip");
  EXPECT_THAT(bodies(), ElementsAre("0", "0"));
  verdict.mutable_outputs(1)->set_max_z(-0.0);
  store("c");
  EXPECT_THAT(bodies(), ElementsAre("0", "0", "1"));
  store("c");
  EXPECT_THAT(bodies(), ElementsAre("0", "0", "1"));
  verdict = MakeVerdict(1, v1::OUTCOME_SKIPPED);
  verdict.clear_reason();
  verdict.clear_call_us();
  verdict.set_case_hash("not the run's");
  store("c");
  EXPECT_EQ(bodies().size(), 4U);
  std::vector<v1::RunInfo> runs = *database->ListRuns("", 0);
  std::reverse(runs.begin(), runs.end());
  ASSERT_EQ(runs.size(), expected.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto verdicts = database->Verdicts(runs[i].run_id(), {});
    ASSERT_EQ(verdicts->size(), 2U);
    for (size_t j = 0; j < 2; ++j) {
      EXPECT_EQ((*verdicts)[j].SerializeAsString(), expected[i][j].SerializeAsString()) << i << ", " << j;
    }
  }
}

TEST(DatabaseTest, TimesComeBackAsTheyWere) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const std::vector<double> times = {0,
                                     -0.0,
                                     1.041,
                                     70.184,
                                     1.0 / 3,
                                     1e300,
                                     123456789.0125,
                                     5e-324,
                                     1000000,
                                     -2.5,
                                     2.5e12,
                                     0.0005,
                                     std::numeric_limits<double>::infinity()};
  const std::string id =
      database->CreateRun(MakeOptions("c"), "s", MakeCases(static_cast<int>(times.size())))->run_id();
  for (size_t i = 0; i < times.size(); ++i) {
    v1::Verdict verdict = MakeVerdict(static_cast<int>(i), v1::OUTCOME_PASS);
    verdict.set_call_us(times[i]);
    verdict.set_elapsed_us(times[i]);
    ASSERT_TRUE(database->Append(id, {verdict}).ok());
  }
  const auto verdicts = database->Verdicts(id, {});
  for (size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ((*verdicts)[i].call_us(), times[i]);
    EXPECT_EQ(std::signbit((*verdicts)[i].elapsed_us()), std::signbit(times[i]));
    EXPECT_EQ((*verdicts)[i].elapsed_us(), times[i]);
  }
}

TEST(DatabaseTest, CaseTimesComeFromTheNewestFinishedRunsOfTheChip) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const auto run = [&](const std::string& chip, double first_us, double second_us, v1::RunState state) {
    const std::string id = database->CreateRun(MakeOptions(chip), "s", MakeCases(3))->run_id();
    v1::Verdict first = MakeVerdict(0, v1::OUTCOME_PASS);
    v1::Verdict second = MakeVerdict(1, v1::OUTCOME_PASS);
    first.set_elapsed_us(first_us);
    second.set_elapsed_us(second_us);
    EXPECT_TRUE(database->Append(id, {first, second}).ok());
    EXPECT_TRUE(database->SetState(id, state).ok());
  };
  EXPECT_TRUE(database->CaseSeconds("c")->empty());
  run("c", 1e6, 2e6, v1::RUN_STATE_FINISHED);
  run("c", 3e6, 0, v1::RUN_STATE_FINISHED);    // the second case was not measured: the older run has its time
  run("c", 9e6, 9e6, v1::RUN_STATE_ABORTED);   // may have been disturbed
  run("d", 8e6, 8e6, v1::RUN_STATE_FINISHED);  // another chip
  const std::map<std::string, double> expected = {{CaseId(0), 3}, {CaseId(1), 2}};
  EXPECT_EQ(*database->CaseSeconds("c"), expected);
}

TEST(DatabaseTest, NanMeasurementsComeBackAsNan) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(1))->run_id();
  v1::Verdict verdict = MakeVerdict(0, v1::OUTCOME_FAIL);
  verdict.add_outputs()->set_max_ulp(std::numeric_limits<double>::quiet_NaN());
  ASSERT_TRUE(database->Append(id, {verdict}).ok());
  const auto verdicts = database->Verdicts(id, {});
  ASSERT_TRUE(verdicts.ok());
  EXPECT_TRUE(std::isnan((*verdicts)[0].outputs(0).max_ulp()));
}

TEST(DatabaseTest, TheFirstVerdictOfACaseStays) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(3))->run_id();
  struct Step {
    std::vector<v1::Verdict> verdicts;
    int stored;
    int duplicates;
  };
  const v1::Verdict pass = MakeVerdict(0, v1::OUTCOME_PASS);
  const v1::Verdict late = MakeVerdict(0, v1::OUTCOME_CRASH);
  const std::vector<Step> steps = {
      {{pass}, 1, 0},
      {{late}, 0, 1},
      {{late, MakeVerdict(1, v1::OUTCOME_PASS), MakeVerdict(1, v1::OUTCOME_FAIL)}, 1, 2},
      {{}, 0, 0},
  };
  for (const Step& step : steps) {
    const auto appended = database->Append(id, step.verdicts);
    ASSERT_TRUE(appended.ok()) << appended.status();
    EXPECT_EQ(appended->stored, step.stored);
    EXPECT_EQ(appended->duplicates, step.duplicates);
  }
  EXPECT_EQ((*database->Verdicts(id, {}))[0].outcome(), v1::OUTCOME_PASS);
  EXPECT_THAT(*database->DoneCases(id), ElementsAre(CaseId(0), CaseId(1)));
}

TEST(DatabaseTest, AppendIsAllOrNothing) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(2))->run_id();
  const auto appended =
      database->Append(id, {MakeVerdict(0, v1::OUTCOME_PASS), MakeVerdict(7, v1::OUTCOME_PASS)});
  EXPECT_TRUE(absl::IsInvalidArgument(appended.status())) << appended.status();
  EXPECT_THAT(std::string(appended.status().message()), HasSubstr(CaseId(7)));
  EXPECT_TRUE(database->DoneCases(id)->empty());
}

// References are looked up once a batch: one that a rollback took away is not remembered, and each verdict
// keeps its own.
TEST(DatabaseTest, EachVerdictKeepsItsReference) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(5))->run_id();
  const auto judged = [](int i, const std::string& reference) {
    v1::Verdict verdict = MakeVerdict(i, v1::OUTCOME_PASS);
    verdict.set_reference(reference);
    return verdict;
  };
  EXPECT_FALSE(database->Append(id, {judged(0, "new"), judged(7, "new")}).ok());
  ASSERT_TRUE(
      database->Append(id, {judged(0, "new"), judged(1, ""), judged(2, "new"), judged(3, "other")}).ok());
  ASSERT_TRUE(database->Append(id, {judged(4, "other")}).ok());
  const auto verdicts = database->Verdicts(id, {});
  ASSERT_TRUE(verdicts.ok()) << verdicts.status();
  std::vector<std::string> references;
  for (const v1::Verdict& verdict : *verdicts) references.push_back(verdict.reference());
  EXPECT_EQ(references, (std::vector<std::string>{"new", "", "new", "other", "other"}));
}

TEST(DatabaseTest, AFinishedRunHasAVerdictOnEachCase) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const v1::Verdict first = MakeVerdict(0, v1::OUTCOME_PASS);
  const v1::Verdict second = MakeVerdict(1, v1::OUTCOME_FAIL);
  for (const std::vector<v1::Verdict>& wrong : {std::vector{first}, std::vector{first, first, second},
                                                std::vector{first, MakeVerdict(2, v1::OUTCOME_PASS)}}) {
    const absl::Status status = database->AddFinishedRun(MakeOptions("c"), "s", MakeCases(2), wrong).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_TRUE(database->ListRuns("", 0)->empty());
  }
  const auto run = database->AddFinishedRun(MakeOptions("c"), "s", MakeCases(2), {first, second});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->state(), v1::RUN_STATE_FINISHED);
  EXPECT_NE(run->finished(), "");
  EXPECT_EQ(run->done(), 2);
  EXPECT_EQ(database->Verdicts(run->run_id(), {})->size(), 2U);
}

TEST(DatabaseTest, FiltersByOutcomeAndCase) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(3))->run_id();
  v1::Verdict failed = MakeVerdict(0, v1::OUTCOME_FAIL);
  failed.add_outputs()->set_key("out");
  ASSERT_TRUE(
      database->Append(id, {failed, MakeVerdict(1, v1::OUTCOME_PASS), MakeVerdict(2, v1::OUTCOME_CRASH)})
          .ok());
  struct Row {
    VerdictFilter filter;
    size_t verdicts;
    int outputs;
  };
  const std::vector<Row> rows = {
      {{}, 3, 1},
      {{{v1::OUTCOME_FAIL, v1::OUTCOME_CRASH}, "", true}, 2, 1},
      {{{v1::OUTCOME_FAIL}, "", false}, 1, 0},
      {{{}, CaseId(0), true}, 1, 1},
      {{{v1::OUTCOME_PASS}, CaseId(0), true}, 0, 0},
      {{{}, "nothing", true}, 0, 0},
  };
  for (const Row& row : rows) {
    const auto verdicts = database->Verdicts(id, row.filter);
    ASSERT_TRUE(verdicts.ok()) << verdicts.status();
    EXPECT_EQ(verdicts->size(), row.verdicts);
    const int outputs = verdicts->empty() ? 0 : (*verdicts)[0].outputs_size();
    EXPECT_EQ(outputs, row.outputs);
  }
}

// All pages of a run.
std::vector<v1::Verdict> ReadPages(Database& database, const std::string& id, const VerdictFilter& filter,
                                   size_t max_bytes, int* pages) {
  std::vector<v1::Verdict> all;
  std::string after;
  for (*pages = 1;; ++*pages) {
    const auto page = database.PageOfVerdicts(id, filter, after, max_bytes);
    EXPECT_TRUE(page.ok()) << page.status();
    if (!page.ok()) return all;
    EXPECT_EQ(page->verdicts.size(), page->positions.size());
    size_t bytes = 0;
    for (size_t i = 0; i < page->verdicts.size(); ++i) {
      EXPECT_LT(bytes, max_bytes);  // at most one verdict more than fits
      bytes += page->verdicts[i].ByteSizeLong();
      EXPECT_EQ(page->verdicts[i].case_id(), CaseId(static_cast<int>(page->positions[i])));
      all.push_back(page->verdicts[i]);
    }
    if (page->next.empty()) return all;
    after = page->next;
  }
}

TEST(DatabaseTest, VerdictsInPages) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  constexpr int kCases = 3000;  // more rows than a page reads
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(kCases))->run_id();
  const std::string other = database->CreateRun(MakeOptions("c"), "s", MakeCases(2))->run_id();
  std::vector<v1::Verdict> verdicts;
  for (int i = 0; i < kCases; ++i) {
    v1::Verdict& verdict =
        verdicts.emplace_back(MakeVerdict(i, i % 1000 == 7 ? v1::OUTCOME_FAIL : v1::OUTCOME_PASS));
    verdict.add_outputs()->set_key("out");
  }
  ASSERT_TRUE(database->Append(id, verdicts).ok());
  ASSERT_TRUE(database->Append(other, {MakeVerdict(0, v1::OUTCOME_FAIL)}).ok());
  std::sort(verdicts.begin(), verdicts.end(),
            [](const v1::Verdict& a, const v1::Verdict& b) { return a.case_id() < b.case_id(); });
  struct Row {
    const char* what;
    VerdictFilter filter;
    size_t max_bytes;
    size_t verdicts;
    int at_least_pages;
    int outputs;
  };
  const std::vector<Row> rows = {
      {"one a page", {}, 1, kCases, kCases, 1},
      {"some a page", {}, 4096, kCases, 10, 1},
      {"rows bound a page", {}, 1 << 30, kCases, 3, 1},
      {"few of many", {{v1::OUTCOME_FAIL}, "", true}, 1 << 30, 3, 3, 1},
      {"without outputs", {{v1::OUTCOME_FAIL}, "", false}, 1 << 30, 3, 3, 0},
      {"none of many", {{v1::OUTCOME_CRASH}, "", true}, 1 << 30, 0, 3, 0},
  };
  for (const Row& row : rows) {
    int pages = 0;
    const std::vector<v1::Verdict> read = ReadPages(*database, id, row.filter, row.max_bytes, &pages);
    ASSERT_EQ(read.size(), row.verdicts) << row.what;
    EXPECT_GE(pages, row.at_least_pages) << row.what;
    EXPECT_LE(pages, row.at_least_pages * 100) << row.what;
    EXPECT_EQ(read.empty() ? 0 : read[0].outputs_size(), row.outputs) << row.what;
    for (size_t i = 0; row.verdicts == kCases && i < read.size(); ++i) {
      ASSERT_EQ(read[i].case_id(), verdicts[i].case_id()) << row.what;
    }
  }
  EXPECT_TRUE(absl::IsNotFound(database->PageOfVerdicts("nothing", {}, "", 1).status()));
}

TEST(DatabaseTest, ThreadsShareOneDatabase) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  constexpr int kThreads = 4;
  constexpr int kCases = 50;
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(kCases))->run_id();
  // All of them report every case: each counts once.
  std::atomic<int> stored = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCases; ++i) {
        stored += database->Append(id, {MakeVerdict(i, v1::OUTCOME_PASS)})->stored;
        EXPECT_TRUE(database->GetRun(id).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored, kCases);
  EXPECT_EQ(database->GetRun(id)->done(), kCases);
}

TEST(DatabaseTest, ListsNewestFirstByChip) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  EXPECT_TRUE(absl::IsNotFound(database->GetRun("latest").status()));
  std::vector<std::string> ids;
  for (const char* chip : {"a", "b", "a"}) {
    ids.push_back(database->CreateRun(MakeOptions(chip), "s", MakeCases(1))->run_id());
  }
  const auto ids_of = [&](const std::string& chip, int limit, const std::string& before = "") {
    std::vector<std::string> found;
    const auto runs = database->ListRuns(chip, limit, before);
    EXPECT_TRUE(runs.ok()) << runs.status();
    for (const v1::RunInfo& run : *runs) found.push_back(run.run_id());
    return found;
  };
  EXPECT_THAT(ids_of("", 0), ElementsAre(ids[2], ids[1], ids[0]));
  EXPECT_THAT(ids_of("a", 0), ElementsAre(ids[2], ids[0]));
  EXPECT_THAT(ids_of("", 2), ElementsAre(ids[2], ids[1]));
  EXPECT_THAT(ids_of("", 1, ids[2]), ElementsAre(ids[1]));
  EXPECT_THAT(ids_of("", 0, ids[1]), ElementsAre(ids[0]));
  EXPECT_THAT(ids_of("a", 0, ids[1]), ElementsAre(ids[0]));
  EXPECT_THAT(ids_of("b", 0, ids[1]), ElementsAre());
  EXPECT_THAT(ids_of("", 0, ids[0]), ElementsAre());
  EXPECT_TRUE(absl::IsNotFound(database->ListRuns("", 0, "nope").status()));
  EXPECT_EQ(database->GetRun("latest")->run_id(), ids[2]);

  const absl::Status missing = database->GetRun("nope").status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_THAT(std::string(missing.message()), HasSubstr(ids[1]));
}

TEST(DatabaseTest, NothingIsDoneWithAnUnknownRun) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(1))->run_id();
  const v1::Verdict verdict = MakeVerdict(0, v1::OUTCOME_PASS);
  const v1::Verdict* const each = &verdict;
  const v1::MachineFacts machine;
  const std::pair<const char*, absl::Status> rows[] = {
      {"CasesOf", database->CasesOf("x").status()},
      {"DoneCases", database->DoneCases("x").status()},
      {"Append", database->Append("x", {verdict}).status()},
      {"AppendEach", database->AppendEach("x", {each}).status()},
      {"AppendPerformance", database->AppendPerformance("x", {}, &machine)},
      {"Performance", database->Performance("x").status()},
      {"WriteExploration", database->WriteExploration("x", {})},
      {"ChangeRun", database->ChangeRun("x", {.state = v1::RUN_STATE_FINISHED})},
      {"SetSubmission", database->SetSubmission("x", {})},
      {"AdoptLibrary", database->AdoptLibrary("x", {})},
      {"GetRun", database->GetRun("x").status()},
      {"Verdicts", database->Verdicts("x", {}).status()},
      {"PageOfVerdicts", database->PageOfVerdicts("x", {}, "", 1).status()},
      {"KeepAlive", database->KeepAlive("x", absl::Hours(1))},
  };
  for (const auto& [name, status] : rows) {
    EXPECT_TRUE(absl::IsNotFound(status)) << name << " " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(id)) << name;
  }
  EXPECT_EQ(database->GetRun(id)->state(), v1::RUN_STATE_RUNNING);
  EXPECT_EQ(database->GetRun(id)->done(), 0);
}

// Nobody asks how many runs a chip has and means its explorations.
TEST(DatabaseTest, ExplorationsAreCountedApart) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  v1::RunOptions explores = MakeOptions("c");
  explores.mutable_exploration()->set_calls(8);
  ASSERT_TRUE(database->CreateRun(MakeOptions("c"), "s", MakeCases(2)).ok());
  ASSERT_TRUE(database->CreateRun(explores, "s", {}).ok());
  ASSERT_TRUE(database->CreateRun(explores, "s", {}).ok());
  const absl::StatusOr<DatabaseStats> stats = database->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->runs.at("c").at("running"), 1);
  EXPECT_EQ(stats->explorations.at("c").at("running"), 2);
  EXPECT_EQ(stats->explorations.at("c").at("finished"), 0);
}

// When calls stop, the row stays the same and the state that is read from it changes.
TEST(DatabaseTest, ARunThatIsNotKeptAliveIsStalledUntilItIsAgain) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(2))->run_id();
  const auto queries = Queries::Open(DatabasePath(folder.path()));
  ASSERT_TRUE(queries.ok()) << queries.status();
  const auto expect = [&](v1::RunState state) {
    EXPECT_EQ(database->GetRun(id)->state(), state);
    EXPECT_EQ((*queries)->RunCounts(id)->facts.state, state);
    EXPECT_EQ(database->Stats()->runs["c"][EnumName(state)], 1);
  };
  expect(v1::RUN_STATE_RUNNING);
  ASSERT_TRUE(database->KeepAlive(id, absl::Seconds(-1)).ok());
  expect(v1::RUN_STATE_STALLED);
  EXPECT_TRUE(absl::IsInvalidArgument(database->SetState(id, v1::RUN_STATE_STALLED)));
  ASSERT_TRUE(database->KeepAlive(id, absl::Hours(1)).ok());
  expect(v1::RUN_STATE_RUNNING);
  ASSERT_TRUE(database->KeepAlive(id, absl::Seconds(-1)).ok());
  ASSERT_TRUE(database->SetState(id, v1::RUN_STATE_FINISHED).ok());
  expect(v1::RUN_STATE_FINISHED);
  EXPECT_TRUE(absl::IsNotFound(database->KeepAlive("nope", absl::Hours(1))));
}

TEST(DatabaseTest, StatesAndCases) {
  const TestFolder folder;
  const auto database = OpenIn(folder);
  const std::string id = database->CreateRun(MakeOptions("c"), "s", MakeCases(2))->run_id();
  ASSERT_TRUE(database->SetState(id, v1::RUN_STATE_FINISHED).ok());
  EXPECT_EQ(database->GetRun(id)->state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(database->GetRun(id)->finished().size(), 20U);
  ASSERT_TRUE(database->SetState(id, v1::RUN_STATE_RUNNING).ok());
  EXPECT_EQ(database->GetRun(id)->finished(), "");
  EXPECT_TRUE(absl::IsInvalidArgument(database->SetState(id, v1::RUN_STATE_UNSPECIFIED)));
  EXPECT_TRUE(absl::IsNotFound(database->SetState("nope", v1::RUN_STATE_ABORTED)));

  const auto cases = database->CasesOf(id);
  ASSERT_TRUE(cases.ok());
  ASSERT_EQ(cases->size(), 2U);
  EXPECT_EQ((*cases)[1].case_id, CaseId(1));
  EXPECT_EQ((*cases)[1].case_hash, "hash1");
  EXPECT_EQ((*cases)[1].function, "diopiAdd");
  EXPECT_EQ((*cases)[1].op, "add");

  std::vector<RunCase> doubled = MakeCases(2);
  doubled.push_back(doubled[0]);
  EXPECT_TRUE(absl::IsInvalidArgument(database->CreateRun(MakeOptions("c"), "s", doubled).status()));
  EXPECT_EQ(database->ListRuns("", 0)->size(), 1U);
}

}  // namespace
}  // namespace diopi::server
