#include "cases/base/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cases/base/descriptor.h"
#include "cases/base/file_error.h"

namespace diopi {
namespace {

namespace fs = std::filesystem;

}  // namespace

absl::Status ReplaceFileWith(const std::string& path,
                             const std::function<absl::Status(const std::string& temporary)>& write) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return WriteError(path, EISDIR);
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) return write(path);
  std::string temporary = path + ".XXXXXX";
  const Descriptor made(mkstemp(temporary.data()));
  if (made.get() < 0) return WriteError(path, errno);
  absl::Status status = write(temporary);
  const mode_t mask = umask(0);
  umask(mask);
  if (status.ok() && chmod(temporary.c_str(), 0666 & ~mask) != 0) status = WriteError(path, errno);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) status = WriteError(path, errno);
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

absl::Status ReplaceFile(const std::string& path, std::string_view bytes) {
  return ReplaceFileWith(path, [&](const std::string& temporary) {
    const Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0 || !WriteAll(file.get(), bytes)) return WriteError(path, errno);
    return absl::OkStatus();
  });
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  if (!path.empty()) fs::create_directories(path, error);
  return error ? WriteError(path, error.value()) : absl::OkStatus();
}

}  // namespace diopi
