#include "reports/model/answer.h"

#include <gtest/gtest.h>

namespace diopi::reports {
namespace {

TEST(Resolve, ExactPrefixGlobAndNothing) {
  const std::vector<std::string> known = {"add.float16.n1", "add.float32.n1", "add.float32.n17",
                                          "relu.float32.n1"};
  struct Row {
    const char* given;
    const char* found;  // or the error's text
    bool ok;
  };
  const Row rows[] = {
      {"add.float32.n1", "add.float32.n1", true},  // also the start of another
      {"add.float16", "add.float16.n1", true},
      {"relu", "relu.float32.n1", true},
      {"*.n17", "add.float32.n17", true},
      {"add.float32", "'add.float32' is 2 cases: add.float32.n1, add.float32.n17", false},
      {"add*", "'add*' is 3 cases: add.float16.n1, add.float32.n1, add.float32.n17", false},
      {"ad.float32.n17", "no case 'ad.float32.n17'; nearest: add.float32.n17", false},
      {"zzz*", "no case 'zzz*'", false},
      {"", "no case ''", false},
  };
  for (const Row& row : rows) {
    const absl::StatusOr<std::string> found = Resolve("case", row.given, known);
    ASSERT_EQ(found.ok(), row.ok) << row.given;
    if (row.ok) {
      EXPECT_EQ(*found, row.found);
    } else {
      EXPECT_EQ(found.status().message().find(row.found), 0u) << found.status();
    }
  }
}

}  // namespace
}  // namespace diopi::reports
