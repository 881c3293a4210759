// Near writes beside a buffer meet canaries, far ones in host memory the inaccessible pages around a block.
// Host and device arenas share the code: a buffer's mirror is the buffer itself or its copy in host memory,
// and all checks read mirrors. Memory of a call that may still be running (Abandon) is reused late and never
// unmapped, because a late write must not crash another case.
#include "impl_loader/runtime/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace diopi::runtime {
namespace {

constexpr size_t kHostAlignment = 64;
constexpr size_t kDeviceAlignment = 256;
constexpr size_t kBlockBytes = size_t{16} << 20;
constexpr size_t kKeptBytes = size_t{64} << 20;        // of blocks kept between cases
constexpr size_t kAbandonedBytes = size_t{256} << 20;  // kept away from use
constexpr size_t kMaxBytes = size_t{1} << 46;  // more than any machine has: sizes below cannot overflow
constexpr size_t kPatternBytes = kCanaryBytes + kDeviceAlignment;

size_t RoundUp(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

// The pattern depends on the position, so that a memset or a neighbour's copy over it shows; it has no poison
// bytes.
constexpr std::array<uint8_t, kPatternBytes> MakePattern() {
  std::array<uint8_t, kPatternBytes> pattern{};
  uint32_t state = 0x2545F491u;
  for (size_t i = 0; i < kPatternBytes; ++i) {
    state = state * 1664525u + 1013904223u;
    auto byte = static_cast<uint8_t>(state >> 24);
    if (byte == 0x00 || byte == 0xFF || byte == 0xA5 || byte == 0x5A) byte = 0xC3;
    pattern[i] = byte;
  }
  return pattern;
}
using Pattern = std::array<uint8_t, kPatternBytes>;
constexpr Pattern kPattern = MakePattern();
constexpr Pattern kSpreading = [] {
  Pattern ones{};
  ones.fill(0xFF);
  return ones;
}();

const Pattern& PatternOf(const Buffer& buffer) {
  return buffer.spreading ? kSpreading : kPattern;
}

void CompareZone(const Pattern& pattern, const std::byte* zone, size_t bytes, int64_t offset,
                 CanaryDamage* damage) {
  if (std::memcmp(zone, pattern.data(), bytes) == 0) return;
  for (size_t i = 0; i < bytes; ++i) {
    if (std::to_integer<uint8_t>(zone[i]) == pattern[i]) continue;
    if (damage->count == 0) damage->first = offset + static_cast<int64_t>(i);
    ++damage->count;
  }
}

}  // namespace

void WriteCanaries(const Buffer& buffer) {
  if (buffer.zone_bytes() == buffer.bytes) return;
  const Pattern& pattern = PatternOf(buffer);
  std::memcpy(buffer.zone_mirror(), pattern.data(), buffer.head);
  std::memcpy(buffer.mirror + buffer.bytes, pattern.data(), buffer.tail);
}

CanaryDamage CheckCanaries(const Buffer& buffer) {
  CanaryDamage damage;
  const Pattern& pattern = PatternOf(buffer);
  CompareZone(pattern, buffer.zone_mirror(), buffer.head, -static_cast<int64_t>(buffer.head), &damage);
  CompareZone(pattern, buffer.mirror + buffer.bytes, buffer.tail, static_cast<int64_t>(buffer.bytes),
              &damage);
  return damage;
}

void WriteZone(std::byte* zone, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kPatternBytes) {
    std::memcpy(zone + at, kPattern.data(), std::min(kPatternBytes, bytes - at));
  }
}

void CheckZone(const std::byte* zone, size_t bytes, int64_t offset, CanaryDamage* damage) {
  for (size_t at = 0; at < bytes; at += kPatternBytes) {
    CompareZone(kPattern, zone + at, std::min(kPatternBytes, bytes - at), offset + static_cast<int64_t>(at),
                damage);
  }
}

Arena::~Arena() {
  EndLoan();
  for (const Block& block : blocks_) FreeBlock(block);
  for (const Block& block : abandoned_) FreeBlock(block);
}

