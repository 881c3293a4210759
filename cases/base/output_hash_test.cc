#include "cases/base/output_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cases/base/hash.h"

namespace diopi {
namespace {

std::string Bytes(size_t size) {
  std::string bytes(size, '\0');
  uint64_t state = size + 1;
  for (char& byte : bytes)
    byte = static_cast<char>((state = state * 6364136223846793005U + 1442695040888963407U) >> 56);
  return bytes;
}

TEST(HashOutputTest, SmallOutputsHaveTheUsualHash) {
  for (const size_t size : {size_t{0}, size_t{1}, kHashBlock, kWholeHashBytes}) {
    const std::string bytes = Bytes(size);
    EXPECT_EQ(HashOutput(bytes), Xxh64(bytes)) << size;
  }
}

// Written down once: they are stored with results, and every machine must give the same.
TEST(HashOutputTest, LargeOutputsHaveTheHashOfTheirBlocks) {
  EXPECT_EQ(Hex64(HashOutput(Bytes(kWholeHashBytes + 1))), "8881df52ec57246e");
  EXPECT_EQ(Hex64(HashOutput(Bytes((size_t{5} << 20) + 12345))), "46faa9ce301b8e34");
}

TEST(HashOutputTest, EveryByteAndItsPlaceCount) {
  const std::string bytes = Bytes(size_t{3} << 20);
  const uint64_t hash = HashOutput(bytes);
  for (const size_t at : {size_t{0}, kHashBlock - 1, kHashBlock, bytes.size() / 2, bytes.size() - 1}) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_NE(HashOutput(changed), hash) << at;
  }
  const std::string swapped =
      bytes.substr(kHashBlock, kHashBlock) + bytes.substr(0, kHashBlock) + bytes.substr(2 * kHashBlock);
  EXPECT_NE(HashOutput(swapped), hash);
}

TEST(HashOutputTest, ShowsEveryBlockAfterItsHash) {
  for (const size_t size : {size_t{100}, (size_t{5} << 20) + 12345}) {
    std::string bytes = Bytes(size);
    const uint64_t hash = HashOutput(bytes);
    EXPECT_EQ(
        HashOutput(bytes, [&](size_t begin, size_t count) { std::fill_n(bytes.data() + begin, count, 'x'); }),
        hash);
    EXPECT_EQ(bytes, std::string(size, 'x'));
  }
}

}  // namespace
}  // namespace diopi
