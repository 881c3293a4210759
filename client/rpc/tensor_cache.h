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
//   FOLDER/size                      the bytes of all entries, mapped and shared by the processes
//   FOLDER/XXH64-BYTES               an entry; its modification time is when it was used last
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
  TensorCache(Options options, int size_fd, int64_t* shared_size);
  std::string PathOf(uint64_t xxh64, int64_t bytes) const;
  // Measures the folder; when it holds more than `limit` bytes, the oldest go until it does not.
  void Shrink(int64_t limit, int64_t reserved);
  bool Write(const std::string& path, std::string_view data);

  const Options options_;
  const int size_fd_;
  // Used through std::atomic_ref. Bytes that are being written count; a process that is killed meanwhile
  // leaves it too high, which Shrink corrects.
  int64_t* const shared_size_;
  std::mutex shrinking_;
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
