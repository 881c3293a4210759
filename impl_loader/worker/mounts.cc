#include "impl_loader/worker/mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"

namespace diopi::loader {

namespace fs = std::filesystem;

absl::Status Refused(const std::string& what) {
  return absl::ErrnoToStatus(errno, what);
}

bool IsWithin(const std::string& path, const std::string& folder) {
  return folder == "/" || path == folder || absl::StartsWith(path, folder + "/");
}

absl::Status OwnMounts() {
  if (unshare(CLONE_NEWNS) != 0) return Refused("no mount namespace");
  // What the machine unmounts must also go here; nothing must go the other way.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return Refused("no mounts of its own");
  return absl::OkStatus();
}

void ResolveWorkingFolder() {
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  if (!error) fs::current_path(folder, error);
  if (error) fs::current_path("/", error);
}

absl::Status AddClone(const std::string& path, std::vector<Clone>* clones) {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0) return absl::OkStatus();
  Clone clone;
  clone.path = path;
  clone.is_folder = S_ISDIR(file.st_mode);
  if (S_ISLNK(file.st_mode)) {
    std::error_code error;
    clone.target = fs::read_symlink(path, error);
  } else {
    clone.mount = Descriptor(static_cast<int>(
        syscall(SYS_open_tree, AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE)));
    if (!clone.mount.valid()) return Refused("keeping " + path);
  }
  clones->push_back(std::move(clone));
  return absl::OkStatus();
}

absl::Status Attach(const Clone& clone) {
  std::error_code error;
  if (fs::exists(clone.path, error)) return absl::OkStatus();  // with a folder around it
  fs::create_directories(clone.is_folder ? fs::path(clone.path) : fs::path(clone.path).parent_path(), error);
  if (!clone.mount.valid()) {
    fs::create_symlink(clone.target, clone.path, error);
    return absl::OkStatus();
  }
  if (!clone.is_folder) {
    const Descriptor file(open(clone.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  if (syscall(SYS_move_mount, clone.mount.get(), "", AT_FDCWD, clone.path.c_str(), MOVE_MOUNT_F_EMPTY_PATH) !=
      0) {
    return Refused("showing " + clone.path);
  }
  return absl::OkStatus();
}

}  // namespace diopi::loader
