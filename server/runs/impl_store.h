// Libraries uploaded with submitted runs: DATA/uploads/RUN.so, for as long as the run is open. The server
// never loads them.
#ifndef SERVER_RUNS_IMPL_STORE_H_
#define SERVER_RUNS_IMPL_STORE_H_

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::server {

// Thread-safe.
class ImplStore {
 public:
  // One library that is arriving; its file is removed unless it is kept. Not thread-safe.
  class Incoming {
   public:
    ~Incoming();
    Incoming(const Incoming&) = delete;
    Incoming& operator=(const Incoming&) = delete;

    // InvalidArgument for more bytes than were announced, ResourceExhausted when the disk is full.
    absl::Status Add(std::string_view bytes);
    // Call it when all has come. InvalidArgument when size or SHA-256 are not what was announced.
    absl::Status Check(const std::string& sha256);

   private:
    friend class ImplStore;
    Incoming(ImplStore* store, std::string owner, std::string path, int64_t bytes);
    ImplStore* const store_;
    const std::string owner_;
    const std::string path_;
    const int64_t announced_;
    int64_t received_ = 0;
    std::ofstream file_;
    bool kept_ = false;
  };

  // `max_bytes`: the limit for one library.
  ImplStore(const std::string& data_folder, int64_t max_bytes);

  // `owner` uploads a library of `bytes` bytes, and may have `max_owner_bytes` of uploads in all (0: no
  // limit). InvalidArgument when `bytes` is no size or beyond the limit for one library; QuotaError. The
  // store must outlive the result.
  absl::StatusOr<std::unique_ptr<Incoming>> Receive(const std::string& owner, int64_t bytes,
                                                    int64_t max_owner_bytes);
  // Makes it the library of this run.
  absl::Status Keep(Incoming* incoming, const std::string& run_id);
  // In pieces of 1 MiB at most; `sink` returns false to stop. NotFound when there is none.
  absl::Status Read(const std::string& run_id, const std::function<bool(std::string piece)>& sink) const;
  void Remove(const std::string& run_id);
  struct Kept {
    std::string owner;
    int64_t bytes = 0;
  };
  // Call it at the start: keeps the libraries of these runs, by run, and removes all others.
  void RemoveAllBut(std::map<std::string, Kept> runs);

 private:
  std::string PathOf(const std::string& run_id) const;

  const std::string folder_;
  const int64_t max_bytes_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_ ABSL_GUARDED_BY(mutex_);         // by run
  std::map<std::string, int64_t> bytes_of_ ABSL_GUARDED_BY(mutex_);  // by owner, with arriving libraries
};

}  // namespace diopi::server

#endif  // SERVER_RUNS_IMPL_STORE_H_
