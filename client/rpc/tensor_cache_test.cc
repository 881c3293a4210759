#include "client/rpc/tensor_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/hash.h"
#include "cases/base/test_folder.h"

namespace diopi::rpc {
namespace {

namespace fs = std::filesystem;

class TensorCacheTest : public ::testing::Test {
 protected:
  std::unique_ptr<TensorCache> Open(int64_t max_bytes) {
    auto cache = TensorCache::Open({folder_, max_bytes});
    EXPECT_TRUE(cache.ok()) << cache.status();
    return *std::move(cache);
  }
  static std::string Content(int number, size_t size = 1000) {
    std::string data(size, static_cast<char>('a' + number % 26));
    data.replace(0, 10, absl::StrCat(number, "          ").substr(0, 10));
    return data;
  }
  static void Put(TensorCache* cache, const std::string& data) { cache->Put(Xxh64(data), data); }
  static bool Has(TensorCache* cache, const std::string& data) {
    const std::optional<std::string> got = cache->Get(Xxh64(data), static_cast<int64_t>(data.size()));
    EXPECT_TRUE(!got.has_value() || *got == data);
    return got.has_value();
  }
  std::string PathOf(const std::string& data) const {
    return absl::StrCat(folder_, "/", Xxh64Hex(data), "-", data.size());
  }
  // Makes the entry's last use this many seconds ago.
  void Age(const std::string& data, int seconds) const {
    fs::last_write_time(PathOf(data), fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }
  int64_t BytesInFolder() const {
    int64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename() != "size") bytes += static_cast<int64_t>(entry.file_size());
    }
    return bytes;
  }

  const TestFolder above_;
  const std::string folder_ = above_ / "cache";
};

TEST_F(TensorCacheTest, ReturnsWhatWasPutAlsoToTheNextProcess) {
  const std::string data = Content(1);
  {
    const auto cache = Open(10'000);
    EXPECT_FALSE(Has(cache.get(), data));
    Put(cache.get(), data);
    EXPECT_TRUE(Has(cache.get(), data));
    EXPECT_FALSE(cache->Get(Xxh64(data), 999).has_value());
  }
  const auto cache = Open(10'000);
  EXPECT_TRUE(Has(cache.get(), data));
  EXPECT_EQ(cache->counts().hits, 1);
  struct stat info {};
  ASSERT_EQ(stat(folder_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST_F(TensorCacheTest, DiscardsDamagedEntries) {
  const std::string data = Content(1);
  struct Row {
    const char* name;
    std::string spoilt;
  };
  std::string flipped = data;
  flipped[500] ^= 1;
  for (const Row& row : std::vector<Row>{
           {"a bit", flipped}, {"short", data.substr(0, 10)}, {"empty", ""}, {"long", data + "x"}}) {
    SCOPED_TRACE(row.name);
    const auto cache = Open(10'000);
    Put(cache.get(), data);
    std::ofstream(PathOf(data), std::ios::trunc) << row.spoilt;
    EXPECT_FALSE(Has(cache.get(), data));
    EXPECT_FALSE(fs::exists(PathOf(data)));
    EXPECT_EQ(cache->counts().damaged, 1);
    Put(cache.get(), data);
    EXPECT_TRUE(Has(cache.get(), data));
  }
}

TEST_F(TensorCacheTest, WhatWasUsedLeastRecentlyGoes) {
  const auto cache = Open(4'000);
  for (int i = 0; i < 4; ++i) {
    Put(cache.get(), Content(i));
    Age(Content(i), 100 - i);
  }
  EXPECT_TRUE(Has(cache.get(), Content(0)));  // used: the oldest is 1 now
  Put(cache.get(), Content(4));
  EXPECT_TRUE(fs::exists(PathOf(Content(0))));
  EXPECT_FALSE(fs::exists(PathOf(Content(1))));
  EXPECT_TRUE(fs::exists(PathOf(Content(4))));
  EXPECT_LE(BytesInFolder(), 4'000);
  Put(cache.get(), Content(5, 4'001));  // larger than everything
  EXPECT_FALSE(fs::exists(PathOf(Content(5, 4'001))));
  EXPECT_TRUE(fs::exists(PathOf(Content(0))));
}

TEST_F(TensorCacheTest, ASmallerLimitAndAWrongSizeFileAreMetOnOpening) {
  {
    const auto cache = Open(100'000);
    for (int i = 0; i < 20; ++i) Put(cache.get(), Content(i));
  }
  std::ofstream(folder_ + "/size", std::ios::trunc | std::ios::binary) << "garbage!";
  std::ofstream(folder_ + "/tmp-1-1") << "left by a killed process";
  fs::last_write_time(folder_ + "/tmp-1-1", fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto cache = Open(5'000);
  EXPECT_LE(BytesInFolder(), 5'000);
  EXPECT_FALSE(fs::exists(folder_ + "/tmp-1-1"));
  Put(cache.get(), Content(30));
  EXPECT_TRUE(Has(cache.get(), Content(30)));
}

TEST_F(TensorCacheTest, ProcessesShareAFolderWithinItsLimit) {
  constexpr int64_t kLimit = 50'000;
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      const auto cache = Open(kLimit);
      for (int i = 0; i < 300; ++i) {
        const std::string data = Content(i * 7 % 100 + child * 10);
        if (!Has(cache.get(), data)) Put(cache.get(), data);
      }
      _exit(HasFailure() || cache->counts().damaged != 0 || cache->counts().stored == 0 ? 1 : 0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(BytesInFolder(), kLimit);
  EXPECT_GT(BytesInFolder(), kLimit / 2);
  int64_t counted = 0;
  std::ifstream(folder_ + "/size", std::ios::binary).read(reinterpret_cast<char*>(&counted), sizeof counted);
  EXPECT_GE(counted, 0);
}

TEST_F(TensorCacheTest, ThreadsShareOne) {
  const auto cache = Open(20'000);
  std::vector<std::thread> threads(4);
  for (std::thread& thread : threads) {
    thread = std::thread([&cache] {
      for (int i = 0; i < 200; ++i) {
        if (!Has(cache.get(), Content(i % 40))) Put(cache.get(), Content(i % 40));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(BytesInFolder(), 20'000);
  EXPECT_EQ(cache->counts().damaged, 0);
}

TEST_F(TensorCacheTest, SaysWhyAFolderCannotBeUsed) {
  std::ofstream(fs::path(folder_).parent_path() / "file") << "";
  const std::string folder = (fs::path(folder_).parent_path() / "file" / "cache").string();
  const auto cache = TensorCache::Open({folder, 1000});
  ASSERT_FALSE(cache.ok());
  EXPECT_THAT(std::string(cache.status().message()), ::testing::HasSubstr(folder));
}

}  // namespace
}  // namespace diopi::rpc
