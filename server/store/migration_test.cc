// Every earlier schema is brought to this one with all its rows; a newer one is refused; a crash in the
// middle leaves the old one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/store/check.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/migration_testing.h"
#include "server/store/queries.h"
#include "server/store/schema.h"

namespace diopi::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSchema[] = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name";

std::string Version(const std::string& path) {
  const std::vector<std::string> rows = Rows(path, "PRAGMA user_version");
  return rows.empty() ? "" : rows[0];
}

// Every row of every table, by the columns that the tables have in the file of `like`.
std::map<std::string, std::vector<std::string>> Contents(const std::string& path, const std::string& like) {
  std::map<std::string, std::vector<std::string>> contents;
  for (const std::string& table : Rows(like, "SELECT name FROM sqlite_master WHERE type = 'table'")) {
    std::vector<std::string> columns =
        Rows(like, absl::StrCat("SELECT name FROM pragma_table_info('", table, "') ORDER BY cid"));
    for (std::string& column : columns) column = absl::StrCat("quote(", column, ")");
    contents[table] = Rows(
        path, absl::StrCat("SELECT ", absl::StrJoin(columns, " || ',' || "), " FROM ", table, " ORDER BY 1"));
  }
  return contents;
}

class MigrationTest : public testing::TestWithParam<int> {
 protected:
  MigrationTest() { MakeOldDatabase(GetParam(), path_); }
  const ScratchFolder folder_;
  const std::string path_ = DatabasePath(folder_.path());
};

TEST_P(MigrationTest, KeepsEveryRowAndEndsAtTheSchemaOfANewFile) {
  ASSERT_EQ(Version(path_), absl::StrCat(GetParam()));
  const absl::Status unread = Database::Open(path_, {.read_only = true}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(unread)) << unread;
  EXPECT_THAT(std::string(unread.message()), HasSubstr(absl::StrCat("its schema is version ", GetParam())));
  const std::string old = folder_.File("old.db");
  MakeOldDatabase(GetParam(), old);
  const auto before = Contents(path_, old);
  EXPECT_GE(before.at("results").size(), 5U);
  EXPECT_GE(before.at("result_outputs").size(), 5U);
  {
    const auto database = Database::Open(path_, {});
    ASSERT_TRUE(database.ok()) << database.status();
  }
  EXPECT_EQ(Version(path_), absl::StrCat(kSchemaVersion));
  EXPECT_EQ(Contents(path_, old), before);
  const std::string fresh = folder_.File("fresh.db");
  ASSERT_TRUE(Database::Open(fresh, {}).ok());
  EXPECT_EQ(Rows(path_, kSchema), Rows(fresh, kSchema));
  const auto check = CheckDatabase(path_);
  ASSERT_TRUE(check.ok()) << check.status();
  EXPECT_THAT(check->problems, IsEmpty());

  // And it is a file like any other now.
  const auto database = Database::Open(path_, {});
  const std::string id = (*database)->CreateRun(MakeOptions("c"), "s", MakeCases(3))->run_id();
  ASSERT_TRUE((*database)->Append(id, {MakeVerdict(0, v1::OUTCOME_PASS)}).ok());
  EXPECT_THAT(*(*database)->DoneCases(id), ElementsAre(CaseId(0)));
  const auto runs = (*database)->ListRuns("", 0);
  ASSERT_TRUE(runs.ok()) << runs.status();
  for (const v1::RunInfo& run : *runs) {
    EXPECT_TRUE((*database)->Verdicts(run.run_id(), {}).ok()) << run.run_id();
  }
}

// Ends the process before step `step`, with the steps before it done and nothing committed.
[[noreturn]] void MigrateAndDie(const std::string& path, int64_t step) {
  auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
  if (!connection.ok() || !(*connection)->Execute("PRAGMA journal_mode = WAL").ok()) _exit(1);
  const absl::Status status = Migrate(connection->get(), [step](int64_t at) {
    if (at == step) raise(SIGKILL);
  });
  _exit(status.ok() ? 2 : 3);
}

TEST_P(MigrationTest, AKillInTheMiddleLeavesTheOldFile) {
  const std::string old = folder_.File("old.db");
  MakeOldDatabase(GetParam(), old);
  const std::vector<std::string> schema = Rows(path_, kSchema);
  const auto before = Contents(path_, old);
  for (int64_t step = GetParam(); step <= kSchemaVersion; ++step) {
    const pid_t child = fork();
    if (child == 0) MigrateAndDie(path_, step);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "step " << step << ": " << status;
    EXPECT_EQ(Version(path_), absl::StrCat(GetParam())) << "step " << step;
    EXPECT_EQ(Rows(path_, kSchema), schema) << "step " << step;
    EXPECT_EQ(Contents(path_, old), before) << "step " << step;
    EXPECT_THAT(Rows(path_, "PRAGMA integrity_check"), ElementsAre("ok"));
  }
  // The next start goes through.
  EXPECT_TRUE(Database::Open(path_, {}).ok());
  EXPECT_EQ(Version(path_), absl::StrCat(kSchemaVersion));
  EXPECT_EQ(Contents(path_, old), before);
}

