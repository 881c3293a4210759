#include "reports/document/recorded.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "absl/strings/ascii.h"
#include "reports/document/catalogue.h"

namespace diopi::reports {
namespace {

TEST(Recorded, SentencesAreTakenApart) {
  const struct {
    const char* english;
    const char* chinese;
  } rows[] = {
      {"", ""},
      {"functions add; dtypes float16 of suite core; shard 1 of 4",
       "函数 add；用例集 core 的数据类型 float16；第 1 个分片，共 4 个"},
      {"aborted after 305 of 841 cases: no agent has worked on it for more than 3h; --resume continues it",
       "已中止：841 个用例中完成 305 个：no agent has worked on it for more than 3h；可用 --resume 继续"},
      {"conv2d: layout NHWC", "conv2d：内存布局 NHWC"},
      {"all operators: dtype (int64)->int32", "全部算子：数据类型 (int64)->int32"},
      // A list is translated as a whole or not at all.
      {"default: network, exec; could not drop: capabilities",
       "default：已去除 网络、执行程序；未能去除：特权能力"},
      {"default: network, a thing of tomorrow", "default: network, a thing of tomorrow"},
      // Others' words stay, whatever they are.
      {"the library cannot be loaded: no such file; try $0", "算子库无法加载：no such file；try $0"},
      {"Kernel launch failed: too many resources requested",
       "Kernel launch failed: too many resources requested"},
      {"out: 3 of 7 elements differ", "out: 3 of 7 elements differ"},  // of an agent up to 0.9
  };
  for (const auto& [english, chinese] : rows) EXPECT_EQ(RecordedInChinese(english), chinese);
}

// A sentence of the catalogue fits its own entry, or one before it that says the same with other values.
TEST(Recorded, EveryEntryIsReached) {
  std::set<std::string> seen;
  for (const auto& [english, chinese] : ReadCatalogue(RecordedCatalogue())) {
    EXPECT_TRUE(seen.insert(english).second) << "twice: " << english;
    EXPECT_NE(chinese, "") << english;
    for (size_t i = 0; i + 1 < chinese.size(); ++i) {
      if ((chinese[i] == '$' || chinese[i] == '@') && absl::ascii_isdigit(chinese[i + 1])) {
        EXPECT_NE(english.find(chinese.substr(i, 2)), std::string::npos) << english;
      }
    }
    // With something that fits in every place.
    std::string sentence;
    for (size_t i = 0; i < english.size(); ++i) {
      const bool name = (english[i] == '$' || english[i] == '@') && i + 1 < english.size() &&
                        absl::ascii_isdigit(english[i + 1]);
      sentence += name ? english[i] == '@' ? "incomplete" : "7" : std::string(1, english[i]);
      if (name) ++i;
    }
    EXPECT_NE(RecordedInChinese(sentence), sentence) << english;
  }
  EXPECT_GT(seen.size(), 50U);
}

}  // namespace
}  // namespace diopi::reports
