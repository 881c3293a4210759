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
      {"the sign is wrong", "符号错误"},
      {"out: 1 of 1 element differs", "out：1 个元素中 1 个不同"},
      {"out: N of N elements differ", "out：N 个元素中 N 个不同"},
      {"out: 3 of 7 elements differ, first at [0, 4]: got 0, expected 0.5 exactly; the last 3 elements, "
       "after the "
       "last full vector of 4",
       "out：7 个元素中 3 个不同，首个在 [0, 4]：得到 0，应恰为 0.5；是最后 3 个元素，在最后一个完整的 4 "
       "元素向量之后"},
      {"consistent with alpha taken as 1, or with beta ignored", "符合：把 alpha 当作 1，或忽略了 beta"},
      {"consistent with bias ignored, or with float32 operands cut to TF32; declare tf32 if the device "
       "computes so, or with alpha ignored, or with beta ignored",
       "符合：忽略了 bias，或float32 操作数截断到 TF32；如果设备确实如此计算，请声明 "
       "tf32，或忽略了 alpha，或忽略了 beta"},
      {"functions add; dtypes float16 of suite core; shard 1 of 4",
       "函数 add；用例集 core 的数据类型 float16；第 1 个分片，共 4 个"},
      {"aborted after 305 of 841 cases: no agent has worked on it for more than 3h; --resume continues it",
       "已中止：841 个用例中完成 305 个：no agent has worked on it for more than 3h；可用 --resume 继续"},
      {"the result depends on the memory around input: the function reads outside of it (2 of 9 elements of "
       "out differ "
       "between two equal calls, the first at 1 when only the bytes beside the inputs do)",
       "结果取决于 input 周围的内存：函数读取了它以外的内存（仅当输入旁边的字节改变时，out 的 9 个元素中 2 "
       "个在两次相同的调用之间不同，首个在 "
       "1）"},
      // Of an output's statistics, without its name.
      {"85 of 90 elements differ, first at [0, 1]: got 0.5, expected 0.25 (tolerance 1.5e-03, off by "
       "2.5e-01)",
       "90 个元素中 85 个不同，首个在 [0, 1]：得到 0.5，应为 0.25（容差 1.5e-03，相差 2.5e-01）"},
      {"8 of 9 elements differ, first at [0]: got inf, expected -inf; the whole output is inf",
       "9 个元素中 8 个不同，首个在 [0]：得到 inf，应为 -inf；整个输出都是 inf"},
      {"out: 2 of 9 elements differ, first at [0]: got 1, expected 2 (tolerance 1.0e-03, off by 1.0e+00; "
       "the device reference is off by 1.0e-04); every element that differs holds the value of its place "
       "with the last two dimensions exchanged",
       "out：9 个元素中 2 个不同，首个在 [0]：得到 1，应为 2（容差 1.0e-03，相差 1.0e+00；设备参考实现相差 "
       "1.0e-04）；不同的元素都是最后两维交换后该位置的值"},
      {"out: dtype float64, expected float32", "out：数据类型为 float64，应为 float32"},
      {"consistent with TF32 products; declare tf32 if the device computes so: out: 1 of 1 element differs",
       "符合：TF32 乘积；如果设备确实如此计算，请声明 tf32：out：1 个元素中 1 个不同"},
      // Of a group of failures; one that was too long ends between clauses.
      {"N bytes written outside a tensor (N bytes)", "在张量（N 字节）之外写入了 N 字节"},
      {"SIGSEGV in the function", "函数中的 SIGSEGV"},
      {"the sign is wrong; ...", "符号错误；……"},
      {"exception std::runtime_error: on fire", "异常 std::runtime_error: on fire"},
      // A list is translated as a whole or not at all.
      {"default: network, exec; could not drop: capabilities",
       "default：已去除 网络、执行程序；未能去除：特权能力"},
      {"default: network, a thing of tomorrow", "default: network, a thing of tomorrow"},
      // Others' words stay, whatever they are.
      {"diopiAdd returned error: out of memory; try $0", "diopiAdd 返回 error：out of memory；try $0"},
      {"Kernel launch failed: too many resources requested",
       "Kernel launch failed: too many resources requested"},
      {"consistent with something new", "consistent with something new"},
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
  EXPECT_GT(seen.size(), 200U);
}

}  // namespace
}  // namespace diopi::reports
