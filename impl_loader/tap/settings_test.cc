#include "impl_loader/tap/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace diopi::tap {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StrEq;

class SettingsTest : public ::testing::Test {
 protected:
  Settings Read(const std::string& text) {
    const std::string path = ::testing::TempDir() + "/tap.config";
    std::ofstream(path) << text;
    setenv("DIOPI_TAP_CONFIG", path.c_str(), 1);
    return Settings::Read(&problems_);
  }
  void TearDown() override {
    unsetenv("DIOPI_TAP_CONFIG");
    unsetenv("TAP_TEST_A");
  }
  std::vector<std::string> problems_;
};

TEST_F(SettingsTest, ReadsLinesAndLetsTheEnvironmentWin) {
  const Settings settings = Read("# comment\n\n TAP_TEST_A = from file \nTAP_TEST_B=b=c\nTAP_TEST_C=\n");
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_THAT(settings.Find("TAP_TEST_A"), StrEq("from file"));
  EXPECT_THAT(settings.Find("TAP_TEST_B"), StrEq("b=c"));
  EXPECT_EQ(settings.Find("TAP_TEST_C"), nullptr);
  EXPECT_EQ(settings.Find("TAP_TEST_D"), nullptr);
  setenv("TAP_TEST_A", "from environment", 1);
  EXPECT_THAT(settings.Find("TAP_TEST_A"), StrEq("from environment"));
}

TEST_F(SettingsTest, NamesTheBadLineAndKeepsTheOthers) {
  const Settings settings = Read("TAP_TEST_A=1\nOP_CAPTURE_LIST add\n=x\n");
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("tap.config:2: 'OP_CAPTURE_LIST add' is not a setting"),
                                     HasSubstr("tap.config:3: ")));
  EXPECT_THAT(settings.Find("TAP_TEST_A"), StrEq("1"));
}

TEST_F(SettingsTest, SaysWhichFileIsMissing) {
  setenv("DIOPI_TAP_CONFIG", "/no/such/file", 1);
  Settings::Read(&problems_);
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("/no/such/file (DIOPI_TAP_CONFIG) cannot be read")));
}

}  // namespace
}  // namespace diopi::tap
