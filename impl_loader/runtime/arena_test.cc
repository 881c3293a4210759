#include "impl_loader/runtime/arena.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace diopi::runtime {
namespace {

TEST(Arena, BuffersAreAlignedApartAndGuarded) {
  Arena arena;
  std::byte* last = nullptr;
  for (const size_t bytes : {0, 1, 64, 1000, 5}) {
    const Buffer buffer = arena.Allocate(bytes);
    ASSERT_NE(buffer.data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data) % 64, 0u);
    EXPECT_EQ(buffer.mirror, buffer.data);
    EXPECT_GE(buffer.tail, kCanaryBytes);
    if (last != nullptr) {
      EXPECT_GE(buffer.data - last, static_cast<ptrdiff_t>(2 * kCanaryBytes));
    }
    last = buffer.data + bytes;
    WriteCanaries(buffer);
    if (bytes > 0) std::memset(buffer.data, 0xEE, bytes);
    EXPECT_EQ(CheckCanaries(buffer).count, 0);
  }
}

TEST(Arena, EveryByteOutsideIsWatched) {
  Arena arena;
  const Buffer buffer = arena.Allocate(10);
  const int64_t offsets[] = {-256, -1, 10, 11, 265};
  for (const int64_t offset : offsets) {
    WriteCanaries(buffer);
    buffer.data[offset] ^= std::byte{1};
    const CanaryDamage damage = CheckCanaries(buffer);
    EXPECT_EQ(damage.first, offset);
    EXPECT_EQ(damage.count, 1);
  }
}

TEST(Arena, RewindGivesTheSameMemoryAgainAbandonDoesNot) {
  Arena arena;
  const Buffer first = arena.Allocate(100);
  const Arena::Mark mark = arena.mark();
  const Buffer second = arena.Allocate(100);
  arena.Rewind(mark);
  EXPECT_EQ(arena.Allocate(100).data, second.data);
  arena.Rewind({});
  EXPECT_EQ(arena.Allocate(100).data, first.data);
  arena.Abandon();
  EXPECT_NE(arena.Allocate(100).data, first.data);
  std::memset(first.data, 0, first.bytes);  // still there
}

TEST(Arena, BorrowedMemoryComesFirstAndIsNeverItsOwn) {
  alignas(64) static std::byte memory[4096];
  Arena arena;
  const Buffer own = arena.Allocate(100);
  arena.Rewind({});
  for (int round = 0; round < 2; ++round) {
    arena.Borrow(memory, sizeof(memory));
    EXPECT_EQ(arena.Allocate(100).data, memory + kCanaryBytes);
    const Arena::Mark mark = arena.mark();
    EXPECT_EQ(arena.Allocate(5000).data, own.data) << "what does not fit goes elsewhere";
    arena.Rewind(mark);
    EXPECT_EQ(arena.mark().used, mark.used);
    arena.EndLoan();
    arena.Rewind({});
  }
  EXPECT_EQ(arena.Allocate(100).data, own.data);
}

TEST(Arena, ManySizesAndManyBlocks) {
  Arena arena;
  for (int round = 0; round < 3; ++round) {
    for (const size_t mib : {1, 20, 3, 40, 15, 100}) {
      const Buffer buffer = arena.Allocate(mib << 20);
      ASSERT_NE(buffer.data, nullptr);
      WriteCanaries(buffer);
      buffer.data[0] = buffer.data[buffer.bytes - 1] = std::byte{7};
      EXPECT_EQ(CheckCanaries(buffer).count, 0);
    }
    arena.Rewind({});
  }
  EXPECT_EQ(arena.Allocate(size_t{1} << 62).data, nullptr);
}

// The sizes that the device's malloc was asked for.
std::vector<uint64_t>& Asked() {
  static std::vector<uint64_t> sizes;
  return sizes;
}
int& Live() {
  static int live = 0;
  return live;
}

TEST(Arena, AnExactOneAsksForEachBufferAtItsSize) {
  DeviceFunctions functions;
  functions.memory_malloc = [](uint64_t bytes) -> void* {
    Asked().push_back(bytes);
    ++Live();
    return std::malloc(bytes);
  };
  functions.memory_free = [](void* pointer) {
    --Live();
    std::free(pointer);
  };
  Arena mirrors;
  {
    Arena arena(functions, &mirrors, /*exact=*/true);
    const Buffer first = arena.Allocate(10);
    EXPECT_TRUE(first.on_device);
    EXPECT_EQ(first.zone_bytes(), 10u);
    EXPECT_EQ(first.zone(), first.data);
    WriteCanaries(first);
    EXPECT_EQ(CheckCanaries(first).count, 0);
    const Arena::Mark mark = arena.mark();
    EXPECT_NE(arena.Allocate(0).data, nullptr);
    EXPECT_NE(arena.Allocate(1000).data, nullptr);
    EXPECT_EQ(Asked(), (std::vector<uint64_t>{10, 1, 1000}));
    EXPECT_EQ(Live(), 3);
    arena.Rewind(mark);
    EXPECT_EQ(Live(), 1);
    EXPECT_NE(arena.Allocate(7).data, nullptr);
    arena.Rewind({});
    EXPECT_EQ(Live(), 0);
    EXPECT_NE(arena.Allocate(8).data, nullptr);
  }
  EXPECT_EQ(Live(), 0);
}

TEST(ArenaDeathTest, TheEndsAreInaccessible) {
  Arena arena;
  const Buffer buffer = arena.Allocate(16 << 20);  // a block of its own
  EXPECT_DEATH(buffer.data[buffer.bytes + buffer.tail + 4096] = std::byte{1}, "");
  EXPECT_DEATH(*(buffer.data - kCanaryBytes - 1) = std::byte{1}, "");
}

}  // namespace
}  // namespace diopi::runtime
