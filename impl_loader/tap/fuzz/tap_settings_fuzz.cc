// The file that DIOPI_TAP_CONFIG names. A line that is no setting is a problem that names file and line; the
// others hold.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "impl_loader/tap/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int fd = memfd_create("settings", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  setenv("DIOPI_TAP_CONFIG", path.c_str(), 1);
  std::vector<std::string> problems;
  const diopi::tap::Settings settings = diopi::tap::Settings::Read(&problems);
  unsetenv("DIOPI_TAP_CONFIG");
  close(fd);
  for (const char* name : {"OP_CAPTURE_LIST", "DIOPI_TAP_TRACE", "a"}) settings.Find(name);
  for (const std::string& problem : problems) {
    if (problem.rfind(path, 0) == 0 && problem.size() < 400) continue;
    std::fprintf(stderr, "tap_settings_fuzz: %s\n", problem.c_str());
    std::abort();
  }
  return 0;
}
