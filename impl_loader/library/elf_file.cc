// Bounds are checked by subtraction from the file's size, never by adding offsets, which could overflow.
// Segments and the section table must lie in the file: loading needs no sections, but a table outside shows
// that the file was cut off. Opening does not wait, as a named pipe would.
#include "impl_loader/library/elf_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/file_error.h"
#include "cases/base/status_macros.h"

namespace diopi::loader {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr Elf64_Half kMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr Elf64_Half kMachine = EM_PPC64;
#else
#error "name this machine's ELF architecture here"
#endif

std::string MachineName(Elf64_Half machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "x86 (32 bit)";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "ARM (32 bit)";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "PowerPC 64";
    case EM_S390:
      return "S/390";
    case EM_MIPS:
      return "MIPS";
    case 258:  // EM_LOONGARCH, younger than some elf.h
      return "LoongArch";
    default:
      return absl::StrCat("ELF machine ", machine);
  }
}

std::string TypeName(Elf64_Half type) {
  switch (type) {
    case ET_REL:
      return "an object file (.o)";
    case ET_EXEC:
      return "a program";
    case ET_CORE:
      return "a core dump";
    default:
      return absl::StrCat("of ELF type ", type);
  }
}

struct FileDescriptor {
  int fd;
  ~FileDescriptor() {
    if (fd >= 0) close(fd);
  }
};

}  // namespace

ElfFile::ElfFile(ElfFile&& other) noexcept {
  *this = std::move(other);
}

ElfFile& ElfFile::operator=(ElfFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(header_, other.header_);
  std::swap(segments_, other.segments_);
  return *this;
}

ElfFile::~ElfFile() {
  if (data_ != nullptr) munmap(const_cast<unsigned char*>(data_), size_);
}

absl::StatusOr<ElfFile> ElfFile::Map(const std::string& path) {
  const FileDescriptor file{
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a named pipe would wait
  struct stat info = {};
  if (file.fd < 0 || fstat(file.fd, &info) != 0) return ReadError(path, errno);
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  if (info.st_size == 0)
    return absl::InvalidArgumentError(absl::StrCat(path, ": not an ELF file: it is empty"));
  ElfFile elf;
  elf.path_ = path;
  void* data = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) return ReadError(path, errno);
  elf.data_ = static_cast<const unsigned char*>(data);
  elf.size_ = static_cast<uint64_t>(info.st_size);
  return elf;
}

std::string ElfFile::other_machine() const {
  return header_.e_machine == kMachine ? "" : MachineName(header_.e_machine);
}

absl::Status ElfFile::ReadHeader(Machine wanted) {
  if (size_ < SELFMAG || std::memcmp(data_, ELFMAG, SELFMAG) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(path_, ": not an ELF file"));
  }
  if (size_ < EI_NIDENT || !Read(0, &header_)) {
    return absl::DataLossError(absl::StrCat(path_, ": truncated: the file ends within the ELF header"));
  }
  const Elf64_Half machine = header_.e_machine;
  if (header_.e_ident[EI_DATA] != ELFDATA2LSB) {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": built for a big-endian machine; this one is ", MachineName(kMachine)));
  }
  if ((machine != kMachine && wanted == Machine::kThis) || header_.e_ident[EI_CLASS] != ELFCLASS64) {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": built for ", MachineName(machine),
                     header_.e_ident[EI_CLASS] == ELFCLASS64 ? "" : " (not 64 bit)", "; this machine is ",
                     MachineName(kMachine)));
  }
  if (header_.e_type != ET_DYN) {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": ", TypeName(header_.e_type), ", not a shared library"));
  }
  return absl::OkStatus();
}

absl::Status ElfFile::ReadSegments() {
  if (header_.e_phnum == 0 || header_.e_phentsize != sizeof(Elf64_Phdr)) {
    return absl::DataLossError(absl::StrCat(path_, ": inconsistent: no program headers"));
  }
  for (uint64_t i = 0; i < header_.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!ReadEntry(header_.e_phoff, i, &segment)) {
      return absl::DataLossError(
          absl::StrCat(path_, ": truncated: program header ", i, " lies outside the file"));
    }
    const bool matters = segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC;
    if (matters && (segment.p_offset > size_ || size_ - segment.p_offset < segment.p_filesz)) {
      return absl::DataLossError(absl::StrCat(path_, ": truncated: segment ", i, " ends at byte ",
                                              segment.p_offset + segment.p_filesz, ", the file at ", size_));
    }
    segments_.push_back(segment);
  }
  return absl::OkStatus();
}

// Loading a library does not need sections, but a table outside the file means that the file was cut off.
absl::Status ElfFile::CheckSections() const {
  if (header_.e_shoff == 0 || header_.e_shnum == 0) return absl::OkStatus();
  Elf64_Shdr last;
  if (header_.e_shentsize != sizeof(Elf64_Shdr) ||
      !ReadEntry(header_.e_shoff, header_.e_shnum - uint64_t{1}, &last)) {
    return absl::DataLossError(absl::StrCat(path_, ": truncated: the section table lies outside the file"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ElfFile> ElfFile::Open(const std::string& path, Machine machine) {
  ASSIGN_OR_RETURN(ElfFile elf, Map(path));
  RETURN_IF_ERROR(elf.ReadHeader(machine));
  RETURN_IF_ERROR(elf.ReadSegments());
  RETURN_IF_ERROR(elf.CheckSections());
  return elf;
}

absl::Status ElfFile::CheckHeader(const std::string& path) {
  absl::StatusOr<ElfFile> elf = Map(path);
  return elf.ok() ? elf->ReadHeader(Machine::kThis) : elf.status();
}

std::optional<uint64_t> ElfFile::OffsetOf(uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const uint64_t within = address - segment.p_vaddr;
    if (within < segment.p_filesz) return segment.p_offset + within;
  }
  return std::nullopt;
}

std::optional<std::string> ElfFile::String(uint64_t table, uint64_t length, uint64_t index) const {
  if (table > size_ || size_ - table < length || index >= length) return std::nullopt;
  const unsigned char* begin = data_ + table + index;
  const void* end = std::memchr(begin, 0, length - index);
  if (end == nullptr) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(begin),
                     static_cast<size_t>(static_cast<const unsigned char*>(end) - begin));
}

}  // namespace diopi::loader
