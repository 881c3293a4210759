#include "server/security/lease_key.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace diopi::server {
namespace {

class LeaseKeyTest : public testing::Test {
 protected:
  LeaseKeyTest() : folder_(testing::TempDir() + "lease_key_test") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  const std::string folder_;
};

TEST_F(LeaseKeyTest, OnlyTheHolderKnowsIt) {
  const auto key = LeaseKey::Open(folder_);
  ASSERT_TRUE(key.ok()) << key.status();
  const std::string name = key->Sign({"run", "agent"}, "12");
  EXPECT_EQ(name.size(), 35u);
  EXPECT_EQ(key->Verify({"run", "agent"}, name), "12");
  EXPECT_FALSE(key->Verify({"run", "other"}, name).has_value());
  EXPECT_FALSE(key->Verify({"another run", "agent"}, name).has_value());
  EXPECT_FALSE(key->Verify({"runa", "gent"}, name).has_value());
  for (const std::string& forged : {std::string("12"), "13" + name.substr(2), name + "0", std::string()}) {
    EXPECT_FALSE(key->Verify({"run", "agent"}, forged).has_value()) << forged;
  }
}

TEST_F(LeaseKeyTest, StaysWithTheFolder) {
  const std::string name = LeaseKey::Open(folder_)->Sign({"run", "agent"}, "1");
  EXPECT_EQ(LeaseKey::Open(folder_)->Verify({"run", "agent"}, name), "1");
  struct stat file {};
  ASSERT_EQ(stat((folder_ + "/lease_key").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  for (const std::string& damaged : {std::string("short"), std::string(1000, 'x')}) {
    std::ofstream(folder_ + "/lease_key") << damaged;
    EXPECT_TRUE(absl::IsDataLoss(LeaseKey::Open(folder_).status())) << damaged.size();
  }
}

// Files may have no bytes, as on a full disk: no empty key is left behind, with which no server could start.
TEST_F(LeaseKeyTest, IsWrittenAsAWholeOrNotAtAll) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const absl::Status status = LeaseKey::Open(folder_).status();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_TRUE(LeaseKey::Open(folder_).ok());
}

// As if another server had been faster: what has the name is read and not replaced.
TEST_F(LeaseKeyTest, TheFirstServersKeyCounts) {
  const std::string elsewhere = folder_ + "/elsewhere";
  std::filesystem::create_symlink(elsewhere, folder_ + "/lease_key");
  EXPECT_TRUE(absl::IsNotFound(LeaseKey::Open(folder_).status())) << LeaseKey::Open(folder_).status();
  std::ofstream(elsewhere) << std::string(32, 'k');
  EXPECT_TRUE(LeaseKey::Open(folder_).ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
}

}  // namespace
}  // namespace diopi::server
