// Buffers for outgoing chunks of tensors: we fill them once, and gRPC reads them in place.
#ifndef SERVER_RPC_CHUNK_POOL_H_
#define SERVER_RPC_CHUNK_POOL_H_

#include <grpcpp/support/slice.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace diopi::server {

// gRPC streams fastest with messages of about this size.
inline constexpr size_t kChunkBytes = size_t{1} << 20;

// Thread-safe. Reuses the memory of chunks that gRPC has sent; slices may outlive the pool.
class ChunkPool {
 public:
  // Keeps at most `max_idle` free chunks.
  explicit ChunkPool(size_t max_idle);

  // A chunk to be filled and then turned into a slice without copying.
  class Chunk {
   public:
    char* data() { return data_; }
    size_t size() const { return size_; }
    // Call it once, when the chunk is filled.
    grpc::Slice Release();

    Chunk(Chunk&& other) noexcept;
    Chunk& operator=(Chunk&&) = delete;
    ~Chunk();

   private:
    friend class ChunkPool;
    struct Buffer;
    Chunk(std::unique_ptr<Buffer> buffer, size_t size);

    std::unique_ptr<Buffer> buffer_;
    char* data_;
    size_t size_;
  };
  // `size` is at most kChunkBytes.
  Chunk Get(size_t size);

 private:
  struct Free;
  std::shared_ptr<Free> free_;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_CHUNK_POOL_H_
