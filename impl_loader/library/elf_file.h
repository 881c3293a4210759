// A mapped ELF shared object. Every offset is checked, as the file may hold anything.
#ifndef IMPL_LOADER_LIBRARY_ELF_FILE_H_
#define IMPL_LOADER_LIBRARY_ELF_FILE_H_

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::loader {

// Which architectures a file may be for. kAny is for reading: such a file cannot be loaded.
enum class Machine { kThis, kAny };

// Move-only; unmaps on destruction.
class ElfFile {
 public:
  // NotFound, InvalidArgument (not ELF, another architecture, not a shared object), DataLoss (truncated:
  // a segment or the section table lies outside the file).
  // kAny also accepts files for other 64-bit little-endian architectures.
  static absl::StatusOr<ElfFile> Open(const std::string& path, Machine machine = Machine::kThis);
  // Stops after the header.
  static absl::Status CheckHeader(const std::string& path);

  ElfFile(ElfFile&& other) noexcept;
  ElfFile& operator=(ElfFile&& other) noexcept;
  ~ElfFile();

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  const Elf64_Ehdr& header() const { return header_; }
  // "AArch64", for example, if the file is for another architecture than this machine's; otherwise empty.
  std::string other_machine() const;
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  // False when any byte lies outside the file.
  template <typename T>
  bool Read(uint64_t offset, T* out) const {
    if (offset > size_ || size_ - offset < sizeof(T)) return false;
    std::memcpy(out, data_ + offset, sizeof(T));
    return true;
  }
  // Entry `index` of a table; false when it lies outside the file.
  template <typename T>
  bool ReadEntry(uint64_t table, uint64_t index, T* out) const {
    if (index > size_ / sizeof(T)) return false;
    const uint64_t offset = table + index * sizeof(T);
    return offset >= table && Read(offset, out);
  }

  // A part of the mapped file; nullopt when any of it lies outside.
  std::optional<std::string_view> Bytes(uint64_t offset, uint64_t length) const {
    if (offset > size_ || size_ - offset < length) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(data_) + offset, length);
  }

  // The file offset of an address of the loaded image.
  std::optional<uint64_t> OffsetOf(uint64_t address) const;

  // The string at `index` of the table [table, table + length); nullopt when it is not inside it.
  std::optional<std::string> String(uint64_t table, uint64_t length, uint64_t index) const;

 private:
  ElfFile() = default;
  static absl::StatusOr<ElfFile> Map(const std::string& path);
  absl::Status ReadHeader(Machine machine);
  absl::Status ReadSegments();
  absl::Status CheckSections() const;

  std::string path_;
  const unsigned char* data_ = nullptr;
  uint64_t size_ = 0;
  Elf64_Ehdr header_ = {};
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_ELF_FILE_H_
