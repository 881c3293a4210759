// A kill during the creation of a file leaves nothing behind, a kill during a migration leaves the old file,
// and files of a newer schema or a development version are refused.
#include "server/store/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "build_paths.h"
#include "server/store/check.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/queries.h"
#include "server/store/rows_testing.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

constexpr char kSchema[] = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name";

std::string Version(const std::string& path) {
  const std::vector<std::string> rows = Rows(path, "PRAGMA user_version");
  return rows.empty() ? "" : rows[0];
}

// Ends the process before step `step`, with the steps before it done and nothing committed.
[[noreturn]] void MigrateAndDie(const std::string& path, int64_t step) {
  auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
  if (!connection.ok() || !(*connection)->Execute("PRAGMA journal_mode = WAL").ok()) _exit(1);
  const absl::Status status = Migrate(connection->get(), {}, [step](int64_t at) {
    if (at == step) raise(SIGKILL);
  });
  _exit(status.ok() ? 2 : 3);
}

TEST(NewSchemaTest, AKillDuringCreationDoesNoHarm) {
  for (int64_t step = 0; step <= kSchemaVersion; ++step) {
    const TestFolder folder;
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

std::string TestData(const std::string& name) {
  return std::string(DIOPI_SOURCE_DIR) + "/server/store/testdata/" + name;
}

std::string Contents(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// " 5 repeated outputs: message diopi.v1.OutputStats", one line per field, of the message and of those within
// it.
void AddFields(const google::protobuf::Descriptor& type, std::string* text) {
  absl::StrAppend(text, "-- ", type.full_name(), "\n");
  for (int i = 0; i < type.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *type.field(i);
    absl::StrAppend(text, "-- ", field.number(), field.is_repeated() ? " repeated " : " ",
                    field.cpp_type_name(), field.has_presence() ? " optional " : " ", field.name(), "\n");
  }
  for (int i = 0; i < type.field_count(); ++i) {
    const google::protobuf::Descriptor* inner = type.field(i)->message_type();
    const bool known =
        inner != nullptr && absl::StrContains(*text, absl::StrCat("-- ", inner->full_name(), "\n"));
    if (inner != nullptr && !known) AddFields(*inner, text);
  }
}

// The golden copy has the tables and the fields of verdicts, whose values are stored without lengths. After a
// release, a change of either needs a migration step. DIOPI_UPDATE_GOLDEN=1 writes a new copy.
TEST(NewSchemaTest, TheSchemaIsItsGoldenCopy) {
  const TestFolder folder;
  ASSERT_TRUE(Database::Open(DatabasePath(folder.path()), {}).ok());
  std::string made = absl::StrCat(absl::StrJoin(Rows(DatabasePath(folder.path()), kSchema), ";\n"), ";\n");
  AddFields(*v1::Verdict::descriptor(), &made);
  const std::string path = TestData("schema.sql");
  if (std::getenv("DIOPI_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << made;
  EXPECT_EQ(made, Contents(path)) << "golden file " << path;
}

void MakeOldFile(const std::string& path) {
  auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
  ASSERT_TRUE(connection.ok()) << connection.status();
  const absl::Status status =
      (*connection)->Execute("PRAGMA foreign_keys = OFF;" + Contents(TestData("version_1.sql")));
  ASSERT_TRUE(status.ok()) << status;
}

// Run id and serialized verdict of everything in a database, as the old program listed them.
std::string VerdictLines(Database& database) {
  std::vector<v1::RunInfo> runs = *database.ListRuns("", 0);
  std::reverse(runs.begin(), runs.end());
  std::string lines;
  for (const v1::RunInfo& run : runs) {
    const std::vector<v1::Verdict> verdicts = *database.Verdicts(run.run_id(), {});
    for (const v1::Verdict& verdict : verdicts) {
      absl::StrAppend(&lines, run.run_id(), " ", absl::BytesToHexString(verdict.SerializeAsString()), "\n");
    }
  }
  return lines;
}

TEST(UpgradeTest, EveryVerdictOfVersion1IsTheSame) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeOldFile(path);
  const std::vector<std::string> totals =
      Rows(path, "SELECT run || ' ' || done || ' ' || judged FROM run_totals");
  EXPECT_TRUE(absl::IsFailedPrecondition(Database::Open(path, {.read_only = true}).status()));
  std::vector<std::string> told;
  Database::Options options;
  options.on_progress = [&told](const std::string& text) { told.push_back(text); };
  auto database = Database::Open(path, options);
  ASSERT_TRUE(database.ok()) << database.status();
  ASSERT_GE(told.size(), 3U);
  EXPECT_THAT(told[0], HasSubstr(absl::StrCat("from version 1 to ", kSchemaVersion)));
  EXPECT_THAT(told[1], HasSubstr("migrating: 1 of 3 lists of cases, after 0 s"));
  EXPECT_THAT(told.back(), HasSubstr(absl::StrCat("migrated to version ", kSchemaVersion, " in ")));
  EXPECT_EQ(VerdictLines(**database), Contents(TestData("version_1_verdicts.txt")));
  EXPECT_EQ((*database)->CasesOf("latest")->at(5).case_hash, "hash5");
  EXPECT_EQ(Rows(path, "SELECT run || ' ' || done || ' ' || judged FROM run_totals"), totals);
  // Two runs cover the same six cases, and one the first four of them.
  EXPECT_THAT(Rows(path, "SELECT count(*) FROM suites"), testing::ElementsAre("2"));
  EXPECT_THAT(Rows(path, "SELECT count(*) FROM cases"), testing::ElementsAre("6"));
  EXPECT_THAT(CheckDatabase(path)->problems, testing::IsEmpty());
  const auto recent =
      (*Queries::Open(path))->Recent(database->get()->ListRuns("alpha", 0)->back().run_id(), 0, 9);
  ASSERT_EQ(recent->size(), 6U);
  EXPECT_EQ(recent->front().case_id, CaseId(5));
  EXPECT_LT(recent->back().stored, recent->front().stored);
  EXPECT_EQ(recent->back().case_id, CaseId(0));
  // The migrated run can continue.
  EXPECT_EQ((*database)->Append("latest", {MakeVerdict(0, v1::OUTCOME_FAIL)})->duplicates, 1);
  EXPECT_EQ((*database)->Append("latest", {MakeVerdict(1, v1::OUTCOME_FAIL)})->stored, 1);
  told.clear();
  ASSERT_TRUE(Database::Open(path, options).ok());
  EXPECT_THAT(told, testing::IsEmpty());
}

// Takes away what versions 3, 4 and 5 added.
constexpr char kUndo3[] = "DROP TABLE measurements; DROP TABLE run_machines;";
constexpr char kUndo4[] = "DROP TABLE run_labels;";
constexpr char kUndo5[] =
    "ALTER TABLE runs DROP COLUMN exploration; DROP INDEX runs_by_owner; ALTER TABLE runs DROP COLUMN owner; "
    "ALTER TABLE runs DROP COLUMN bytes;";

TEST(UpgradeTest, AFileOfVersion2KeepsItsRunsAndTakesMeasurements) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeOldFile(path);
  ASSERT_TRUE(Database::Open(path, {}).ok());
  {
    auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
    ASSERT_TRUE((*connection)->Execute(absl::StrCat(kUndo5, kUndo4, kUndo3, "PRAGMA user_version = 2")).ok());
  }
  auto database = Database::Open(path, {});
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_EQ(Version(path), absl::StrCat(kSchemaVersion));
  EXPECT_EQ(VerdictLines(**database), Contents(TestData("version_1_verdicts.txt")));
  v1::Measurement first;
  first.set_case_id("add.float32.big");
  first.add_rounds()->add_warm_ns(1500);
  v1::Measurement second = first;
  second.set_calls(7);
  v1::MachineFacts machine;
  machine.set_processor("a processor");
  ASSERT_TRUE((*database)->AppendPerformance("latest", {&first}, &machine).ok());
  ASSERT_TRUE((*database)->AppendPerformance("latest", {&second}, nullptr).ok());
  const auto stored = (*database)->Performance("latest");
  ASSERT_TRUE(stored.ok()) << stored.status();
  ASSERT_EQ(stored->measurements.size(), 1U);
  EXPECT_EQ(stored->measurements[0].SerializeAsString(), first.SerializeAsString());
  EXPECT_EQ(stored->machine->processor(), "a processor");
  EXPECT_THAT(CheckDatabase(path)->problems, testing::IsEmpty());
  const auto queries = Queries::Open(path);
  EXPECT_EQ((*queries)->MeasuredRunsFacts(0)->size(), 1U);
  EXPECT_EQ((*queries)->Performance("latest")->measurements.size(), 1U);
}

TEST(UpgradeTest, AFileOfVersion3KeepsItsRunsAndTakesLabels) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeOldFile(path);
  ASSERT_TRUE(Database::Open(path, {}).ok());
  {
    auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
    ASSERT_TRUE((*connection)->Execute(absl::StrCat(kUndo5, kUndo4, "PRAGMA user_version = 3")).ok());
  }
  auto database = Database::Open(path, {});
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_EQ(Version(path), absl::StrCat(kSchemaVersion));
  EXPECT_EQ(VerdictLines(**database), Contents(TestData("version_1_verdicts.txt")));
  EXPECT_TRUE((*database)->GetRun("latest")->options().labels().empty());
  v1::RunOptions options = MakeOptions("alpha");
  (*options.mutable_labels())["commit"] = "1f2e3d";
  ASSERT_TRUE((*database)->CreateRun(options, "s", MakeCases(2)).ok());
  EXPECT_EQ((*database)->GetRun("latest")->options().labels().at("commit"), "1f2e3d");
  const auto queries = Queries::Open(path);
  EXPECT_THAT((*queries)->RunCounts("latest")->facts.labels,
              testing::ElementsAre(testing::Pair("commit", "1f2e3d")));
  EXPECT_THAT(CheckDatabase(path)->problems, testing::IsEmpty());
}

TEST(UpgradeTest, AFileOfVersion4TellsWhoseRunsTakeHowMuch) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  {
    auto database = Database::Open(path, {});
    v1::RunOptions options = MakeOptions("alpha");
    for (const char* owner : {"alice", "bob", "alice"}) {
      options.set_owner(owner);
      const auto run = (*database)->CreateRun(options, "s", MakeCases(3));
      ASSERT_TRUE(run.ok()) << run.status();
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE((*database)->Append(run->run_id(), {MakeVerdict(i, v1::OUTCOME_FAIL)}).ok());
      }
    }
    v1::Measurement measurement;
    measurement.set_case_id("add.float32.big");
    ASSERT_TRUE((*database)->AppendPerformance("latest", {&measurement}, nullptr).ok());
  }
  constexpr char kTaken[] = "SELECT owner || ' ' || bytes FROM runs ORDER BY id";
  const std::vector<std::string> taken = Rows(path, kTaken);
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[0].substr(0, 6), "alice ");
  EXPECT_EQ(taken[1], "bob 81");     // three rows of verdicts, whose contents the first run has already
  EXPECT_EQ(taken[2], "alice 113");  // and a measurement
  {
    auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
    ASSERT_TRUE((*connection)->Execute(absl::StrCat(kUndo5, "PRAGMA user_version = 4")).ok());
  }
  ASSERT_TRUE(Database::Open(path, {}).ok());
  EXPECT_EQ(Rows(path, kTaken), taken);
  EXPECT_THAT(CheckDatabase(path)->problems, testing::IsEmpty());
}

