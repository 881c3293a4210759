#include "baselines/store/replace.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "cases/base/file_error.h"

namespace diopi::baselines {

absl::Status SystemError(const std::string& what, int number) {
  const std::string text = absl::StrCat(what, ": ", std::generic_category().message(number));
  return absl::Status(WriteErrorCode(number), text);
}

// Between opening and locking, another writer may have renamed the file: then the name no longer refers to
// the locked file, and it is opened again.
absl::StatusOr<Descriptor> OpenTemporary(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return SystemError(absl::StrCat("cannot create folder ", folder.string()), error.value());
  const std::string temporary = TemporaryPath(path);
  for (int attempt = 0; attempt < 100; ++attempt) {
    Descriptor file(open(temporary.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (file.get() < 0) return SystemError(absl::StrCat("cannot create ", temporary), errno);
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      return absl::AbortedError(absl::StrCat(temporary, " is being written by another process"));
    }
    struct stat locked {};
    struct stat named {};
    if (fstat(file.get(), &locked) == 0 && stat(temporary.c_str(), &named) == 0 &&
        locked.st_ino == named.st_ino && locked.st_dev == named.st_dev) {
      return file;
    }
  }
  return absl::AbortedError(absl::StrCat(temporary, " keeps being replaced by other processes"));
}

absl::Status Publish(const Descriptor& temporary, const std::string& path, Outlives outlives) {
  if (outlives == Outlives::kMachine && fsync(temporary.get()) != 0) {
    return SystemError(absl::StrCat("cannot sync ", path), errno);
  }
  if (rename(TemporaryPath(path).c_str(), path.c_str()) != 0) {
    return SystemError(absl::StrCat("cannot rename ", TemporaryPath(path), " to ", path), errno);
  }
  return absl::OkStatus();
}

absl::Status SyncFolder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor file(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0 || fsync(file.get()) != 0) {
    return SystemError(absl::StrCat("cannot sync folder ", folder), errno);
  }
  return absl::OkStatus();
}

}  // namespace diopi::baselines
