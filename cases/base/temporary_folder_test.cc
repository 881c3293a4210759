#include "cases/base/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cases/base/test_folder.h"

namespace diopi {
namespace {

namespace fs = std::filesystem;

// A process with a temporary folder, which it would remove if it were let.
class Owner {
 public:
  Owner() {
    std::array<int, 2> told{};
    EXPECT_EQ(pipe(told.data()), 0);
    pid_ = fork();
    if (pid_ == 0) {
      const absl::StatusOr<TemporaryFolder> made = TemporaryFolder::Make();
      std::ofstream(*made / "file") << "text";
      WriteAll(told[1], made->path());
      close(told[1]);
      pause();
      _exit(0);
    }
    close(told[1]);
    char c = 0;
    while (read(told[0], &c, 1) == 1) path_.push_back(c);
    close(told[0]);
  }
  ~Owner() { Kill(); }
  void Kill() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
  }
  const std::string& path() const { return path_; }

 private:
  pid_t pid_ = -1;
  std::string path_;
};

class TemporaryFolderTest : public testing::Test {
 protected:
  TemporaryFolderTest() { setenv("TMPDIR", folder_.c_str(), 1); }
  ~TemporaryFolderTest() override { unsetenv("TMPDIR"); }

  const TestFolder above_;
  const std::string folder_ = above_.path();
};

TEST_F(TemporaryFolderTest, GoesWithItsOwner) {
  std::string path;
  {
    absl::StatusOr<TemporaryFolder> made = TemporaryFolder::Make();
    ASSERT_TRUE(made.ok()) << made.status();
    path = made->path();
    const TemporaryFolder moved = *std::move(made);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    TemporaryFolder::SweepAbandoned();  // not one that is in use
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(TemporaryFolderTest, SweepsWhatAKilledProcessLeftAndNothingElse) {
  const Owner alive;
  Owner killed;
  ASSERT_TRUE(fs::exists(killed.path() + "/file"));
  const std::string of_a_user = folder_ + "/diopi-backup";
  fs::create_directory(of_a_user);
  fs::permissions(of_a_user, fs::perms::owner_all);
  const std::string link = folder_ + "/diopi-linked";
  fs::create_directory_symlink(alive.path(), link);
  TemporaryFolder::SweepAbandoned();
  EXPECT_TRUE(fs::exists(killed.path()));
  killed.Kill();
  EXPECT_TRUE(fs::exists(killed.path()));
  TemporaryFolder::SweepAbandoned();
  EXPECT_FALSE(fs::exists(killed.path()));
  EXPECT_TRUE(fs::exists(alive.path() + "/file"));
  EXPECT_TRUE(fs::exists(of_a_user));
  EXPECT_TRUE(fs::exists(link));
}

}  // namespace
}  // namespace diopi
