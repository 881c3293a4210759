#include "cases/base/stage.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

namespace diopi {
namespace {

// The variable's value at the first call; null when there is none.
const std::string* Wanted() {
  static const char* const text = std::getenv("DIOPI_TEST_STAGE");
  static const std::string* const wanted = text == nullptr ? nullptr : new std::string(text);
  return wanted;
}

}  // namespace

void StageReached(const char* name) {
  static std::atomic<bool> reached = false;
  const std::string* wanted = Wanted();
  if (wanted == nullptr) return;
  const size_t end = wanted->find('=');
  if (end == std::string::npos || std::string_view(*wanted).substr(0, end) != name) return;
  if (reached.exchange(true)) return;
  const std::string path = wanted->substr(end + 1);
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  const std::string line = std::to_string(getpid()) + "\n";
  const bool written = write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  close(fd);
  const int go = written ? open((path + ".go").c_str(), O_RDONLY | O_CLOEXEC) : -1;
  char c = 0;
  while (go >= 0 && read(go, &c, 1) < 0 && errno == EINTR) {
  }
  if (go >= 0) close(go);
}

}  // namespace diopi
