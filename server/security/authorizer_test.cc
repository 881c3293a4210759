#include "server/security/authorizer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cases/base/test_folder.h"
#include "server/security/token_file.h"

namespace diopi::server {
namespace {

using Code = absl::StatusCode;

class AuthorizerTest : public testing::Test {
 protected:
  std::string Add(const std::string& name, Role role) const {
    const auto token = AddToken(data_, name, role);
    EXPECT_TRUE(token.ok()) << token.status();
    return token.ok() ? *token : "";
  }

  const TestFolder folder_;
  const std::string data_ = folder_.path();
};

TEST_F(AuthorizerTest, AsksForNoTokenUntilThereIsOne) {
  const auto authorizer = Authorizer::FromTokens(data_, false);
  EXPECT_EQ(authorizer->Check("", Role::kAdmin)->name, "anyone");
  const std::string token = Add("ci", Role::kRun);
  EXPECT_EQ(authorizer->Check("", Role::kRead).status().code(), Code::kUnauthenticated);
  EXPECT_EQ(authorizer->Check("diopi_no", Role::kRead).status().code(), Code::kUnauthenticated);
  EXPECT_EQ(authorizer->Check(token, Role::kRun)->name, "ci");
}

TEST_F(AuthorizerTest, ARoleIncludesTheOnesBeforeIt) {
  const auto authorizer = Authorizer::FromTokens(data_, true);
  EXPECT_EQ(authorizer->Check("", Role::kRead).status().code(), Code::kUnauthenticated);
  const std::vector<Role> roles = {Role::kRead, Role::kRun, Role::kAdmin};
  for (const Role has : roles) {
    const std::string token = Add(RoleWord(has), has);
    for (const Role needs : roles) {
      const auto identity = authorizer->Check(token, needs);
      EXPECT_EQ(identity.status().code(), has >= needs ? Code::kOk : Code::kPermissionDenied)
          << RoleWord(has) << " " << RoleWord(needs);
    }
  }
}

TEST_F(AuthorizerTest, ARevokedTokenIsRefusedAtOnceAndTheServerStaysClosed) {
  const std::string token = Add("ci", Role::kRun);
  const auto authorizer = Authorizer::FromTokens(data_, false);
  EXPECT_TRUE(authorizer->Check(token, Role::kRun).ok());
  ASSERT_TRUE(RevokeToken(data_, "ci").ok());
  EXPECT_EQ(authorizer->Check(token, Role::kRun).status().code(), Code::kUnauthenticated);
  std::filesystem::remove(TokenPath(data_));
  EXPECT_EQ(authorizer->Check("", Role::kRead).status().code(), Code::kUnauthenticated);
  // Another process sees the empty file, too.
  Add("x", Role::kRun);
  ASSERT_TRUE(RevokeToken(data_, "x").ok());
  EXPECT_FALSE(Authorizer::FromTokens(data_, false)->Check("", Role::kRead).ok());
}

TEST_F(AuthorizerTest, AnExpiredTokenIsRefusedByName) {
  const auto authorizer = Authorizer::FromTokens(data_, false);
  const auto valid = AddToken(data_, "valid", Role::kRun, absl::Now() + absl::Hours(1));
  const auto expired = AddToken(data_, "expired", Role::kRun, absl::Now() - absl::Hours(1));
  ASSERT_TRUE(valid.ok() && expired.ok()) << valid.status() << expired.status();
  EXPECT_EQ(authorizer->Check(*valid, Role::kRun)->name, "valid");
  const absl::Status refused = authorizer->Check(*expired, Role::kRead).status();
  EXPECT_EQ(refused.code(), Code::kUnauthenticated);
  EXPECT_NE(refused.message().find("the token of 'expired' expired on 2"), std::string::npos) << refused;
  EXPECT_EQ(RefusedToken(refused), "expired");
  EXPECT_EQ(RefusedToken(authorizer->Check(*valid, Role::kAdmin).status()), "valid");
  EXPECT_EQ(RefusedToken(authorizer->Check("diopi_no", Role::kRead).status()), "");
}

TEST_F(AuthorizerTest, ATokenEndsAtItsTime) {
  const auto authorizer = Authorizer::FromTokens(data_, false);
  const absl::Time now = absl::Now();
  const std::pair<absl::Duration, bool> rows[] = {
      {-absl::Hours(24), false},     {-absl::Minutes(1), false}, {-absl::Seconds(1), false},
      {absl::ZeroDuration(), false}, {absl::Hours(1), true},     {absl::Hours(24), true},
  };
  for (const auto& [left, accepted] : rows) {
    const auto token = AddToken(data_, absl::StrCat("t", absl::ToInt64Seconds(left)), Role::kRun, now + left);
    ASSERT_TRUE(token.ok()) << token.status();
    EXPECT_EQ(authorizer->Check(*token, Role::kRun).ok(), accepted) << left;
  }
}

TEST_F(AuthorizerTest, AFileThatCannotBeReadLetsNobodyIn) {
  const std::string token = Add("ci", Role::kRun);
  const auto authorizer = Authorizer::FromTokens(data_, false);
  const std::string path = TokenPath(data_);
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(authorizer->Check(token, Role::kRead).status().code(), Code::kFailedPrecondition);
  EXPECT_FALSE(Authorizer::FromTokens(data_, false)->Check("", Role::kRead).ok());
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_TRUE(authorizer->Check(token, Role::kRead).ok());
  std::ofstream(path, std::ios::app) << "garbage\n";
  EXPECT_EQ(authorizer->Check(token, Role::kRead).status().code(), Code::kDataLoss);
}

TEST(BearerTokenTest, Parses) {
  EXPECT_EQ(BearerToken("Bearer abc"), "abc");
  EXPECT_EQ(BearerToken("bearer abc"), "abc");
  for (const char* bad : {"", "Bearer", "Bearer ", "Basic abc", "abc", "Bearerabc"})
    EXPECT_EQ(BearerToken(bad), "");
}

}  // namespace
}  // namespace diopi::server
