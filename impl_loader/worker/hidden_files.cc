// A hidden folder is covered by an empty tmpfs, a hidden file by /dev/null. What must stay visible inside is
// cloned before and mounted again on the tmpfs. A folder can be reached without passing its cover: through
// another mount of its file system (so all of them are looked up), through the working folder (so its path is
// resolved again), through the disk (which no /dev of a worker has: device_files.h), and through the root or
// the working folder of a process outside, which the kernel allows only to those who may trace that process.
#include "impl_loader/worker/hidden_files.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "cases/base/status_macros.h"
#include "impl_loader/worker/mounts.h"

namespace diopi::loader {
namespace {

namespace fs = std::filesystem;

constexpr unsigned long kPlain = MS_NOSUID | MS_NODEV | MS_NOEXEC;

// The path of what is at `path`, within `folder`, once `folder` is at `other`.
std::string Moved(const std::string& path, const std::string& folder, const std::string& other) {
  const std::string rest = path.substr(folder == "/" ? 0 : folder.size());
  if (rest.empty() || rest == "/") return other;
  return other == "/" ? rest : other + rest;
}

struct Mount {
  std::string device;  // major:minor
  std::string root;    // of the mount within its file system
  std::string point;
};

std::vector<Mount> ReadMounts() {
  std::vector<Mount> mounts;
  std::ifstream list("/proc/self/mountinfo");
  for (std::string line; std::getline(list, line);) {
    std::vector<std::string> words = absl::StrSplit(line, ' ');  // spaces in paths are written as \040
    if (words.size() < 5) continue;
    Mount& mount = mounts.emplace_back();
    mount.device = std::move(words[2]);
    if (!absl::CUnescape(words[3], &mount.root)) mount.root = words[3];
    if (!absl::CUnescape(words[4], &mount.point)) mount.point = words[4];
  }
  return mounts;
}

// Adds the paths at which the file at `path` is mounted, or a part of it.
void AddPaths(const std::string& path, const std::vector<Mount>& mounts, std::vector<std::string>* all) {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0) return;
  all->push_back(path);
  const Mount* own = nullptr;
  for (const Mount& mount : mounts) {
    if (IsWithin(path, mount.point) && (own == nullptr || mount.point.size() >= own->point.size())) {
      own = &mount;
    }
  }
  if (own == nullptr) return;
  const std::string inside = Moved(path, own->point, own->root);
  for (const Mount& mount : mounts) {
    if (&mount == own || mount.device != own->device) continue;
    const bool whole = IsWithin(inside, mount.root);
    if (!whole && !IsWithin(mount.root, inside)) continue;
    const std::string other = whole ? Moved(inside, mount.root, mount.point) : mount.point;
    struct stat found {};  // another mount may cover it
    if (lstat(other.c_str(), &found) != 0 || found.st_dev != file.st_dev) continue;
    if (!whole || found.st_ino == file.st_ino) all->push_back(other);
  }
}

absl::Status CoverFolder(const std::string& folder, const std::vector<std::string>& shown) {
  if (folder == "/") return absl::InvalidArgumentError("the root folder cannot be hidden");
  std::vector<Clone> clones;
  for (const std::string& path : shown) {
    if (path == folder || !IsWithin(path, folder)) continue;
    RETURN_IF_ERROR(AddClone(path, &clones));
  }
  if (mount("none", folder.c_str(), "tmpfs", kPlain, "size=64k,mode=0755") != 0) {
    return Refused("hiding " + folder);
  }
  for (const Clone& clone : clones) {
    RETURN_IF_ERROR(Attach(clone));
  }
  if (mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | kPlain, nullptr) != 0) {
    return Refused("making the cover of " + folder + " read-only");
  }
  return absl::OkStatus();
}

absl::Status Cover(const std::string& path, const std::vector<std::string>& shown) {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0) return absl::OkStatus();  // in a folder that is covered by now
  if (S_ISDIR(file.st_mode)) return CoverFolder(path, shown);
  if (mount("/dev/null", path.c_str(), nullptr, MS_BIND, nullptr) != 0) return Refused("hiding " + path);
  return absl::OkStatus();
}

std::vector<std::string> Canonical(const std::vector<std::string>& paths) {
  std::vector<std::string> canonical;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::path resolved = fs::canonical(path, error);
    if (!error) canonical.push_back(resolved);
  }
  // Folders come before what they contain.
  std::sort(canonical.begin(), canonical.end());
  return canonical;
}

}  // namespace

absl::Status HideFiles(const HiddenFiles& files) {
  const std::vector<Mount> mounts = ReadMounts();
  std::vector<std::string> all;
  for (const std::string& path : Canonical(files.hidden)) AddPaths(path, mounts, &all);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const std::vector<std::string> shown = Canonical(files.shown);
  for (const std::string& path : all) {
    RETURN_IF_ERROR(Cover(path, shown));
  }
  return absl::OkStatus();
}

}  // namespace diopi::loader
