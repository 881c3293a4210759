#include "reports/model/workers_word.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "build_paths.h"
#include "reports/document/recorded.h"

namespace diopi::reports {
namespace {

v1::RunOptions RunWith(const std::string& sandbox) {
  v1::RunOptions options;
  options.set_sandbox(sandbox);
  return options;
}

const char kHost[] = "default: namespaces, files; memory is checked by the agent too";
const char kDevice[] = "default: namespaces; tensors are on a device: memory is checked by the worker alone";

TEST(WorkersWord, SaysWhatTheAgentDoesNotSee) {
  EXPECT_EQ(WorkersWord(RunWith(kHost)),
            "leaks, results that differ from call to call, checks of the library as a whole, times: the "
            "library can "
            "answer for the worker, and the agent observes all else itself");
  EXPECT_EQ(
      WorkersWord(RunWith(kDevice)),
      "outputs, writes out of bounds, changed inputs, unwritten elements, whether the adaptor can convert a "
      "case, leaks, results that differ from call to call, checks of the library as a whole, times: the "
      "library "
      "can answer for the worker, and the agent cannot see its device");
  EXPECT_EQ(WorkersWord(RunWith("")), "");
}

TEST(WorkersWord, IsTranslated) {
  for (const char* sandbox : {kHost, kDevice}) {
    const std::string chinese = RecordedInChinese(WorkersWord(RunWith(sandbox)));
    EXPECT_FALSE(absl::StrContains(chinese, "worker")) << chinese;
  }
}

TEST(WorkersWord, IsDocumented) {
  std::ostringstream text;
  text << std::ifstream(std::string(DIOPI_SOURCE_DIR) + "/docs/untrusted-libraries.md").rdbuf();
  const std::vector<std::string> parts = absl::StrSplit(text.str(), "\n## What rests on the worker's word\n");
  ASSERT_EQ(parts.size(), 2U);
  std::vector<std::string> rows;
  for (const absl::string_view line : absl::StrSplit(parts[1], '\n')) {
    if (absl::StartsWith(line, "## ")) break;
    if (absl::StartsWith(line, "| ")) rows.emplace_back(line);
  }
  std::vector<std::string> expected = {"| fact | tensors in host memory | tensors on a device |"};
  for (const ObservedFact& fact : ObservedFacts()) {
    expected.push_back(absl::StrCat("| ", fact.name, " | ", fact.on_host ? "the agent" : "the worker", " | ",
                                    fact.on_device ? "the agent" : "the worker", " |"));
  }
  EXPECT_EQ(rows, expected);
}

}  // namespace
}  // namespace diopi::reports
