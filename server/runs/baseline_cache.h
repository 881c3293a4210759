// Baselines by operator, opened when first asked for and again when the file has changed.
#ifndef SERVER_RUNS_BASELINE_CACHE_H_
#define SERVER_RUNS_BASELINE_CACHE_H_

#include <sys/types.h>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/store/store.h"
#include "diopi/v1/case.pb.h"

namespace diopi::server {

// One opened baseline file. Its readers keep it alive, even when a newer file has replaced it.
struct OpenBaseline {
  std::string path;
  std::string reference;         // provenance in one line, for verdicts
  std::string device_reference;  // the same of the device reference; empty: the file has none
  std::string device_name;       // "Acme 2.1"
  std::unique_ptr<baselines::BaselineReader> reader;

  // OK when the file holds this very case; otherwise why not and what to do about it.
  absl::Status Check(const v1::Case& c) const;
};

// Thread-safe. At most `max_open` files stay open; the least recently used goes first.
class BaselineCache {
 public:
  BaselineCache(std::string data_folder, std::string reference, size_t max_open)
      : data_folder_(std::move(data_folder)), reference_(std::move(reference)), max_open_(max_open) {}

  struct Counts {
    int64_t hits = 0;    // the file was open already, or known to be unusable
    int64_t misses = 0;  // it had to be opened
    size_t open = 0;     // files
  };
  Counts GetCounts();

  // The reader's statuses; a file that failed is tried again only when it has changed.
  absl::StatusOr<std::shared_ptr<const OpenBaseline>> Get(const std::string& operator_name);

 private:
  // Tells a file from its successor of the same name.
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = -1;  // -1: there is no file
    int64_t modified_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Entry {
    Stamp stamp;
    absl::StatusOr<std::shared_ptr<const OpenBaseline>> baseline;
    std::list<std::string>::iterator used;
  };
  static Stamp StampOf(const std::string& path);
  static absl::StatusOr<std::shared_ptr<const OpenBaseline>> Open(const std::string& path);

  const std::string data_folder_;
  const std::string reference_;
  const size_t max_open_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  Counts counts_ ABSL_GUARDED_BY(mutex_);
  std::list<std::string> recent_ ABSL_GUARDED_BY(mutex_);  // newest first
};

}  // namespace diopi::server

#endif  // SERVER_RUNS_BASELINE_CACHE_H_
