// Sections, symbols and relocations of a mapped ELF file, for comparing two libraries.
#ifndef IMPL_LOADER_LIBRARY_ELF_IMAGE_H_
#define IMPL_LOADER_LIBRARY_ELF_IMAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "impl_loader/library/elf_file.h"

namespace diopi::loader {

struct ImageSection {
  std::string name;
  Elf64_Shdr header = {};
  std::string_view bytes;  // of the mapped file; empty for SHT_NOBITS

  bool loaded() const { return (header.sh_flags & SHF_ALLOC) != 0; }
  bool code() const { return loaded() && (header.sh_flags & SHF_EXECINSTR) != 0; }
  bool Holds(uint64_t address) const {
    return loaded() && address >= header.sh_addr && address - header.sh_addr < header.sh_size;
  }
};

struct ImageSymbol {
  std::string name;
  Elf64_Sym entry = {};
  bool function() const {
    const unsigned type = ELF64_ST_TYPE(entry.st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && entry.st_shndx != SHN_UNDEF && entry.st_size > 0;
  }
};

// Move-only. Its views are valid for as long as it lives.
class ElfImage {
 public:
  // Errors as of ReadElfSymbols; InvalidArgument for a library without a section table.
  static absl::StatusOr<ElfImage> Open(const std::string& path);

  const std::string& path() const { return file_.path(); }
  uint16_t machine() const { return file_.header().e_machine; }
  const std::vector<ImageSection>& sections() const { return sections_; }
  // The symbols of .symtab and .dynsym; empty where there is none.
  const std::vector<ImageSymbol>& symbols() const { return symbols_; }
  const std::vector<ImageSymbol>& dynamic_symbols() const { return dynamic_symbols_; }
  // Relocations that the linker kept (--emit-relocs), by the index of the section that they apply to, sorted
  // by address. Their symbols are indices into symbols().
  const std::map<size_t, std::vector<Elf64_Rela>>& kept_relocations() const { return relocations_; }

  // The section that holds an address; null: none.
  const ImageSection* SectionAt(uint64_t address) const;

 private:
  explicit ElfImage(ElfFile file) : file_(std::move(file)) {}
  absl::Status Read();
  absl::Status ReadSections();
  absl::Status ReadSymbols(const ImageSection& section, std::vector<ImageSymbol>* symbols) const;
  absl::Status ReadRelocations(const ImageSection& section);

  ElfFile file_;
  std::vector<ImageSection> sections_;
  std::vector<ImageSymbol> symbols_;
  std::vector<ImageSymbol> dynamic_symbols_;
  std::map<size_t, std::vector<Elf64_Rela>> relocations_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_ELF_IMAGE_H_
