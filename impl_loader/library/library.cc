#include "impl_loader/library/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "impl_loader/library/elf_file.h"
#include "impl_loader/library/file_identity.h"

namespace diopi::loader {

namespace {

// Holds the file whose identity was given open and mapped while the loader loads it by name, to check that
// the loader loaded the same file. (Loading through /proc/self/fd would break the library's $ORIGIN.)
class Witness {
 public:
  Witness(const std::string& path, std::string identity) : path_(path), identity_(std::move(identity)) {
    if (identity_.empty()) return;
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ >= 0) page_ = mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, fd_, 0);
  }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness() {
    if (page_ != MAP_FAILED) munmap(page_, 1);
    if (fd_ >= 0) close(fd_);
  }

  // Whether the file is still the one that was hashed.
  absl::Status Check() const {
    if (identity_.empty()) return absl::OkStatus();
    const absl::StatusOr<std::string> now = FileIdentity(fd_);
    if (now.ok() && *now == identity_ && page_ != MAP_FAILED) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(path_, ": is not the file whose SHA-256 was taken: it was changed or replaced since"));
  }

  // Whether `handle` is that file too.
  absl::Status CheckLoaded(void* handle) const {
    if (identity_.empty()) return absl::OkStatus();
    struct link_map* map = nullptr;
    const bool same = dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 &&
                      !MappedFile(page_).empty() && MappedFile(map->l_ld) == MappedFile(page_);
    if (same) return Check();
    return absl::FailedPreconditionError(absl::StrCat(path_, ": was replaced while it was loaded"));
  }

 private:
  const std::string path_;
  const std::string identity_;
  int fd_ = -1;
  void* page_ = MAP_FAILED;
};

}  // namespace

absl::StatusOr<Library> Library::Open(const std::string& path, const std::string& identity) {
  const Witness witness(path, identity);
  RETURN_IF_ERROR(witness.Check());
  // Checks all headers of the file, not only the first: dlopen maps a truncated file and crashes.
  if (absl::StatusOr<ElfFile> elf = ElfFile::Open(path); !elf.ok()) return elf.status();
  // Without a slash dlopen would search the library path instead of opening this file.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* text = dlerror();
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": cannot be loaded: ", text == nullptr ? "no reason given" : text));
  }
  Library library(path, handle);
  RETURN_IF_ERROR(witness.CheckLoaded(handle));
  return library;
}

Library::Library(Library&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, nullptr)) {}

Library& Library::operator=(Library&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(handle_, other.handle_);
  return *this;
}

Library::~Library() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* Library::Symbol(const std::string& name) const {
  if (handle_ == nullptr) return nullptr;
  void* symbol = dlsym(handle_, name.c_str());
  if (symbol == nullptr) return nullptr;
  // dlsym also searches the library's dependencies, so check which library holds the address.
  Dl_info info;
  struct link_map* owner = nullptr;
  struct link_map* self = nullptr;
  if (dladdr1(symbol, &info, reinterpret_cast<void**>(&owner), RTLD_DL_LINKMAP) == 0) return nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&self)) != 0) return nullptr;
  return owner == self ? symbol : nullptr;
}

}  // namespace diopi::loader
