#include "cases/base/file_lock.h"

#include <gtest/gtest.h>

#include <optional>

namespace diopi {
namespace {

TEST(FileLock, ExcludesASecondHolder) {
  const std::string path = testing::TempDir() + "/file_lock_test";
  std::optional<FileLock> first;
  {
    auto lock = FileLock::Take(path);
    ASSERT_TRUE(lock.ok()) << lock.status();
    first.emplace(*std::move(lock));
  }
  const auto second = FileLock::Take(path);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(std::string(second.status().message()).find(path), std::string::npos);
  first.reset();
  EXPECT_TRUE(FileLock::Take(path).ok());
}

TEST(FileLock, WaitsForTheHolderAndSaysSoOnce) {
  const std::string path = testing::TempDir() + "/file_lock_wait_test";
  auto first = FileLock::Take(path);
  ASSERT_TRUE(first.ok()) << first.status();
  std::optional<FileLock> held(*std::move(first));
  int waited = 0;
  const auto on_wait = [&] { ++waited; };
  EXPECT_EQ(FileLock::Take(path, absl::Milliseconds(120), on_wait).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(waited, 1);
  const auto second = FileLock::Take(path, absl::InfiniteDuration(), [&] { held.reset(); });
  EXPECT_TRUE(second.ok()) << second.status();
}

TEST(FileLock, NoSuchFolder) {
  EXPECT_EQ(FileLock::Take("/nonexistent/folder/lock").status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace diopi
