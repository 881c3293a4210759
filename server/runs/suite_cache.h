// The cases that runs cover: expanded once for a selection, then shared by all its runs.
#ifndef SERVER_RUNS_SUITE_CACHE_H_
#define SERVER_RUNS_SUITE_CACHE_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/selection.pb.h"
#include "server/store/database.h"

namespace diopi::server {

// How often a call that waits for another looks whether it is still wanted itself: nothing wakes it for that.
inline constexpr std::chrono::milliseconds kLookAgain{50};

// Loaded with the first run: a server must be ready long before the operators' files are parsed.
class LazyCatalog {
 public:
  using Loader = std::function<absl::StatusOr<std::unique_ptr<cases::Catalog>>()>;
  explicit LazyCatalog(Loader load) : load_(std::move(load)) {}
  absl::StatusOr<const cases::Catalog*> Get();

 private:
  const Loader load_;
  std::mutex mutex_;
  std::unique_ptr<cases::Catalog> catalog_ ABSL_GUARDED_BY(mutex_);
};

// A case as the server keeps it: what scheduling needs, and the case itself serialised, which takes a third
// of a message's memory.
struct PackedCase {
  RunCase row;
  int64_t streamed_bytes = 0;
  bool library_check = false;
  std::string serialized;
};

// All cases of a selection, whatever the shard.
struct SuiteList {
  std::vector<PackedCase> cases;  // in the catalog's order
  std::string hash;               // cases::SuiteHasher over them
  int64_t bytes = 0;              // about what the list takes in memory
};

// Thread-safe.
class SuiteCache {
 public:
  // Lists that no run uses are kept while all that are kept take at most `keep_bytes`. `catalog` must outlive
  // the cache.
  explicit SuiteCache(LazyCatalog* catalog, int64_t keep_bytes)
      : catalog_(catalog), keep_bytes_(keep_bytes) {}

  // The list of a selection. Calls for one selection at a time share one expansion, which goes on while one
  // of them is wanted. The statuses of the catalog and of `wanted`.
  absl::StatusOr<std::shared_ptr<const SuiteList>> Get(const v1::Selection& selection,
                                                       const StillWanted& wanted);

  // How many lists have been made since the start.
  int64_t expansions();

 private:
  using List = std::shared_ptr<const SuiteList>;
  struct Making {
    int waiting = 0;  // calls, besides the one that makes it
    List list;        // once it is made, for those that wait
  };
  absl::StatusOr<List> Expand(const v1::Selection& selection, const StillWanted& wanted);
  // The list, if it is in memory.
  List Find(const std::string& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Keep(const std::string& key, const List& list) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  LazyCatalog* const catalog_;
  const int64_t keep_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::weak_ptr<const SuiteList>> lists_ ABSL_GUARDED_BY(mutex_);  // by selection
  std::list<std::pair<std::string, List>> kept_ ABSL_GUARDED_BY(mutex_);                 // newest use first
  std::map<std::string, std::shared_ptr<Making>> making_ ABSL_GUARDED_BY(mutex_);        // by selection
  int64_t expansions_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Bytes of the case's tensors, inputs and references, as they are streamed.
int64_t StreamedBytes(const v1::Case& c);

}  // namespace diopi::server

#endif  // SERVER_RUNS_SUITE_CACHE_H_
