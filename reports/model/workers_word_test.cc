#include "reports/model/workers_word.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "build_paths.h"
#include "cases/findings/finding_text.h"

namespace diopi::reports {
namespace {

std::string Said(v1::Finding::Code memory, FindingLanguage language) {
  v1::RunOptions options;
  options.mutable_sandboxed()->add_parts()->set_code(memory);
  return FindingText(WorkersWord(options), language);
}

TEST(WorkersWord, SaysWhatTheAgentDoesNotSee) {
  EXPECT_EQ(Said(v1::Finding::MEMORY_SEEN, FindingLanguage::kEnglish),
            "leaks, results that differ from call to call, checks of the library as a whole, times: the "
            "library can answer for the worker, and the agent observes all else itself");
  EXPECT_EQ(
      Said(v1::Finding::MEMORY_UNSEEN, FindingLanguage::kEnglish),
      "outputs, writes out of bounds, changed inputs, unwritten elements, whether the adaptor can convert a "
      "case, leaks, results that differ from call to call, checks of the library as a whole, times: the "
      "library can answer for the worker, and the agent cannot see its device");
  EXPECT_EQ(Said(v1::Finding::SANDBOX, FindingLanguage::kEnglish), "");
  EXPECT_EQ(Said(v1::Finding::MEMORY_UNSEEN, FindingLanguage::kChinese),
            "输出、越界写入、被改动的输入、未写入的元素、适配器能否转换用例、内存泄漏、多次调用结果不一致、"
            "对整个算子库的检查、时间：算子库可以代替工作进程作答，而代理看不到其设备");
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
