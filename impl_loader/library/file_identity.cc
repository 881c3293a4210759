#include "impl_loader/library/file_identity.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace diopi::loader {
namespace {

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

absl::StatusOr<std::string> FileIdentity(int descriptor) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0) {
    return absl::InternalError(absl::StrCat("cannot read a file's attributes: ", strerror(errno)));
  }
  return absl::StrCat(info.st_dev, ":", info.st_ino, ":", info.st_size, ":", Nanoseconds(info.st_mtim), ":",
                      Nanoseconds(info.st_ctim));
}

std::string MappedFile(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    // 7f00-7f10 r-xp 00000000 fe:01 1234 /path
    std::istringstream words(line);
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char dash = 0;
    std::string mode;
    std::string offset;
    std::string device;
    std::string inode;
    words >> std::hex >> begin >> dash >> end >> mode >> offset >> device >> inode;
    if (words && begin <= wanted && wanted < end) return inode == "0" ? "" : absl::StrCat(device, " ", inode);
  }
  return "";
}

}  // namespace diopi::loader
