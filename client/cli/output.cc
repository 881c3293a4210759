#include "client/cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/base/process.h"

namespace diopi::cli {
namespace {

namespace fs = std::filesystem;

absl::Status FileError(const std::string& path, const char* what, int error) {
  const std::string text = absl::StrCat(path, ": ", what, ": ", std::generic_category().message(error));
  const bool usage = error == ENOENT || error == ENOTDIR || error == EISDIR;
  return usage ? absl::InvalidArgumentError(text) : absl::Status(absl::ErrnoToStatusCode(error), text);
}

absl::Status WriteFile(const std::string& path, std::string_view text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) return FileError(path, "cannot be opened for writing", errno);
  if (!WriteAll(file.get(), text)) return FileError(path, "cannot be written", errno);
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteBeside(const std::string& path,
                         const std::function<absl::Status(const std::string& temporary)>& write) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return FileError(path, "cannot be written", EISDIR);
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) return write(path);
  std::string temporary = path + ".XXXXXX";
  const Descriptor made(mkstemp(temporary.data()));
  if (made.get() < 0) return FileError(path, "cannot be written", errno);
  absl::Status status = write(temporary);
  const mode_t mask = umask(0);
  umask(mask);
  if (status.ok() && chmod(temporary.c_str(), 0666 & ~mask) != 0)
    status = FileError(path, "cannot be written", errno);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0)
    status = FileError(path, "cannot be replaced", errno);
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

absl::Status WriteOutput(std::string_view text, const std::string& path) {
  if (path.empty()) {
    std::cout << text << std::flush;
    return std::cout ? absl::OkStatus() : absl::UnavailableError("standard output cannot be written");
  }
  return WriteBeside(path, [text](const std::string& temporary) { return WriteFile(temporary, text); });
}

absl::Status WriteTable(const reports::Table& table, const std::string& format, const std::string& path) {
  const absl::StatusOr<std::string> text = reports::WriteList(table, format);
  return text.ok() ? WriteOutput(*text, path) : text.status();
}

}  // namespace diopi::cli
