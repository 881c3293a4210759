// Libraries that came with a submitted run: DATA/uploads/RUN.so, for the time of the run. The server never
// loads them.
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
    // All of it has come. InvalidArgument when size or SHA-256 are not what was announced.
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

  // `max_bytes`: of one library.
  ImplStore(const std::string& data_folder, int64_t max_bytes);

  // `owner` brings a library of so many bytes, and may have `max_owner_bytes` (0: any number) of them in all.
  // InvalidArgument for a size that is none or beyond the limit of one; QuotaError. The store must outlive
  // it.
  absl::StatusOr<std::unique_ptr<Incoming>> Receive(const std::string& owner, int64_t bytes,
                                                    int64_t max_owner_bytes);
  // The library of this run from now on.
  absl::Status Keep(Incoming* incoming, const std::string& run_id);
  // In pieces of 1 MiB at most; `sink` returns false to stop. NotFound when there is none.
  absl::Status Read(const std::string& run_id, const std::function<bool(std::string piece)>& sink) const;
  void Remove(const std::string& run_id);
  struct Kept {
    std::string owner;
    int64_t bytes = 0;
  };
  // From before this server: what these runs need stays, by run; the rest is removed.
  void RemoveAllBut(std::map<std::string, Kept> runs);

 private:
  std::string PathOf(const std::string& run_id) const;

  const std::string folder_;
  const int64_t max_bytes_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_ ABSL_GUARDED_BY(mutex_);         // by run
  std::map<std::string, int64_t> bytes_of_ ABSL_GUARDED_BY(mutex_);  // by owner, what arrives included
};

}  // namespace diopi::server

#endif  // SERVER_RUNS_IMPL_STORE_H_
