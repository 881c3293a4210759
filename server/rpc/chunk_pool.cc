#include "server/rpc/chunk_pool.h"

#include <mutex>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"

namespace diopi::server {

// Memory that waits for its next chunk.
struct ChunkPool::Free {
  explicit Free(size_t limit) : max_idle(limit) {}
  const size_t max_idle;
  std::mutex mutex;
  std::vector<std::unique_ptr<char[]>> idle ABSL_GUARDED_BY(mutex);
};

struct ChunkPool::Chunk::Buffer {
  std::shared_ptr<Free> free;  // null: the memory has the chunk's size and is freed with it
  std::unique_ptr<char[]> memory;

  Buffer(std::shared_ptr<Free> home, std::unique_ptr<char[]> bytes)
      : free(std::move(home)), memory(std::move(bytes)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (free == nullptr) return;
    const std::lock_guard lock(free->mutex);
    if (free->idle.size() < free->max_idle) free->idle.push_back(std::move(memory));
  }
};

ChunkPool::ChunkPool(size_t max_idle) : free_(std::make_shared<Free>(max_idle)) {}

ChunkPool::Chunk::Chunk(std::unique_ptr<Buffer> buffer, size_t size)
    : buffer_(std::move(buffer)), data_(buffer_->memory.get()), size_(size) {}
ChunkPool::Chunk::Chunk(Chunk&& other) noexcept = default;
ChunkPool::Chunk::~Chunk() = default;

grpc::Slice ChunkPool::Chunk::Release() {
  const auto destroy = [](void* buffer) { delete static_cast<Buffer*>(buffer); };
  return {data_, size_, destroy, buffer_.release()};
}

ChunkPool::Chunk ChunkPool::Get(size_t size) {
  // Small chunks would waste a whole chunk's memory while they wait to be sent.
  if (size < kChunkBytes / 2) {
    return Chunk(std::make_unique<Chunk::Buffer>(nullptr, std::unique_ptr<char[]>(new char[size])), size);
  }
  std::unique_ptr<char[]> memory;
  {
    const std::lock_guard lock(free_->mutex);
    if (!free_->idle.empty()) {
      memory = std::move(free_->idle.back());
      free_->idle.pop_back();
    }
  }
  if (memory == nullptr) memory.reset(new char[kChunkBytes]);  // not zeroed: it is filled at once
  return Chunk(std::make_unique<Chunk::Buffer>(free_, std::move(memory)), size);
}

}  // namespace diopi::server
