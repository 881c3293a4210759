// The only owner of dlopen.
#ifndef IMPL_LOADER_LIBRARY_LIBRARY_H_
#define IMPL_LOADER_LIBRARY_LIBRARY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::loader {

// A loaded shared library. Move-only; closes on destruction. Not thread-safe.
class Library {
 public:
  // Checks the file first (CheckElf), then dlopens it with RTLD_NOW | RTLD_LOCAL. NotFound: no such file.
  // InvalidArgument: not ELF, another architecture, not a shared object. FailedPrecondition: the loader's own
  // message (an undefined symbol, a missing dependency). With `identity` (see file_identity.h), also
  // FailedPrecondition when the file has another identity, or was replaced while it was loaded.
  static absl::StatusOr<Library> Open(const std::string& path, const std::string& identity = "");

  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;
  ~Library();

  // Null when the library itself does not export the symbol (its dependencies do not count).
  void* Symbol(const std::string& name) const;
  const std::string& path() const { return path_; }

 private:
  Library(std::string path, void* handle) : path_(std::move(path)), handle_(handle) {}
  std::string path_;
  void* handle_ = nullptr;
};

// What the dynamic section of an ELF file says, read without loading it.
struct ElfSymbols {
  std::vector<std::string> exported;      // defined, global or weak, default visibility
  std::vector<std::string> exported_old;  // not in `exported`: hidden versions, for programs linked long ago
  std::vector<std::string> undefined_strong;
  std::vector<std::string> undefined_weak;
  std::vector<std::string> needed;       // DT_NEEDED
  std::vector<std::string> search_path;  // DT_RPATH, DT_RUNPATH, $ORIGIN expanded
  std::string other_machine;             // ElfFile::other_machine; only from ReadForeignElfSymbols
};

// Errors as of Library::Open; DataLoss for a truncated or inconsistent file.
absl::StatusOr<ElfSymbols> ReadElfSymbols(const std::string& path);

// The same, also for a file of another architecture (64-bit, little-endian), as a cross compiler makes.
absl::StatusOr<ElfSymbols> ReadForeignElfSymbols(const std::string& path);

// Reads only the header: is it a shared object for this machine?
absl::Status CheckElf(const std::string& path);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_LIBRARY_H_
