#include "client/cli/output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cases/base/test_folder.h"
#include "cases/base/write_file.h"

namespace diopi::cli {
namespace {

namespace fs = std::filesystem;

class OutputTest : public ::testing::Test {
 protected:
  std::string File(const char* name) const { return folder_ / name; }
  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  size_t Files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  const TestFolder folder_;
};

TEST_F(OutputTest, ReplacesAFileWhole) {
  ASSERT_TRUE(WriteOutput("first, and longer", File("a")).ok());
  ASSERT_TRUE(WriteOutput("second", File("a")).ok());
  EXPECT_EQ(Read(File("a")), "second");
  EXPECT_EQ(Files(), 1u);
  struct stat facts {};
  ASSERT_EQ(stat(File("a").c_str(), &facts), 0);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(facts.st_mode & 0777, 0666 & ~mask) << "readable as other files are";
}

TEST_F(OutputTest, AFailureLeavesTheOldFile) {
  ASSERT_TRUE(WriteOutput("old", File("a")).ok());
  const absl::Status status = ReplaceFileWith(File("a"), [](const std::string& temporary) {
    std::ofstream(temporary) << "half";
    return absl::InternalError("broke");
  });
  EXPECT_EQ(status.message(), "broke");
  EXPECT_EQ(Read(File("a")), "old");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(OutputTest, SaysWhichFileAndWhy) {
  const absl::Status missing = WriteOutput("x", File("no/such/file"));
  EXPECT_EQ(missing.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(missing.message().find("no/such/file: cannot be written: No such file or directory"),
            absl::string_view::npos)
      << missing;
  EXPECT_EQ(WriteOutput("x", folder_.path()).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(OutputTest, ADeviceStaysADevice) {
  ASSERT_TRUE(WriteOutput("x", "/dev/null").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(WriteOutput("x", "/dev/full").code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace diopi::cli
