#include "impl_loader/caller/memory_level.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(DIOPI_THREAD_SANITIZER)
#define DIOPI_FOREIGN_MALLOC 1
#else
#define DIOPI_FOREIGN_MALLOC 0
#endif

namespace diopi::loader {
namespace {

int64_t MappedBytes() {
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[64];
  const ssize_t got = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (got <= 0) return 0;
  text[got] = '\0';
  return std::strtoll(text, nullptr, 10) * sysconf(_SC_PAGESIZE);
}

}  // namespace

MemoryLevel CurrentMemoryLevel() {
  if (DIOPI_FOREIGN_MALLOC) return {};
  const struct mallinfo2 info = mallinfo2();
  const auto from_system = static_cast<int64_t>(info.arena + info.hblkhd);
  return {static_cast<int64_t>(info.uordblks + info.hblkhd), MappedBytes() - from_system};
}

int64_t CurrentThreads() {
  // Opened once: the path lookup through /proc costs ten times as much as reading the folder.
  static const int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat task {};
  // A directory for each thread, each with a link to its parent.
  if (fstat(tasks, &task) != 0 || task.st_nlink < 3) return 1;
  return static_cast<int64_t>(task.st_nlink) - 2;
}

}  // namespace diopi::loader
