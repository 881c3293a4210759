#include "cases/base/read_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "cases/base/temporary_folder.h"

namespace diopi {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ReadFileTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }

 private:
  TemporaryFolder folder_{*TemporaryFolder::Make()};
};

TEST_F(ReadFileTest, ReadsEveryByte) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{1} << 16, (size_t{1} << 16) + 1, size_t{300'000}}) {
    std::string text(size, '\0');
    for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7);
    const absl::StatusOr<std::string> read = ReadFile(Write("file", text));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == text) << size;
  }
}

TEST_F(ReadFileTest, ReadsAPipeToItsEnd) {
  const std::string path = Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "from a pipe"; });
  const absl::StatusOr<std::string> read = ReadFile(path);
  writer.join();
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, "from a pipe");
}

TEST_F(ReadFileTest, ErrorsBeginWithThePath) {
  const struct {
    std::string path;
    size_t most;
    absl::StatusCode code;
    std::string words;
  } rows[] = {
      {Path("none"), 9, absl::StatusCode::kNotFound, "cannot be read: No such file"},
      {Path(""), 9, absl::StatusCode::kInvalidArgument, "is a folder, expected a file"},
      {Write("large", "0123456789"), 9, absl::StatusCode::kInvalidArgument, "has more than 9 bytes"},
  };
  for (const auto& row : rows) {
    const absl::Status status = ReadFile(row.path, row.most).status();
    EXPECT_EQ(status.code(), row.code) << status;
    EXPECT_THAT(std::string(status.message()), StartsWith(row.path + ": "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.words));
  }
  EXPECT_TRUE(ReadFile(Path("large"), 10).ok());
}

}  // namespace
}  // namespace diopi
