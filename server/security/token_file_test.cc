#include "server/security/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "cases/base/test_folder.h"

namespace diopi::server {
namespace {

using testing::HasSubstr;

class TokenFileTest : public testing::Test {
 protected:
  std::string Path() const { return TokenPath(data_); }
  std::string Content() const {
    std::ifstream in(Path());
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  void Write(const std::string& text) const {
    std::ofstream(Path()) << text;
    ASSERT_EQ(chmod(Path().c_str(), 0600), 0);
  }

  const TestFolder folder_;
  const std::string data_ = folder_.path();
};

TEST_F(TokenFileTest, KeepsNoTokenButKnowsIt) {
  const auto ci = AddToken(data_, "ci", Role::kRun);
  const auto boss = AddToken(data_, "boss", Role::kAdmin);
  ASSERT_TRUE(ci.ok() && boss.ok()) << ci.status() << boss.status();
  EXPECT_THAT(*ci, testing::MatchesRegex("diopi_[0-9a-f]{64}"));
  EXPECT_NE(*ci, *boss);
  // Not even its digits.
  EXPECT_EQ(Content().find(ci->substr(6)), std::string::npos);
  struct stat info {};
  ASSERT_EQ(stat(Path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const auto records = ReadTokens(Path());
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 2u);
  EXPECT_NE((*records)[0].salt, (*records)[1].salt);
  const TokenRecord* found = FindToken(*records, *ci);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "ci");
  EXPECT_EQ(found->role, Role::kRun);
  std::string other = *ci;
  other.back() = other.back() == '0' ? '1' : '0';
  for (const std::string& wrong :
       {other, std::string(), std::string("diopi_"), (*records)[0].hash, *ci + " "}) {
    EXPECT_EQ(FindToken(*records, wrong), nullptr) << wrong;
  }
}

TEST_F(TokenFileTest, KeepsTheChipsOfAToken) {
  const std::vector<std::string> chips = {"mlu370", "big chip", "100%20", "chip=a"};
  for (const absl::Time expires : {absl::FromUnixSeconds(1'800'000'000), absl::InfiniteFuture()}) {
    ASSERT_TRUE(AddToken(data_, ExpiryText(expires).substr(0, 4), Role::kRun, expires, chips).ok());
    EXPECT_EQ(ReadTokens(Path())->back().chips, chips);
    EXPECT_EQ(ReadTokens(Path())->back().expires, expires);
  }
  EXPECT_THAT(Content(), HasSubstr(" 2027-01-15T08:00:00Z chip=mlu370 chip=big%20chip chip=100%2520"));
}

TEST_F(TokenFileTest, KnowsWhenATokenExpires) {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);  // 2027-01-15T08:00:00Z
  struct Row {
    std::string text;
    std::string expires;
  };
  for (const Row& row : std::vector<Row>{{"", "never"},
                                         {"90d", "2027-04-15T08:00:00Z"},
                                         {"12h", "2027-01-15T20:00:00Z"},
                                         {"2027-01-15", "2027-01-16T00:00:00Z"},
                                         {"2028-02-29", "2028-03-01T00:00:00Z"}}) {
    const auto expires = ParseExpiry(row.text, now);
    ASSERT_TRUE(expires.ok()) << expires.status();
    EXPECT_EQ(ExpiryText(*expires), row.expires) << row.text;
    ASSERT_TRUE(AddToken(data_, absl::StrCat("t", row.text), Role::kRead, *expires).ok());
    EXPECT_EQ(ReadTokens(Path())->back().expires, *expires);
  }
  for (const char* bad :
       {"90", "d", "0d", "-1d", "1.5d", "90 days", "9999999999d", "2027-02-30", "soon", "2027"}) {
    const absl::Status status = ParseExpiry(bad, now).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr("expected days (90d)")) << bad;
  }
  EXPECT_THAT(std::string(ParseExpiry("2027-01-14", now).status().message()), HasSubstr("has passed"));
}

TEST_F(TokenFileTest, OneTokenAName) {
  ASSERT_TRUE(AddToken(data_, "ci", Role::kRun).ok());
  EXPECT_EQ(AddToken(data_, "ci", Role::kRead).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(RevokeToken(data_, "ci").ok());
  EXPECT_TRUE(absl::IsNotFound(RevokeToken(data_, "ci")));
  EXPECT_TRUE(std::filesystem::exists(Path()));
  EXPECT_TRUE(ReadTokens(Path())->empty());
}

TEST_F(TokenFileTest, RefusesNamesThatWouldSpoilTheFile) {
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("a\nroot admin x"), std::string("é"),
        std::string("../x"), std::string(65, 'a'), std::string("a\0b", 3)}) {
    EXPECT_TRUE(absl::IsInvalidArgument(AddToken(data_, name, Role::kRun).status())) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(Path()));
}

TEST_F(TokenFileTest, TakesNoFileThatOthersMayRead) {
  ASSERT_TRUE(AddToken(data_, "ci", Role::kRun).ok());
  ASSERT_EQ(chmod(Path().c_str(), 0640), 0);
  const absl::Status status = ReadTokens(Path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("chmod 600"));
}

TEST_F(TokenFileTest, NamesTheDamagedLine) {
  const std::string good =
      absl::StrCat("ci run 2026-01-01T00:00:00Z ", std::string(32, 'a'), " ", std::string(64, 'b'));
  for (const std::string& bad : {std::string("x"), good + " more", absl::StrCat("ci root ", good.substr(7)),
                                 good.substr(0, good.size() - 1), std::string(1, '\0'),
                                 absl::StrCat(good.substr(0, good.size() - 1), "g")}) {
    Write(absl::StrCat(good, "\n", bad, "\n"));
    const absl::Status status = ReadTokens(Path()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr("tokens:2: not a token"));
  }
}

TEST_F(TokenFileTest, ReadsAFileOfAtMost16MiB) {
  Write("");
  EXPECT_TRUE(ReadTokens(Path()).ok());
  const auto largest = std::uintmax_t{16} << 20;
  std::filesystem::resize_file(Path(), largest);
  EXPECT_EQ(ReadTokens(Path()).status().code(), absl::StatusCode::kDataLoss) << "it was read";
  std::filesystem::resize_file(Path(), largest + 1);
  EXPECT_THAT(std::string(ReadTokens(Path()).status().message()), HasSubstr("not a file of tokens"));
  std::filesystem::remove(Path());
  std::filesystem::create_directory(Path());
  ASSERT_EQ(chmod(Path().c_str(), 0700), 0);
  EXPECT_THAT(std::string(ReadTokens(Path()).status().message()), HasSubstr("not a file of tokens"));
}

TEST_F(TokenFileTest, FollowsNoLink) {
  const std::string target = data_ + "/elsewhere";
  std::ofstream(target) << "";
  std::filesystem::create_symlink(target, Path());
  EXPECT_FALSE(ReadTokens(Path()).ok());
  EXPECT_FALSE(AddToken(data_, "ci", Role::kRun).ok());
}

TEST_F(TokenFileTest, ManyAtOnceLoseNone) {
  constexpr size_t kThreads = 8;
  std::vector<std::thread> threads(kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    threads[i] =
        std::thread([this, i] { EXPECT_TRUE(AddToken(data_, absl::StrCat("t", i), Role::kRead).ok()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ReadTokens(Path())->size(), kThreads);
}

}  // namespace
}  // namespace diopi::server
