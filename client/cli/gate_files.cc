#include "client/cli/gate_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "cases/base/process.h"

namespace diopi::cli {
namespace {

constexpr off_t kLargest = 16 << 20;

absl::Status FileError(const std::string& path, const char* what) {
  const std::string text = absl::StrCat(path, ": ", what, ": ", std::strerror(errno));
  return errno == ENOENT ? absl::NotFoundError(text) : absl::InternalError(text);
}

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileError(path, "cannot be read");
  const Descriptor descriptor(fd);
  struct stat info;
  if (fstat(fd, &info) != 0) return FileError(path, "cannot be read");
  if (S_ISDIR(info.st_mode))
    return absl::InvalidArgumentError(absl::StrCat(path, ": a folder, expected a file"));
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(path, "cannot be read");
    if (got == 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > static_cast<size_t>(kLargest)) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": more than ", kLargest, " bytes"));
    }
  }
}

}  // namespace diopi::cli