bool Arena::NewBlock(size_t bytes, Block* block) {
  if (on_device()) {
    block->base = functions_.memory_malloc(bytes + kDeviceAlignment);
    refused_ = refused_ || block->base == nullptr;
    if (block->base == nullptr) return false;
    const auto address = reinterpret_cast<uintptr_t>(block->base);
    block->begin = static_cast<std::byte*>(block->base) + (RoundUp(address, kDeviceAlignment) - address);
    block->bytes = bytes;
    return true;
  }
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  block->bytes = RoundUp(bytes, page);
  block->mapped = block->bytes + 2 * page;
  block->base = mmap(nullptr, block->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block->base == MAP_FAILED) return false;
  block->begin = static_cast<std::byte*>(block->base) + page;
  if (mprotect(block->begin, block->bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(block->base, block->mapped);
    return false;
  }
  return true;
}

void Arena::FreeBlock(const Block& block) const {
  if (!on_device()) {
    munmap(block.base, block.mapped);
  } else if (functions_.memory_free != nullptr) {
    functions_.memory_free(block.base);
  }
}

Buffer Arena::AllocateExactly(size_t bytes) {
  const Buffer mirror = mirrors_->Allocate(bytes);
  if (mirror.data == nullptr) return {};
  Block block;
  block.bytes = block.used = std::max(bytes, size_t{1});  // never 0, so that a mark differs from none
  block.base = functions_.memory_malloc(block.bytes);
  refused_ = refused_ || block.base == nullptr;
  if (block.base == nullptr) return {};
  blocks_.push_back(block);
  current_ = blocks_.size() - 1;
  Buffer buffer;
  buffer.data = static_cast<std::byte*>(block.base);
  buffer.bytes = bytes;
  buffer.head = 0;
  buffer.mirror = mirror.data;
  buffer.on_device = true;
  return buffer;
}

void Arena::FreeFrom(size_t block) {
  for (size_t i = block; i < blocks_.size(); ++i) FreeBlock(blocks_[i]);
  blocks_.resize(std::min(block, blocks_.size()));
  current_ = blocks_.empty() ? 0 : blocks_.size() - 1;
}

Buffer Arena::Allocate(size_t bytes) {
  if (bytes > kMaxBytes) return {};
  if (exact_) return AllocateExactly(bytes);
  const size_t alignment = on_device() ? kDeviceAlignment : kHostAlignment;
  const size_t zone = RoundUp(kCanaryBytes + bytes + kCanaryBytes, alignment);
  while (current_ < blocks_.size() && blocks_[current_].bytes - blocks_[current_].used < zone) {
    if (current_ + 1 == blocks_.size()) break;
    ++current_;
  }
  if (blocks_.empty() || blocks_[current_].bytes - blocks_[current_].used < zone) {
    Block block;
    if (!NewBlock(std::max(zone, kBlockBytes), &block)) return {};
    blocks_.push_back(block);
    current_ = blocks_.size() - 1;
  }
  Block& block = blocks_[current_];
  Buffer buffer;
  buffer.data = block.begin + block.used + kCanaryBytes;
  buffer.bytes = bytes;
  buffer.tail = zone - kCanaryBytes - bytes;
  buffer.on_device = on_device();
  buffer.mirror = buffer.data;
  if (on_device()) {
    const Buffer mirror = mirrors_->Allocate(zone);
    if (mirror.data == nullptr) return {};
    buffer.mirror = mirror.data + kCanaryBytes;
  }
  block.used += std::min(zone + block.gap, block.bytes - block.used);
  return buffer;
}

void Arena::Borrow(std::byte* begin, size_t bytes, size_t gap) {
  EndLoan();
  Block block;
  block.begin = begin;
  block.bytes = bytes;
  block.gap = gap;
  blocks_.insert(blocks_.begin(), block);
  current_ = 0;
  borrowed_ = true;
}

void Arena::EndLoan() {
  if (!borrowed_) return;
  blocks_.erase(blocks_.begin());
  current_ -= current_ > 0 ? 1 : 0;
  borrowed_ = false;
}

void Arena::Rewind(Mark mark) {
  if (blocks_.empty()) return;
  if (exact_) return FreeFrom(mark.used == 0 ? 0 : mark.block + 1);
  for (size_t i = mark.block + 1; i < blocks_.size(); ++i) blocks_[i].used = 0;
  blocks_[mark.block].used = mark.used;
  current_ = mark.block;
  if (mark.block == 0 && mark.used == 0) Trim();
}

void Arena::Trim() {
  size_t kept = 0;
  std::vector<Block> rest;
  rest.reserve(blocks_.size());
  for (const Block& block : blocks_) {
    kept += block.bytes;
    if (kept <= kKeptBytes) {
      rest.push_back(block);
    } else {
      kept -= block.bytes;
      FreeBlock(block);
    }
  }
  blocks_ = std::move(rest);
}

void Arena::Abandon() {
  std::vector<Block> rest;
  for (Block& block : blocks_) (block.used > 0 ? abandoned_ : rest).push_back(block);
  blocks_ = std::move(rest);
  current_ = 0;
  size_t total = 0;
  for (const Block& block : abandoned_) total += block.bytes;
  while (total > kAbandonedBytes) {  // reused, never unmapped: a late write must not crash another case
    total -= abandoned_.front().bytes;
    abandoned_.front().used = 0;
    blocks_.push_back(abandoned_.front());
    abandoned_.erase(abandoned_.begin());
  }
}

}  // namespace diopi::runtime