TEST(UpgradeTest, AFileOfVersion4KeepsItsRunsAndTakesExplorations) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeOldFile(path);
  ASSERT_TRUE(Database::Open(path, {}).ok());
  {
    auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
    ASSERT_TRUE((*connection)->Execute(absl::StrCat(kUndo5, "PRAGMA user_version = 4")).ok());
  }
  auto database = Database::Open(path, {});
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_EQ(Version(path), absl::StrCat(kSchemaVersion));
  EXPECT_EQ(VerdictLines(**database), Contents(TestData("version_1_verdicts.txt")));
  const std::string latest = (*database)->GetRun("latest")->run_id();
  EXPECT_FALSE((*database)->GetRun("latest")->has_exploration());
  v1::RunOptions options = MakeOptions("alpha");
  options.mutable_exploration()->set_calls(100);
  const auto run = (*database)->CreateRun(options, "s", {});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE(run->has_exploration());
  EXPECT_EQ((*database)->GetRun("latest")->run_id(), latest);
  EXPECT_THAT(CheckDatabase(path)->problems, testing::IsEmpty());
}

TEST(UpgradeTest, AKillOrAFullDiskLeavesTheOldFile) {
  const TestFolder folder;
  for (int64_t step = 1; step <= kSchemaVersion; ++step) {
    const std::string path = folder / absl::StrCat("killed", step);
    MakeOldFile(path);
    const pid_t child = fork();
    if (child == 0) MigrateAndDie(path, step);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(Version(path), "1") << "step " << step;
    EXPECT_THAT(Rows(path, "SELECT count(*) FROM results"), testing::ElementsAre("10"));
    EXPECT_EQ(VerdictLines(**Database::Open(path, {})), Contents(TestData("version_1_verdicts.txt")));
  }
  const std::string path = folder / "full";
  MakeOldFile(path);
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(path));
  const absl::Status status = Database::Open(path, {.max_bytes = bytes + int64_t{4} * 4096}).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(Version(path), "1");
  EXPECT_EQ(VerdictLines(**Database::Open(path, {})), Contents(TestData("version_1_verdicts.txt")));
}

TEST(NewSchemaTest, ANewerFileIsRefusedAndLeftAlone) {
  const TestFolder folder;
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

TEST(NewSchemaTest, AFileOfADevelopmentVersionIsRefusedAndLeftAlone) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  {
    auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
    ASSERT_TRUE(
        (*connection)
            ->Execute("CREATE TABLE runs (a); PRAGMA application_id = 0x44494f50; PRAGMA user_version = 6")
            .ok());
  }
  for (const bool read_only : {false, true}) {
    const absl::Status status = Database::Open(path, {.read_only = read_only}).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("a development version from before the first release"));
  }
  EXPECT_EQ(Version(path), "6");
}

}  // namespace
}  // namespace diopi::server
