// A kill while a new file is made leaves nothing behind; a newer schema and a development version's are
// refused.
#include "server/store/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
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
  const absl::Status status = Migrate(connection->get(), [step](int64_t at) {
    if (at == step) raise(SIGKILL);
  });
  _exit(status.ok() ? 2 : 3);
}

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

// The columns of verdicts and outputs follow the .proto files by themselves. A change of the schema is seen
// here: after a release it needs a migration step. DIOPI_UPDATE_GOLDEN=1 writes the copy anew.
TEST(NewSchemaTest, TheSchemaIsItsGoldenCopy) {
  const ScratchFolder folder;
  ASSERT_TRUE(Database::Open(DatabasePath(folder.path()), {}).ok());
  const std::string made =
      absl::StrCat(absl::StrJoin(Rows(DatabasePath(folder.path()), kSchema), ";\n"), ";\n");
  const std::string path = std::string(DIOPI_SOURCE_DIR) + "/server/store/testdata/schema.sql";
  if (std::getenv("DIOPI_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << made;
  std::ifstream in(path);
  ASSERT_TRUE(in) << path;
  std::ostringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(made, golden.str()) << "golden file " << path;
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

TEST(NewSchemaTest, AFileOfADevelopmentVersionIsRefusedAndLeftAlone) {
  const ScratchFolder folder;
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
