// Fuzzes the file of tokens, which an administrator may have edited, and tokens that callers send.
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "server/security/token_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // In a file of our own, because the reader follows no links.
  static const std::string& path =
      *new std::string(std::filesystem::temp_directory_path() / ("diopi-tokens-" + std::to_string(getpid())));
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  close(fd);
  const auto records = diopi::server::ReadTokens(path);
  unlink(path.c_str());
  if (!records.ok()) return 0;
  // No token may match, as nobody can invert a hash.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (diopi::server::FindToken(*records, text.substr(0, 128)) != nullptr) std::abort();
  return 0;
}
