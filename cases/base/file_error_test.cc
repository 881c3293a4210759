#include "cases/base/file_error.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "cases/base/read_file.h"
#include "cases/base/temporary_folder.h"
#include "cases/base/write_file.h"

namespace diopi {
namespace {

using Code = absl::StatusCode;

TEST(FileError, EveryNumberHasAStatusThatIsNotOurFault) {
  const struct {
    int error;
    Code read;
    Code write;
  } rows[] = {
      {ENOENT, Code::kNotFound, Code::kFailedPrecondition},
      {ENOTDIR, Code::kInvalidArgument, Code::kFailedPrecondition},
      {EISDIR, Code::kInvalidArgument, Code::kFailedPrecondition},
      {ELOOP, Code::kInvalidArgument, Code::kFailedPrecondition},
      {ENAMETOOLONG, Code::kInvalidArgument, Code::kFailedPrecondition},
      {EACCES, Code::kPermissionDenied, Code::kPermissionDenied},
      {EROFS, Code::kPermissionDenied, Code::kPermissionDenied},
      {ENOSPC, Code::kUnavailable, Code::kResourceExhausted},
      {EDQUOT, Code::kUnavailable, Code::kResourceExhausted},
      {EIO, Code::kUnavailable, Code::kUnavailable},
      {EMFILE, Code::kUnavailable, Code::kUnavailable},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ReadError("f", row.error).code(), row.read) << row.error;
    EXPECT_EQ(WriteError("f", row.error).code(), row.write) << row.error;
  }
  EXPECT_EQ(WriteError("f", ENOSPC).message(), "f: cannot be written: No space left on device");
}

TEST(FileError, TheFilesThemselves) {
  const TemporaryFolder folder = *TemporaryFolder::Make();
  ASSERT_EQ(symlink("loop", (folder / "loop").c_str()), 0);
  EXPECT_EQ(ReadFile(folder / "loop").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(ReadFile(folder / "none").status().code(), Code::kNotFound);
  EXPECT_EQ(ReadFile(folder.path()).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(ReadFile(folder / std::string(300, 'n')).status().code(), Code::kInvalidArgument);
  std::ofstream(folder / "file") << "old";
  EXPECT_EQ(ReplaceFile(folder / "no/such/file", "x").code(), Code::kFailedPrecondition);
  EXPECT_EQ(ReplaceFile(folder / "file/x", "x").code(), Code::kFailedPrecondition);
  EXPECT_EQ(ReplaceFile(folder.path(), "x").code(), Code::kFailedPrecondition);
  EXPECT_EQ(ReplaceFile("/dev/full", "x").code(), Code::kResourceExhausted);
  EXPECT_EQ(MakeFolder(folder / "file/x").code(), Code::kFailedPrecondition);
  EXPECT_TRUE(MakeFolder(folder / "a/b").ok());
  EXPECT_TRUE(MakeFolder(folder / "a/b").ok());
  EXPECT_TRUE(MakeFolder("").ok());
  EXPECT_EQ(*ReadFile(folder / "file"), "old");
}

}  // namespace
}  // namespace diopi
