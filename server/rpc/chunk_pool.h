// Buffers for the chunks of tensors on their way out: filled by us once, read by gRPC where they lie.
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

// Thread-safe. Memory of chunks that gRPC has sent is used again; slices may outlive the pool.
class ChunkPool {
 public:
  // At most `max_idle` free chunks are kept.
  explicit ChunkPool(size_t max_idle);

  // A chunk to fill, and then to turn into a slice without copying.
  class Chunk {
   public:
    char* data() { return data_; }
    size_t size() const { return size_; }
    // Once, when it is filled.
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
