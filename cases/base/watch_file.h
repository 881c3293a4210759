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

// Uses inotify on the file's folder, so that replacing the file (a rename over it, a link that now points
// elsewhere, removing and making it anew) counts like rewriting it in place. If the path is a link, the
// folder of the file itself is watched too. A file that is open for writing counts only once it is closed.
// Changes between two calls of Wait are kept. Move-only; not thread-safe.
class FileWatch {
 public:
  enum class Event { kChanged, kStopped };

  // NotFound when the folder does not exist; Internal when the system has no more watches.
  static absl::StatusOr<FileWatch> Open(const std::string& path);

  // Waits until the file has changed and has then been left alone for `settle`, or `stop` is readable, which
  // comes first. FailedPrecondition when the folder is gone.
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
