#include "impl_loader/caller/checks.h"

#include <gtest/gtest.h>

namespace diopi::loader {
namespace {

TEST(CompareRuns, TellsUnwrittenFromDifferent) {
  struct Row {
    std::string a, b;
    bool poisoned;
    int64_t unwritten, first_unwritten, different, first_different;
  };
  const Row rows[] = {
      {"aabb", "aabb", true, 0, -1, 0, -1},
      {"aa\xA5\xA5", "aa\x5A\x5A", true, 1, 1, 0, -1},
      {"aa\xA5\xA5", "aa\xA5\xA5", true, 0, -1, 0, -1},  // a value that equals one poison was written
      {"aa\xA5"
       "b",
       "aa\x5A"
       "b",
       true, 1, 1, 0, -1},  // half an element unwritten
      {"aa\xA5"
       "b",
       "aa\x5A"
       "c",
       true, 0, -1, 1, 1},
      {"aabb", "aacc", true, 0, -1, 1, 1},
      {"\xA5\xA5"
       "bb",
       "\x5A\x5A"
       "cc",
       true, 1, 0, 1, 1},
      {"aa\xA5\xA5", "aa\x5A\x5A", false, 0, -1, 1, 1},  // no poison was there
      {"", "", true, 0, -1, 0, -1},
  };
  for (const Row& row : rows) {
    const RunDifference d = CompareRuns(row.a, row.b, 2, row.poisoned, 0xA5, 0x5A);
    EXPECT_EQ(d.unwritten, row.unwritten) << row.a;
    EXPECT_EQ(d.first_unwritten, row.first_unwritten) << row.a;
    EXPECT_EQ(d.different, row.different) << row.a;
    EXPECT_EQ(d.first_different, row.first_different) << row.a;
  }
}

TEST(Findings, KeepsTheFirstOfEachKindAndKey) {
  Findings findings;
  findings.Add(v1::MemoryFinding::UNWRITTEN, "out", 1, 2, "first");
  findings.Add(v1::MemoryFinding::UNWRITTEN, "out", 3, 4, "second");
  findings.Add(v1::MemoryFinding::OUT_OF_BOUNDS, "out", 3, 4, "other kind");
  ASSERT_EQ(findings.list().size(), 2u);
  EXPECT_EQ(findings.list()[0].text(), "first");
  EXPECT_EQ(findings.list()[1].text(), "other kind");
}

}  // namespace
}  // namespace diopi::loader
