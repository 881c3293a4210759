#include "impl_loader/library/library.h"

#include <dlfcn.h>
#include <link.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "impl_loader/library/elf_file.h"

namespace diopi::loader {

absl::StatusOr<Library> Library::Open(const std::string& path) {
  // The whole frame of the file, not only the header: dlopen maps a truncated file and dies in it.
  if (absl::StatusOr<ElfFile> elf = ElfFile::Open(path); !elf.ok()) return elf.status();
  // Without a slash dlopen would search the library path instead of opening this file.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* text = dlerror();
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": cannot be loaded: ", text == nullptr ? "no reason given" : text));
  }
  return Library(path, handle);
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
  // dlsym looks into the library's dependencies too: ask whose the address is.
  Dl_info info;
  struct link_map* owner = nullptr;
  struct link_map* self = nullptr;
  if (dladdr1(symbol, &info, reinterpret_cast<void**>(&owner), RTLD_DL_LINKMAP) == 0) return nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &self) != 0) return nullptr;
  return owner == self ? symbol : nullptr;
}

}  // namespace diopi::loader
