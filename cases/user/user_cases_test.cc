#include "cases/user/user_cases.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cases/user/operator_text.h"

namespace diopi::cases {
namespace {

constexpr char kPoints[] = R"(operator: "%"
family: "elementwise"
function {
  name: "diopiAdd"
  arg { name: "out" broadcast: ["input", "other"] promote: ["input", "other"] }
  judge { kind: MATH }
}
grid {
  dtypes: [float32, int32]
  point {
    label: "LABEL" reveals: "a fault of ours"
    in { name: "input" shape: [SHAPE] } in { name: "other" shape: [7] } attr { name: "alpha" i: 3 }
  }
}
)";

std::string Points(const std::string& name, const std::string& label, const std::string& shape = "5, 7") {
  return absl::StrReplaceAll(kPoints, {{"%", name}, {"LABEL", label}, {"SHAPE", shape}});
}

class UserCasesTest : public ::testing::Test {
 protected:
  UserCasesTest() : folder_(::testing::TempDir() + "user_cases_" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/deep");
  }
  ~UserCasesTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  const std::string folder_;
};

std::vector<std::string> Ids(const Catalog& catalog, const std::string& name) {
  v1::Selection selection;
  selection.add_functions(name);
  const std::vector<v1::Case> cases = catalog.SelectRun(selection).value();
  std::vector<std::string> ids;
  ids.reserve(cases.size());
  for (const v1::Case& c : cases) ids.push_back(c.id());
  return ids;
}

TEST_F(UserCasesTest, AnOperatorOfItsOwnAndMorePointsOfOurs) {
  Write("mine.textproto", Points("my_add", "wide"));
  Write("deep/more.textproto", Points("add", "mine_5x7"));
  Write("notes.txt", "not a case");
  const auto catalog = LoadCatalog(folder_);
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_EQ(Ids(**catalog, "my_add"), (std::vector<std::string>{"my_add.float32.wide", "my_add.int32.wide"}));
  const std::vector<std::string> more = Ids(**catalog, "add");
  const std::vector<std::string> ours = Ids(**LoadCatalog(""), "add");
  EXPECT_EQ(more.size(), ours.size() + 2);
  EXPECT_EQ(std::count(more.begin(), more.end(), "add.int32.mine_5x7"), 1);
  EXPECT_TRUE(std::equal(ours.begin(), ours.end(), more.begin()));
}

TEST_F(UserCasesTest, WhatIsWrongIsToldWithFileAndLine) {
  struct Row {
    std::string text;
    const char* line;
    const char* what;
  };
  const Row rows[] = {
      {Points("add", "n17"), ":10: ", "the case add.float32.n17 already exists, in the built-in suite"},
      {Points("mine", "wide", "5, 6"), ":10: ", "broadcast"},
      {Points("library", "wide"), ":1: ", "no operator may be called library"},
      {Points("mine", "Wide"), ":10: ", "label"},
      {"operator: \"x\"\nfunktion {}\n", ":2:", "funktion"},
      {"operator: \"x\" family: \"y\"\nfunction { name: \"diopiAdds\" }\n", ":2: ", "diopiAdds"},
  };
  for (const Row& row : rows) {
    Write("bad.textproto", row.text);
    Write("good.textproto", Points("good", "wide"));
    const auto read = ReadUserCases(folder_);
    ASSERT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << row.text;
    const std::string message(read.status().message());
    EXPECT_NE(message.find(folder_ + "/bad.textproto" + row.line), std::string::npos) << message;
    EXPECT_NE(message.find(row.what), std::string::npos) << message;
    EXPECT_EQ(message.find("good.textproto"), std::string::npos) << message;
  }
}

TEST_F(UserCasesTest, TwoFilesWithOneIdAndFindingsOfEveryFile) {
  Write("a.textproto", Points("mine", "wide"));
  Write("b.textproto", Points("mine", "wide"));
  Write("c.textproto", Points("sub", "wide", "5, 6"));
  const auto read = ReadUserCases(folder_);
  ASSERT_FALSE(read.ok());
  const std::string message(read.status().message());
  EXPECT_NE(message.find("/b.textproto:10: the case mine.float32.wide already exists, at " + folder_ +
                         "/a.textproto:10"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("/c.textproto:10: "), std::string::npos) << message;
  EXPECT_EQ(message.find("mine.int32.wide"), std::string::npos) << "told once a point: " << message;
}

TEST_F(UserCasesTest, NoFolderAndNoFiles) {
  const auto empty = ReadUserCases(folder_);
  EXPECT_EQ(empty.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(empty.status().message().find("has no *.textproto"), std::string::npos) << empty.status();
  const auto none = ReadUserCases(folder_ + "/none");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(none.status().message().find("is not a folder"), std::string::npos) << none.status();
}

// A point may have arguments that only sibling functions take: conv2d's gradient mask, an in-place form's
// alpha.
TEST(FileOfCaseTest, FindsThePointOfEveryCaseOfTheSuite) {
  const auto catalog = Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const auto cases = (*catalog)->Select({});
  ASSERT_TRUE(cases.ok()) << cases.status();
  std::set<std::string> points;  // of each function, in one dtype
  std::string lost;
  for (const v1::Case& c : *cases) {
    if (!points.insert(absl::StrCat(c.function(), " ", c.label())).second) continue;
    const auto file = FileOfCase(**catalog, c);
    if (!file.ok() || ExpandOne(*file)->hash() != c.hash()) absl::StrAppend(&lost, c.id(), "\n");
  }
  EXPECT_EQ(lost, "");
  EXPECT_GT(points.size(), 2000U);
}

}  // namespace
}  // namespace diopi::cases
