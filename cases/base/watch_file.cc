#include "cases/base/watch_file.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/poll_timeout.h"
#include "cases/base/status_macros.h"

namespace diopi {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MODIFY | IN_ONLYDIR;

// A name that is complete when it appears: a link of either kind. A new file is complete once it is closed.
bool IsLink(const std::string& path) {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0) return false;
  return S_ISLNK(file.st_mode) || file.st_nlink > 1;
}

}  // namespace

absl::StatusOr<FileWatch> FileWatch::Open(const std::string& path) {
  Descriptor inotify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (inotify.get() < 0)
    return absl::InternalError(absl::StrCat("cannot start inotify: ", std::strerror(errno)));
  FileWatch watch(path, std::move(inotify));
  RETURN_IF_ERROR(watch.Add(path));
  watch.WatchTarget();
  return watch;
}

absl::Status FileWatch::Add(const std::string& path) {
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const int watch = inotify_add_watch(inotify_.get(), folder.c_str(), kMask);
  if (watch >= 0) {
    Folder& watched = folders_[watch];
    watched.path = folder.string();
    watched.names.insert(fs::path(path).filename().string());
    return absl::OkStatus();
  }
  const std::string why = absl::StrCat("cannot watch ", folder.string(), ": ", std::strerror(errno));
  return errno == ENOENT || errno == ENOTDIR ? absl::NotFoundError(why) : absl::InternalError(why);
}

// For a link, also watches the folder of the file itself, if that is possible.
void FileWatch::WatchTarget() {
  std::error_code error;
  const fs::path target = fs::canonical(path_, error);
  if (error || target.lexically_normal() == fs::absolute(path_, error).lexically_normal()) return;
  Add(target.string()).IgnoreError();
}

absl::Status FileWatch::Read(bool* touched, bool* changed) {
  alignas(inotify_event) char buffer[4096];
  for (;;) {
    const ssize_t got = read(inotify_.get(), buffer, sizeof(buffer));
    if (got <= 0) return absl::OkStatus();
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer + at, sizeof(event));
      const std::string name = event.len == 0 ? "" : buffer + at + sizeof(event);
      at += static_cast<ssize_t>(sizeof(event) + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0) *touched = *changed = true;
      const auto watched = folders_.find(event.wd);
      if (watched == folders_.end()) continue;
      if ((event.mask & IN_IGNORED) != 0 && event.wd == folders_.begin()->first) {
        return absl::FailedPreconditionError(absl::StrCat(watched->second.path, " is gone"));
      }
      if (!watched->second.names.contains(name)) continue;
      *touched = true;
      const bool made = (event.mask & IN_CREATE) != 0 && IsLink(watched->second.path + "/" + name);
      if (made || (event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0) *changed = true;
    }
  }
}

absl::StatusOr<FileWatch::Event> FileWatch::Wait(int stop, std::chrono::milliseconds settle) {
  using Clock = std::chrono::steady_clock;
  bool changed = false;
  Clock::time_point quiet_at;
  for (;;) {
    pollfd files[] = {{stop, POLLIN, 0}, {inotify_.get(), POLLIN, 0}};
    const int ready = poll(files, 2, changed ? MillisecondsUntil(quiet_at) : -1);
    if (ready > 0 && files[0].revents != 0) return Event::kStopped;
    if (ready > 0 && files[1].revents != 0) {
      bool touched = false;
      RETURN_IF_ERROR(Read(&touched, &changed));
      if (touched) quiet_at = Clock::now() + settle;
    }
    if (changed && Clock::now() >= quiet_at) {
      WatchTarget();  // a link may point elsewhere now
      return Event::kChanged;
    }
  }
}

}  // namespace diopi
