// Libraries that came with a submitted run: DATA/uploads/RUN.so, for the time of the run. The server never
// loads them.
#ifndef SERVER_RUNS_IMPL_STORE_H_
#define SERVER_RUNS_IMPL_STORE_H_

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

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
    Incoming(std::string path, int64_t bytes);
    const std::string path_;
    const int64_t announced_;
    int64_t received_ = 0;
    std::ofstream file_;
    bool kept_ = false;
  };

  // `max_bytes`: of one library.
  ImplStore(const std::string& data_folder, int64_t max_bytes);

  // InvalidArgument for a size that is none or beyond the limit.
  absl::StatusOr<std::unique_ptr<Incoming>> Receive(int64_t bytes);
  // The library of this run from now on.
  absl::Status Keep(Incoming* incoming, const std::string& run_id);
  // In pieces of 1 MiB at most; `sink` returns false to stop. NotFound when there is none.
  absl::Status Read(const std::string& run_id, const std::function<bool(std::string piece)>& sink) const;
  void Remove(const std::string& run_id);
  // What no run of these needs, from before this server.
  void RemoveAllBut(const std::set<std::string>& run_ids);

 private:
  std::string PathOf(const std::string& run_id) const;

  const std::string folder_;
  const int64_t max_bytes_;
};

}  // namespace diopi::server

#endif  // SERVER_RUNS_IMPL_STORE_H_
