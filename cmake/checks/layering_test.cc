#include "cmake/checks/layering.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "build_paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace diopi::checks {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ReadText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(ParseRulesTest, NamesTheLineItCannotRead) {
  const auto rules = ParseRules("# comment\nfolder a: b\nnonsense\n");
  ASSERT_FALSE(rules.ok());
  EXPECT_THAT(std::string(rules.status().message()), HasSubstr("line 3"));
}

TEST(CheckFileTest, FindsEachKindOfViolation) {
  const auto rules =
      ParseRules("folder proto:\nfolder cases: proto\nfolder server/store: proto\nonly hdf5: store\n");
  ASSERT_TRUE(rules.ok());
  struct Row {
    const char* path;
    const char* line;
    const char* expected;  // empty: allowed
  };
  const Row rows[] = {
      {"cases/core/a.cc", "#include \"proto/abi/abi.h\"", ""},
      {"cases/core/a.cc", "#include \"cases/core/b.h\"", ""},
      {"cases/core/a.cc", "#include \"diopi/v1/case.pb.h\"", ""},
      {"cases/core/a.cc", "#include <vector>", ""},
      {"proto/a.cc", "#include \"cases/core/b.h\"", "proto/a.cc:1: includes cases/core/b.h"},
      {"server/store/a.cc", "#  include \"cases/core/b.h\"", "server/store may use only: proto"},
      {"cases/a.cc", "#include <hdf5.h>", "confined to: store"},
      {"store/a.cc", "#include <hdf5.h>", ""},
  };
  for (const Row& row : rows) {
    const auto problems = CheckFile(*rules, row.path, row.line);
    if (*row.expected == '\0') {
      EXPECT_THAT(problems, IsEmpty()) << row.path << " " << row.line;
    } else {
      EXPECT_THAT(problems, ElementsAre(HasSubstr(row.expected))) << row.path << " " << row.line;
    }
  }
}

TEST(FolderGraphTest, FindsCirclesOfAnyDepth) {
  FolderGraph graph;
  graph.Add("a/one/x.cc", "#include \"a/two/y.h\"\n#include \"a/one/z.h\"\n#include <vector>");
  graph.Add("a/two/y.h", "#include \"b/three/deep/w.h\"");
  graph.Add("b/three/deep/w.h", "#include \"diopi/v1/case.pb.h\"");
  EXPECT_THAT(graph.Circles(), IsEmpty());
  // Not from b/three/deep, but from the folder that holds it.
  graph.Add("b/three/v.cc", "#include \"a/one/x.h\"");
  EXPECT_THAT(graph.Circles(), ElementsAre(HasSubstr("a/one -> a/two -> b/three -> a/one\n"
                                                     "  a/one/x.cc includes a/two/y.h\n")));
}

// A file of bugs may stand beside the operators that must not know of bugs.
TEST(PlacedTest, AFileMayCountToAnotherFolder) {
  const auto rules = ParseRules("folder ops: proto\nfolder bugs: ops\nas bugs: ops/*_bugs.cc\n");
  ASSERT_TRUE(rules.ok()) << rules.status();
  const char* includes = "#include \"bugs/support.h\"\n#include \"ops/one/x.h\"\n";
  EXPECT_THAT(CheckFile(*rules, "ops/one/x_bugs.cc", includes), IsEmpty());
  EXPECT_THAT(CheckFile(*rules, "ops/one/x.cc", includes), ElementsAre(HasSubstr("ops may use only: proto")));
  EXPECT_THAT(CheckFile(*rules, "other/x_bugs.cc", includes), IsEmpty());  // no rule is about it
  FolderGraph graph(*rules);
  graph.Add("bugs/all/support.h", "#include \"ops/one/x.h\"");
  graph.Add("ops/one/x_bugs.cc", "#include \"bugs/all/support.h\"");
  EXPECT_THAT(graph.Circles(), IsEmpty());
  graph.Add("ops/one/x.cc", "#include \"bugs/all/support.h\"");
  EXPECT_THAT(graph.Circles(), ElementsAre(HasSubstr("bugs/all -> ops/one -> bugs/all")));
}

TEST(FolderGraphTest, FirstLevelMayBeMixed) {
  FolderGraph graph;
  graph.Add("server/http/x.cc", "#include \"reports/model/y.h\"");
  graph.Add("reports/model/y.cc", "#include \"server/store/z.h\"");
  EXPECT_THAT(graph.Circles(), IsEmpty());
}

TEST(ProjectTest, EverySourceFollowsTheRules) {
  const fs::path root = DIOPI_SOURCE_DIR;
  const auto rules = ParseRules(ReadText(root / "cmake/checks/layering.txt"));
  ASSERT_TRUE(rules.ok()) << rules.status();
  const std::set<std::string> kinds = {".h", ".cc", ".cu", ".cuh", ".c"};
  FolderGraph graph(*rules);
  int files = 0;
  for (const char* folder :
       {"proto", "cases", "impl_loader", "baselines", "server", "reports", "client", "cmake", "docker"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || kinds.count(entry.path().extension()) == 0) continue;
      ++files;
      const std::string relative = fs::relative(entry.path(), root).string();
      const std::string text = ReadText(entry.path());
      EXPECT_THAT(CheckFile(*rules, relative, text), IsEmpty());
      graph.Add(relative, text);
    }
  }
  EXPECT_GT(files, 20);
  EXPECT_THAT(graph.Circles(), IsEmpty());
}

}  // namespace
}  // namespace diopi::checks
