#include "impl_loader/library/library.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "impl_loader/library/file_identity.h"
#include "impl_loader/library/library_testing.h"

namespace diopi::loader {
namespace {

TEST(LibraryTest, FindsOnlyItsOwnSymbols) {
  auto library = Library::Open(kVendors + "recorder.so");
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(library->path(), kVendors + "recorder.so");
  EXPECT_NE(library->Symbol("diopiAdd"), nullptr);
  EXPECT_NE(library->Symbol("recorder_size"), nullptr);
  EXPECT_EQ(library->Symbol("diopiNoSuch"), nullptr);
  EXPECT_EQ(library->Symbol("malloc"), nullptr) << "libc's, which the library depends on";
  EXPECT_EQ(library->Symbol("memcpy"), nullptr);
}

TEST(LibraryTest, Moves) {
  auto library = Library::Open(kVendors + "recorder.so");
  ASSERT_TRUE(library.ok()) << library.status();
  Library second = *std::move(library);
  EXPECT_NE(second.Symbol("diopiAdd"), nullptr);
  Library third = std::move(second);
  EXPECT_NE(third.Symbol("diopiAdd"), nullptr);
  EXPECT_EQ(second.Symbol("diopiAdd"), nullptr);  // NOLINT(bugprone-use-after-move): tests it
  auto fourth = Library::Open(kVendors + "recorder.so");
  ASSERT_TRUE(fourth.ok());
  third = *std::move(fourth);
  EXPECT_NE(third.Symbol("diopiAdd"), nullptr);
}

TEST(LibraryTest, SaysWhyItDoesNotLoad) {
  const auto missing = Library::Open("/no/such/library.so");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  const auto undefined = Library::Open(kVendors + "aside/../elf_odd.so");
  EXPECT_EQ(undefined.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(undefined.status().message()).find("elf_odd.so: cannot be loaded: "),
            std::string::npos)
      << undefined.status();
  EXPECT_NE(std::string(undefined.status().message()).find("elf_dependency.so"), std::string::npos)
      << undefined.status();
}

TEST(LibraryTest, LoadsOnlyTheFileThatWasLookedAt) {
  const std::string path = testing::TempDir() + "looked_at.so";
  const auto copy = [&] {
    std::filesystem::remove(path);
    std::filesystem::copy_file(kVendors + "recorder.so", path);
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const auto identity = FileIdentity(fd);
    close(fd);
    return identity.ok() ? *identity : "";
  };
  const std::string first = copy();
  EXPECT_TRUE(Library::Open(path, first).ok()) << Library::Open(path, first).status();
  // Another file of that name, with the same bytes.
  const std::string second = copy();
  const absl::Status replaced = Library::Open(path, first).status();
  EXPECT_EQ(replaced.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(replaced.message()).find("it was changed or replaced since"), std::string::npos)
      << replaced;
  // The same file, touched.
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  EXPECT_FALSE(Library::Open(path, second).ok());
  std::filesystem::remove(path);
  EXPECT_FALSE(Library::Open(path, second).ok());
  int here = 0;
  EXPECT_EQ(MappedFile(&here), "");
}

}  // namespace
}  // namespace diopi::loader
