#include "cases/base/private_process.h"

#include <string.h>
#include <sys/prctl.h>

#include <cstdlib>

namespace diopi {

void MakeProcessPrivate() {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

std::string TakeFromEnvironment(const char* name) {
  char* value = std::getenv(name);
  if (value == nullptr) return "";
  std::string taken = value;
  explicit_bzero(value, taken.size());
  unsetenv(name);
  return taken;
}

}  // namespace diopi
