// Years of runs in a data folder: tag, prune, archive and vacuum as processes, while another process has it
// open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/testing/programs.h"
#include "server/store/check.h"
#include "server/store/database.h"

namespace diopi::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

constexpr int kCases = 200;

class YearsTest : public ::testing::Test {
 protected:
  YearsTest() : database_(*server::Database::Open(server::DatabasePath(Data()), {})) {}

  std::string Data() const { return folder_ / "data"; }
  std::string AddRun(const std::string& chip, bool green, v1::RunState state = v1::RUN_STATE_FINISHED) {
    std::vector<server::RunCase> cases;
    std::vector<v1::Verdict> verdicts;
    for (int i = 0; i < kCases; ++i) {
      v1::Verdict& verdict = verdicts.emplace_back();
      verdict.set_case_id(absl::StrCat("add.float32.p", i));
      verdict.set_case_hash("hash");
      verdict.set_function("diopiAdd");
      verdict.set_operator_("add");
      verdict.set_outcome(green || i > 0 ? v1::OUTCOME_PASS : v1::OUTCOME_FAIL);
      cases.push_back({verdict.case_id(), "hash", "diopiAdd", "add"});
    }
    v1::RunOptions options;
    options.set_chip(chip);
    const std::string id = database_->CreateRun(options, "suite", cases)->run_id();
    EXPECT_TRUE(database_->Append(id, verdicts).ok());
    if (state == v1::RUN_STATE_FINISHED) {
      EXPECT_TRUE(database_->SetState(id, state).ok());
    }
    return id;
  }
  Finished Cli(Words arguments, bool in_data = true) const {
    arguments.insert(arguments.begin(), BinPath("diopi-cli"));
    if (in_data) arguments.insert(arguments.end(), {"--data", Data()});
    return RunProgram(arguments);
  }
  std::vector<std::string> Runs() const {
    std::vector<std::string> ids;
    const std::vector<v1::RunInfo> runs = *database_->ListRuns("", 0);
    for (const v1::RunInfo& run : runs) ids.insert(ids.begin(), run.run_id());
    return ids;
  }

  const TestFolder folder_;
  std::unique_ptr<server::Database> database_;
};

TEST_F(YearsTest, APruneKeepsWhatIsNeeded) {
  const std::string old = AddRun("a", true);
  const std::string tagged = AddRun("a", false);
  const std::string green = AddRun("a", true);
  const std::string red = AddRun("a", false);
  const std::string running = AddRun("b", false, v1::RUN_STATE_RUNNING);
  const std::string newest = AddRun("a", false);
  const Finished tag = Cli({"tag", tagged, "release-2.1"});
  EXPECT_EQ(tag.code, 0) << tag.err;
  EXPECT_THAT(Cli({"tag"}).out, HasSubstr("release-2.1"));

  const Finished dry = Cli({"prune", "--keep", "1", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr(old));
  EXPECT_THAT(dry.out, HasSubstr(red));
  EXPECT_THAT(dry.out, Not(HasSubstr(tagged)));
  EXPECT_THAT(dry.err, HasSubstr("2 of 6 runs can be removed, with 400 verdicts"));
  EXPECT_THAT(dry.err, HasSubstr("1 with a tag"));
  const Finished unsure = Cli({"prune", "--keep", "1"});
  EXPECT_EQ(unsure.code, 2) << unsure.err;
  EXPECT_THAT(unsure.err, HasSubstr("--yes is required"));
  EXPECT_THAT(Cli({"prune", "--older-than", "1d", "--yes"}).err, HasSubstr("0 of 6 runs can be removed"));
  EXPECT_EQ(Cli({"prune", "--yes"}).code, 2);
  EXPECT_EQ(Runs().size(), 6U);

  const Finished prune = Cli({"prune", "--keep", "1", "--yes"});
  EXPECT_EQ(prune.code, 0) << prune.err;
  EXPECT_THAT(prune.err, HasSubstr("removed 2 runs with 400 verdicts"));
  EXPECT_EQ(Runs(), (Words{tagged, green, running, newest}));
  EXPECT_THAT(server::CheckDatabase(server::DatabasePath(Data()))->problems, IsEmpty());
  EXPECT_EQ(Cli({"tag", "--remove", "release-2.1"}).code, 0);
  EXPECT_THAT(Cli({"prune", "--keep", "1", "--dry-run"}).out, HasSubstr(tagged));
}

// A run whose failures are all expected is green: the newest such run of a chip stays.
TEST_F(YearsTest, APruneCountsExpectedFailuresAsGreen) {
  const std::string first = AddRun("a", false);
  const std::string second = AddRun("a", false);
  AddRun("a", false);
  const std::string expectations = folder_ / "expectations.txt";
  std::ofstream(expectations)
      << "fail add.float32.p0 expires=2999-01-01 issue=https://issues.example/1 \"known\"\n";
  EXPECT_THAT(Cli({"prune", "--keep", "0", "--dry-run"}).err, HasSubstr("3 of 3 runs can be removed"));
  const Finished dry = Cli({"prune", "--keep", "0", "--dry-run", "--expect", expectations});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.err, HasSubstr("2 of 3 runs can be removed"));
  EXPECT_THAT(dry.err, HasSubstr("1 last green run"));
  EXPECT_THAT(dry.out, HasSubstr(first));
  EXPECT_THAT(dry.out, HasSubstr(second));
}

TEST_F(YearsTest, AnArchiveIsReadLikeADataFolder) {
  const std::string first = AddRun("a", true);
  const std::string second = AddRun("a", false);
  const std::string file = folder_ / "2025.db";
  EXPECT_THAT(Cli({"archive", first, "--to", file, "--dry-run"}).out, HasSubstr(first));
  EXPECT_FALSE(std::filesystem::exists(file));
  const std::string before = Cli({"report", "--run", first, "--format", "csv"}).out;
  const Finished archive = Cli({"archive", first, "--to", file, "--remove", "--yes"});
  EXPECT_EQ(archive.code, 0) << archive.err;
  EXPECT_THAT(archive.err, HasSubstr("200 verdicts"));
  EXPECT_EQ(Runs(), Words{second});
  const Finished report = Cli({"report", "--run", first, "--format", "csv", "--data", file}, false);
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_EQ(report.out, before);
  EXPECT_EQ(Cli({"archive", second, "--to", file}).code, 2);  // the file exists
  const std::string other = folder_ / "2026.db";
  EXPECT_EQ(Cli({"tag", second, "kept"}).code, 0);
  const Finished tagged = Cli({"archive", second, "--to", other, "--remove", "--yes"});
  EXPECT_EQ(tagged.code, 4);
  EXPECT_THAT(tagged.err, HasSubstr("has the tag kept"));
  EXPECT_FALSE(std::filesystem::exists(other));  // refused before anything is copied
  const Finished vacuum = Cli({"vacuum"});
  EXPECT_EQ(vacuum.code, 0) << vacuum.err;
  EXPECT_THAT(vacuum.err, HasSubstr("are free"));
}

}  // namespace
}  // namespace diopi::testing
