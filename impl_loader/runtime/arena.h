// Memory for the tensors of a case: outside malloc's heap, with a canary zone on both sides of each buffer.
#ifndef IMPL_LOADER_RUNTIME_ARENA_H_
#define IMPL_LOADER_RUNTIME_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "impl_loader/runtime/device_functions.h"

namespace diopi::runtime {

// At least this many canary bytes lie before and after each buffer.
inline constexpr size_t kCanaryBytes = 256;

// One buffer. The zone around it reaches from `head` bytes before the data to `tail` bytes after it.
struct Buffer {
  std::byte* data = nullptr;   // as the library sees it; null: not allocated
  size_t bytes = 0;            // of data, may be 0
  size_t head = kCanaryBytes;  // canary bytes before the data; 0 in an exact arena
  size_t tail = 0;             // canary bytes after the data, padding included
  std::byte* mirror =
      nullptr;             // the data where this process can read and write it; `data` itself for host memory
  bool on_device = false;  // data and mirror differ
  // The canaries are all ones, NaN in every floating type and -1 in every integer: a kernel that reads them
  // lets them into its result.
  bool spreading = false;

  std::byte* zone() const { return data - head; }
  std::byte* zone_mirror() const { return mirror - head; }
  size_t zone_bytes() const { return head + bytes + tail; }
};

// Writes the canaries into the buffer's mirror.
void WriteCanaries(const Buffer& buffer);

// What a check of the mirror's canaries found: bytes that changed, on each side.
struct CanaryDamage {
  int64_t first = 0;  // byte offset of the first one from the data's start: negative before, >= bytes after
  int64_t count = 0;  // 0: intact
};
CanaryDamage CheckCanaries(const Buffer& buffer);

// The same for other bytes beside a buffer, which begin `offset` bytes after its start. Adds to `damage`.
void WriteZone(std::byte* zone, size_t bytes);
void CheckZone(const std::byte* zone, size_t bytes, int64_t offset, CanaryDamage* damage);

// A bump allocator over blocks that end in inaccessible pages (host) or come from the library's own malloc
// (device). Buffers are not freed one by one: Rewind frees all that were allocated after a mark. Not
// thread-safe.
//
// An exact arena of device memory asks the library's malloc for each buffer by itself, at its own size and
// without canaries: a tool that watches the device (compute-sanitizer) then sees every access beside a
// tensor. This is slow.
class Arena {
 public:
  // Host memory.
  Arena() = default;
  // Device memory, with mirrors taken from `mirrors`, which must outlive this arena and be rewound with it.
  Arena(const DeviceFunctions& functions, Arena* mirrors, bool exact = false)
      : functions_(functions), mirrors_(mirrors), exact_(exact) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // A buffer whose content and canaries are undefined; `data` is null when there is no memory.
  Buffer Allocate(size_t bytes);
  // Whether the library's malloc has returned null since the last question.
  bool TakeRefused() { return std::exchange(refused_, false); }

  // Lends the arena memory, aligned to 64 bytes, which Allocate hands out before any other until EndLoan.
  // Only for host memory, while nothing is allocated. `gap`, a multiple of 64: bytes that stay unused after
  // each buffer in it.
  void Borrow(std::byte* begin, size_t bytes, size_t gap = 0);
  // Forgets the lent memory and its buffers. Call it before Rewind or Abandon, which need the arena's own
  // memory.
  void EndLoan();

  struct Mark {
    size_t block = 0;
    size_t used = 0;
  };
  Mark mark() const { return {current_, blocks_.empty() ? 0 : blocks_[current_].used}; }
  void Rewind(Mark mark);

  // Like Rewind to the start, but does not hand out the memory used so far again for a long while, because a
  // thread may still be writing to it.
  void Abandon();

 private:
  struct Block {
    std::byte* begin = nullptr;  // usable part
    size_t bytes = 0;
    size_t used = 0;
    void* base = nullptr;  // as mapped or as malloc'ed
    size_t mapped = 0;
    size_t gap = 0;  // between buffers
  };
  bool on_device() const { return mirrors_ != nullptr; }
  bool NewBlock(size_t bytes, Block* block);
  void FreeBlock(const Block& block) const;
  void Trim();
  Buffer AllocateExactly(size_t bytes);
  void FreeFrom(size_t block);

  DeviceFunctions functions_;
  Arena* mirrors_ = nullptr;
  bool exact_ = false;     // a block for each buffer
  bool refused_ = false;   // the library's malloc returned null
  bool borrowed_ = false;  // the first block is
  std::vector<Block> blocks_;
  size_t current_ = 0;
  std::vector<Block> abandoned_;
};

}  // namespace diopi::runtime

#endif  // IMPL_LOADER_RUNTIME_ARENA_H_
