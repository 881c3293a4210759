#include "cases/base/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/base/file_error.h"

namespace diopi {

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t most_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ReadError(path, errno);
  const Descriptor descriptor(fd);
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadError(path, errno);
    if (got == 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > most_bytes)
      return absl::InvalidArgumentError(absl::StrCat(path, ": has more than ", most_bytes, " bytes"));
  }
}

}  // namespace diopi
