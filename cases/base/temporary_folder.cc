#include "cases/base/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace diopi {

namespace {

constexpr char kPrefix[] = "diopi-";
constexpr size_t kRandom = 6;  // characters that mkdtemp chooses
// Its lock says that the folder is in use; a folder without such a file is not one of these.
constexpr char kLock[] = ".diopi-lock";

bool IsOurName(const std::string& name) {
  return name.size() == sizeof(kPrefix) - 1 + kRandom && absl::StartsWith(name, kPrefix) &&
         std::all_of(name.end() - kRandom, name.end(),
                     [](unsigned char c) { return absl::ascii_isalnum(c); });
}

bool IsOwn(const struct stat& info) {
  return info.st_uid == geteuid() && (info.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

void SweepOne(const std::filesystem::path& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder.valid() || fstat(folder.get(), &info) != 0 || !IsOwn(info)) return;
  const Descriptor lock(openat(folder.get(), kLock, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!lock.valid() || fstat(lock.get(), &info) != 0 || !IsOwn(info) || !S_ISREG(info.st_mode)) return;
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

absl::StatusOr<TemporaryFolder> TemporaryFolder::Make() {
  for (;;) {
    std::string path =
        (std::filesystem::temp_directory_path() / kPrefix).string() + std::string(kRandom, 'X');
    if (mkdtemp(path.data()) == nullptr) {
      return absl::PermissionDeniedError(absl::StrCat(path, ": cannot create a temporary folder"));
    }
    Descriptor lock(
        open(absl::StrCat(path, "/", kLock).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    // A sweep that came before the lock took the folder away.
    struct stat info {};
    const bool locked = lock.valid() && flock(lock.get(), LOCK_EX) == 0 && fstat(lock.get(), &info) == 0;
    if (locked && info.st_nlink == 0) continue;
    if (locked) return TemporaryFolder(std::move(path), std::move(lock));
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
    return absl::PermissionDeniedError(absl::StrCat(path, ": cannot create and lock a file in it"));
  }
}

void TemporaryFolder::SweepAbandoned() {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator it(std::filesystem::temp_directory_path(error), error), end;
       !error && it != end; it.increment(error)) {
    if (IsOurName(it->path().filename().string())) found.push_back(it->path());
  }
  for (const std::filesystem::path& path : found) SweepOne(path);
}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  if (this != &other) {
    Remove();
    path_ = std::exchange(other.path_, {});
    lock_ = std::move(other.lock_);
  }
  return *this;
}

void TemporaryFolder::Remove() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace diopi
