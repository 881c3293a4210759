#include "impl_loader/library/imports.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace diopi::loader {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
constexpr uint32_t kGlobalData = R_X86_64_GLOB_DAT;
constexpr uint32_t kAbsolute = R_X86_64_64;
#elif defined(__aarch64__)
constexpr uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
constexpr uint32_t kGlobalData = R_AARCH64_GLOB_DAT;
constexpr uint32_t kAbsolute = R_AARCH64_ABS64;
#else
#error "no relocation types for this architecture"
#endif

// What the dynamic section of a loaded library says.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * jump = nullptr;
  size_t jump_bytes = 0;
  const ElfW(Rela) * data = nullptr;
  size_t data_bytes = 0;
};

Dynamic ReadDynamic(const link_map& map) {
  Dynamic dynamic;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    // glibc has added the load address to these already.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* at = reinterpret_cast<const void*>(entry->d_un.d_ptr);
    switch (entry->d_tag) {
      case DT_SYMTAB:
        dynamic.symbols = static_cast<const ElfW(Sym)*>(at);
        break;
      case DT_STRTAB:
        dynamic.strings = static_cast<const char*>(at);
        break;
      case DT_JMPREL:
        dynamic.jump = static_cast<const ElfW(Rela)*>(at);
        break;
      case DT_PLTRELSZ:
        dynamic.jump_bytes = entry->d_un.d_val;
        break;
      case DT_RELA:
        dynamic.data = static_cast<const ElfW(Rela)*>(at);
        break;
      case DT_RELASZ:
        dynamic.data_bytes = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  return dynamic;
}

// The pages that the loader has made read-only after it bound the symbols.
struct ReadOnly {
  ElfW(Addr) load = 0;
  ElfW(Addr) begin = 0;
  ElfW(Addr) end = 0;
};

int FindReadOnly(dl_phdr_info* info, size_t /*size*/, void* found) {
  auto* range = static_cast<ReadOnly*>(found);
  if (info->dlpi_addr != range->load) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_GNU_RELRO) continue;
    range->begin = info->dlpi_addr + header.p_vaddr;
    range->end = range->begin + header.p_memsz;
  }
  return 1;
}

bool WriteSlot(void** slot, void* value, const ReadOnly& read_only) {
  const auto address = reinterpret_cast<ElfW(Addr)>(slot);
  const bool locked = address >= read_only.begin && address < read_only.end;
  const auto page_size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void* page = reinterpret_cast<void*>(address & ~(page_size - 1));
  if (locked && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
  return !locked || mprotect(page, page_size, PROT_READ) == 0;
}

}  // namespace

absl::StatusOr<int> RedirectImports(const void* inside, const std::map<std::string, void*>& functions) {
  Dl_info info;
  link_map* map = nullptr;
  if (inside == nullptr || dladdr1(inside, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
    return absl::FailedPreconditionError("no loaded library holds this address");
  }
  const Dynamic dynamic = ReadDynamic(*map);
  ReadOnly read_only{map->l_addr};
  dl_iterate_phdr(&FindReadOnly, &read_only);
  int written = 0;
  for (const auto& [relocations, bytes] :
       {std::pair(dynamic.jump, dynamic.jump_bytes), std::pair(dynamic.data, dynamic.data_bytes)}) {
    for (size_t i = 0; i < bytes / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& relocation = relocations[i];
      const auto type = static_cast<uint32_t>(ELF64_R_TYPE(relocation.r_info));
      if (type != kJumpSlot && type != kGlobalData && type != kAbsolute) continue;
      const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(relocation.r_info)];
      const auto function = functions.find(dynamic.strings + symbol.st_name);
      if (function == functions.end()) continue;
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      auto* slot = reinterpret_cast<void**>(map->l_addr + relocation.r_offset);
      if (!WriteSlot(slot, function->second, read_only)) {
        return absl::FailedPreconditionError(absl::StrCat(map->l_name, ": the import of ", function->first,
                                                          " cannot be redirected: ", strerror(errno)));
      }
      ++written;
    }
  }
  return written;
}

absl::StatusOr<std::string> FileOfAddress(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
    return absl::NotFoundError("no loaded library holds this address");
  }
  return std::string(info.dli_fname);
}

}  // namespace diopi::loader