INSTANTIATE_TEST_SUITE_P(EveryEarlierSchema, MigrationTest, testing::Range(1, kSchemaVersion));

TEST(NewSchemaTest, AKillWhileANewFileIsMadeIsMadeGood) {
  for (int64_t step = 0; step <= kSchemaVersion; ++step) {
    const ScratchFolder folder;
    const std::string path = DatabasePath(folder.path());
    const pid_t child = fork();
    if (child == 0) MigrateAndDie(path, step);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(Version(path), "0") << "step " << step;
    EXPECT_TRUE(Database::Open(path, {}).ok()) << "step " << step;
  }
}

TEST(NewSchemaTest, ANewerFileIsRefusedAndLeftAlone) {
  const ScratchFolder folder;
  const std::string path = DatabasePath(folder.path());
  ASSERT_TRUE(Database::Open(path, {}).ok());
  {
    auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
    ASSERT_TRUE(
        (*connection)
            ->Execute(absl::StrCat("CREATE TABLE later (a); PRAGMA user_version = ", kSchemaVersion + 1))
            .ok());
  }
  const std::vector<std::string> schema = Rows(path, kSchema);
  for (const bool read_only : {false, true}) {
    const absl::Status status = Database::Open(path, {.read_only = read_only}).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(
        std::string(status.message()),
        HasSubstr(absl::StrCat("its schema is version ", kSchemaVersion + 1, ", this program knows up to")));
  }
  EXPECT_EQ(Version(path), absl::StrCat(kSchemaVersion + 1));
  EXPECT_EQ(Rows(path, kSchema), schema);
}

// What fields that a file of that day did not have come back as.
TEST(OldFileTest, OfTheFirstSchema) {
  const ScratchFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeOldDatabase(1, path);
  const auto database = Database::Open(path, {});
  ASSERT_TRUE(database.ok()) << database.status();
  const auto run = (*database)->GetRun("latest");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->options().chip(), "testchip");
  EXPECT_EQ(run->outcomes().at("fail"), 6);
  const auto old = (*database)->Verdicts("latest", {});
  ASSERT_TRUE(old.ok()) << old.status();
  ASSERT_EQ(old->size(), 6U);
  const v1::Verdict& verdict = (*old)[1];
  EXPECT_EQ(verdict.case_id(), "add.float32.n17");
  EXPECT_EQ(verdict.contracts_size(), 0);
  EXPECT_EQ(verdict.likely_cause(), "");
  ASSERT_EQ(verdict.outputs_size(), 1);
  EXPECT_EQ(verdict.outputs(0).mismatches(), 17);
  EXPECT_NEAR(verdict.outputs(0).rms_z(), 19880207.38, 0.01);
  EXPECT_EQ(verdict.outputs(0).argmax(), -1);
  EXPECT_EQ(verdict.outputs(0).rmse_ratio(), 0);
  EXPECT_EQ(verdict.outputs(0).grade(), "");
}

// The adaptor of a run is found in its options; variables were not recorded.
TEST(OldFileTest, OfTheFifthSchema) {
  const ScratchFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeOldDatabase(5, path);
  ASSERT_TRUE(Database::Open(path, {}).ok());
  const auto queries = Queries::Open(path);
  ASSERT_TRUE(queries.ok()) << queries.status();
  const auto runs = (*queries)->RunsFacts({});
  ASSERT_TRUE(runs.ok()) << runs.status();
  int adapted = 0;
  for (const RunFacts& run : *runs) {
    EXPECT_THAT(run.environment, IsEmpty()) << run.run_id;
    if (run.adaptor.empty()) continue;
    ++adapted;
    EXPECT_EQ(run.chip, "c9");
    EXPECT_THAT(run.adaptor, ElementsAre("all operators: dtype (int64)->int32, (float64)->float32"));
  }
  EXPECT_EQ(adapted, 1);
}

TEST(OldFileTest, OfTheSecondSchema) {
  const ScratchFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeOldDatabase(2, path);
  const auto database = Database::Open(path, {});
  ASSERT_TRUE(database.ok()) << database.status();
  const auto old = (*database)->Verdicts("latest", {});
  ASSERT_TRUE(old.ok()) << old.status();
  ASSERT_FALSE(old->empty());
  for (const v1::Verdict& verdict : *old) {
    EXPECT_FALSE(verdict.has_device_index()) << verdict.case_id();
    EXPECT_EQ(verdict.elapsed_us(), 0) << verdict.case_id();
  }
  EXPECT_TRUE((*database)->CaseSeconds("testchip")->empty());  // nothing was measured then
}

}  // namespace
}  // namespace diopi::server
