// Keeps tensors from a server on disk by content, so that two runs receive a shared tensor only once.
#ifndef CLIENT_RPC_TENSOR_CACHE_H_
#define CLIENT_RPC_TENSOR_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace diopi::rpc {

// Thread-safe, and safe for several processes that share a folder: entries appear atomically by rename, and
// readers take no lock. The cache never causes an error of a run: an entry that cannot be read, or whose
// bytes do not match its checksum, is discarded and counts as missing.
//
//   FOLDER/size            the bytes of all entries, mapped and shared by the processes; also their lock
//   FOLDER/XXH64-BYTES     an entry; its modification time is the time of its last use
//   FOLDER/tmp-PID-NUMBER  an entry being written; removed after a while when a killed process left it
class TensorCache {
 public:
  struct Options {
    std::string folder = "";               // created, for its owner only, when missing
    int64_t max_bytes = int64_t{1} << 30;  // of the folder; evicts the least recently used entries
  };
  struct Counts {
    int64_t hits = 0;
    int64_t misses = 0;   // including damaged entries
    int64_t damaged = 0;  // discarded
    int64_t stored = 0;
    int64_t evicted = 0;  // by this object
  };

  // Statuses name the folder.
  static absl::StatusOr<std::unique_ptr<TensorCache>> Open(const Options& options);
  ~TensorCache();
  TensorCache(const TensorCache&) = delete;
  TensorCache& operator=(const TensorCache&) = delete;

  // The content with this XXH64 (seed 0) and size, verified.
  std::optional<std::string> Get(uint64_t xxh64, int64_t bytes);
  // Stores `data`, which has this XXH64; does nothing when it is stored already or cannot be stored.
  void Put(uint64_t xxh64, std::string_view data);

  Counts counts() const;

 private:
  // Held while adding or removing entries, never while reading or writing one. The kernel releases it when
  // its process is killed.
  class Lock {
   public:
    explicit Lock(TensorCache* cache);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    TensorCache* const cache_;
    const std::lock_guard<std::mutex> threads_;
  };

  TensorCache(Options options, int size_fd, int64_t* size);
  std::string PathOf(uint64_t xxh64, int64_t bytes) const;
  std::string WriteTemporary(std::string_view data);  // returns its path; empty: it could not be written
  // Measures the folder, and removes the oldest entries while it holds more than `limit` bytes. Needs Lock.
  void Shrink(int64_t limit);

  const Options options_;
  const int size_fd_;
  int64_t* const size_;  // in memory shared by the processes, guarded by Lock
  std::mutex changing_;
  std::atomic<int64_t> temporaries_ = 0;
  std::atomic<int64_t> hits_ = 0;
  std::atomic<int64_t> misses_ = 0;
  std::atomic<int64_t> damaged_ = 0;
  std::atomic<int64_t> stored_ = 0;
  std::atomic<int64_t> evicted_ = 0;
};

// $XDG_CACHE_HOME/diopi, or ~/.cache/diopi; empty when neither variable is set.
std::string DefaultCacheFolder();

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_TENSOR_CACHE_H_
