// Hands every file of a fuzz target's regression corpus to the target (diopi_fuzz in cmake): what a
// fuzzer found once stays found, also where there is no libFuzzer. A finding ends the program.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

TEST(CorpusTest, EveryInputIsSurvived) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DIOPI_CORPUS)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    ASSERT_TRUE(in) << entry.path();
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), 0);
    ++count;
  }
  EXPECT_GT(count, 0u) << DIOPI_CORPUS << " is empty";
}

// The two that every parser forgets.
TEST(CorpusTest, NothingAndOneByte) {
  const uint8_t zero = 0;
  EXPECT_EQ(LLVMFuzzerTestOneInput(&zero, 0), 0);
  EXPECT_EQ(LLVMFuzzerTestOneInput(&zero, 1), 0);
}

}  // namespace
