// Waits until a file has changed.
#ifndef CASES_BASE_WATCH_FILE_H_
#define CASES_BASE_WATCH_FILE_H_

#include <chrono>
#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"

namespace diopi {

// Uses inotify on the file's folder, so that a file that is replaced (a rename over it, a link that points
// elsewhere now, removed and made anew) counts as one that is rewritten in place. Through links the folder of
// the file itself is watched too. A file that is still open for writing does not count until it is closed.
// Changes between two calls of Wait are kept. Move-only; not thread-safe.
class FileWatch {
 public:
  enum class Event { kChanged, kStopped };

  // NotFound when the folder is none; Internal when the system has no more watches.
  static absl::StatusOr<FileWatch> Open(const std::string& path);

  // Until the file has changed and then been left alone for `settle`, or `stop` is readable: that comes
  // first. FailedPrecondition when the folder is gone.
  absl::StatusOr<Event> Wait(int stop, std::chrono::milliseconds settle);

 private:
  FileWatch(std::string path, Descriptor inotify) : path_(std::move(path)), inotify_(std::move(inotify)) {}
  absl::Status Add(const std::string& path);
  void WatchTarget();
  absl::Status Read(bool* touched, bool* changed);

  std::string path_;
  Descriptor inotify_;
  struct Folder {
    std::string path;
    std::set<std::string> names;  // the file's, and that of the file behind a link in the same folder
  };
  std::map<int, Folder> folders_;  // by watch
};

}  // namespace diopi

#endif  // CASES_BASE_WATCH_FILE_H_
