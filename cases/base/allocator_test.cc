#include "cases/base/allocator.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace diopi {
namespace {

int64_t ResidentBytes() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// In blocks that are small enough for the C library to keep them, too.
void AllocateAndFree(int64_t bytes) {
  constexpr size_t kBlock = size_t{1} << 20;
  std::vector<std::string> blocks;
  for (int64_t i = 0; i < bytes; i += kBlock) blocks.emplace_back(kBlock, 'x');
}

TEST(Allocator, ReturnsFreedMemoryToTheSystem) {
#ifndef DIOPI_TCMALLOC
  GTEST_SKIP() << "this build does not use tcmalloc";
#endif
  constexpr int64_t kBytes = int64_t{256} << 20;
  const int64_t before = ResidentBytes();
  AllocateAndFree(kBytes);
  EXPECT_GE(ReturnFreedMemory(kBytes * 2), size_t{kBytes} * 9 / 10);  // not so much that it is returned
  EXPECT_GE(ResidentBytes() - before, kBytes * 9 / 10);
  EXPECT_LE(ReturnFreedMemory(kBytes / 2), size_t{kBytes} / 10);
  EXPECT_LE(ResidentBytes() - before, kBytes / 10);
}

}  // namespace
}  // namespace diopi
