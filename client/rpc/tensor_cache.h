// Tensors that came from a server, kept on disk by content: what two runs share travels once.
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

// Thread-safe, and safe for several processes that share a folder: entries appear by rename, whole or not at
// all, and readers take no lock. Nothing here is ever an error of a run: an entry that cannot be read, or
// whose bytes do not match its checksum, is discarded and is not there.
//
//   FOLDER/size                      the bytes of all entries, mapped and shared by the processes, and their
//   lock FOLDER/XXH64-BYTES               an entry; its modification time is when it was used last
//   FOLDER/tmp-PID-NUMBER            one that is being written; left by a killed process, it goes after a
//   while
class TensorCache {
 public:
  struct Options {
    std::string folder = "";  // made, for its owner alone, when it is not there
    int64_t max_bytes =
        int64_t{1} << 30;  // of the folder; when it is full, what was used least recently goes
  };
  struct Counts {
    int64_t hits = 0;
    int64_t misses = 0;   // damaged ones too
    int64_t damaged = 0;  // discarded
    int64_t stored = 0;
    int64_t evicted = 0;  // by this object
  };

  // Statuses name the folder.
  static absl::StatusOr<std::unique_ptr<TensorCache>> Open(const Options& options);
  ~TensorCache();
  TensorCache(const TensorCache&) = delete;
  TensorCache& operator=(const TensorCache&) = delete;

  // The content of this XXH64 (seed 0) and size, verified.
  std::optional<std::string> Get(uint64_t xxh64, int64_t bytes);
  // Keeps `data`, whose XXH64 this is; does nothing when it is there, or when it cannot.
  void Put(uint64_t xxh64, std::string_view data);

  Counts counts() const;

 private:
  // Held by who adds or removes entries, never while reading or writing one. It goes with its process, should
  // that be killed.
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
  std::string WriteTemporary(std::string_view data);  // its path; empty: it could not be written
  // Measures the folder; when it holds more than `limit` bytes, the oldest go until it does not. Under Lock.
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
