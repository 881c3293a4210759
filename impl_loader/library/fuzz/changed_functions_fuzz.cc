// Compares two libraries: any bytes, and the same bytes with an edit. Their order must not matter, and a
// library must not differ from itself.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "impl_loader/library/changed_functions.h"
#include "impl_loader/library/library.h"

namespace {

// A file in memory, with a path by which it can be opened.
class MemoryFile {
 public:
  explicit MemoryFile(const std::vector<uint8_t>& bytes) : fd_(memfd_create("library", MFD_CLOEXEC)) {
    if (fd_ < 0 || write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  const int fd_;
};

constexpr size_t kEditBytes = 5;  // at the end of the input: where, as four bytes, and what is changed there

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size <= kEditBytes) return 0;
  std::vector<uint8_t> bytes(data, data + size);
  const MemoryFile before(bytes);
  uint32_t where = 0;
  std::memcpy(&where, data + size - kEditBytes, sizeof(where));
  bytes[where % size] ^= data[size - 1];
  const MemoryFile after(bytes);

  const auto same = diopi::loader::CompareLibraries(before.path(), before.path());
  if (same.ok() && (!same->functions.empty() || (same->everything && same->why.empty()))) std::abort();
  const auto there = diopi::loader::CompareLibraries(before.path(), after.path());
  const auto back = diopi::loader::CompareLibraries(after.path(), before.path());
  if (there.ok() != back.ok() || (!there.ok() && there.status().message().empty())) std::abort();
  if (there.ok() && (there->everything != back->everything || there->functions != back->functions)) {
    std::abort();
  }
  diopi::loader::CheckElf(before.path()).IgnoreError();
  return 0;
}
