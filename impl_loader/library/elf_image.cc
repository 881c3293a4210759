#include "impl_loader/library/elf_image.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"

namespace diopi::loader {

absl::StatusOr<ElfImage> ElfImage::Open(const std::string& path) {
  ASSIGN_OR_RETURN(ElfFile file, ElfFile::Open(path));
  ElfImage image(std::move(file));
  RETURN_IF_ERROR(image.Read());
  return image;
}

absl::Status ElfImage::Read() {
  absl::Status status = ReadSections();
  for (const ImageSection& section : sections_) {
    if (status.ok() && section.header.sh_type == SHT_SYMTAB) status = ReadSymbols(section, &symbols_);
    if (status.ok() && section.header.sh_type == SHT_DYNSYM) status = ReadSymbols(section, &dynamic_symbols_);
  }
  for (const ImageSection& section : sections_) {
    if (status.ok() && section.header.sh_type == SHT_RELA && !section.loaded())
      status = ReadRelocations(section);
  }
  return status;
}

absl::Status ElfImage::ReadSections() {
  const Elf64_Ehdr& header = file_.header();
  if (header.e_shoff == 0 || header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return absl::InvalidArgumentError(absl::StrCat(path(), ": has no section table: it cannot be compared"));
  }
  uint64_t loaded_bytes = 0;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    ImageSection section;
    if (!file_.ReadEntry(header.e_shoff, i, &section.header)) {
      return absl::DataLossError(absl::StrCat(path(), ": the section table ends outside the file"));
    }
    // The rest of an inactive section's header means nothing.
    if (section.header.sh_type == SHT_NULL) section.header = {};
    if (section.header.sh_addr + section.header.sh_size < section.header.sh_addr) {
      return absl::DataLossError(
          absl::StrCat(path(), ": the addresses of section ", i, " go beyond 64 bits"));
    }
    if (section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL) {
      const auto bytes = file_.Bytes(section.header.sh_offset, section.header.sh_size);
      if (!bytes) return absl::DataLossError(absl::StrCat(path(), ": section ", i, " ends outside the file"));
      section.bytes = *bytes;
      if (section.loaded()) loaded_bytes += bytes->size();
    }
    sections_.push_back(std::move(section));
  }
  // Sections are compared as copies: many that share one large part would not fit in memory.
  if (loaded_bytes > file_.size()) {
    return absl::DataLossError(absl::StrCat(path(), ": sections overlap in the file"));
  }
  if (header.e_shstrndx >= sections_.size()) {
    return absl::DataLossError(absl::StrCat(path(), ": the sections have no names"));
  }
  const Elf64_Shdr names = sections_[header.e_shstrndx].header;
  for (ImageSection& section : sections_) {
    const auto name = file_.String(names.sh_offset, names.sh_size, section.header.sh_name);
    if (!name)
      return absl::DataLossError(absl::StrCat(path(), ": a section's name lies outside their table"));
    section.name = *name;
  }
  return absl::OkStatus();
}

absl::Status ElfImage::ReadSymbols(const ImageSection& section, std::vector<ImageSymbol>* symbols) const {
  if (section.header.sh_entsize != sizeof(Elf64_Sym) || section.header.sh_link >= sections_.size()) {
    return absl::DataLossError(absl::StrCat(path(), ": ", section.name, " is not a symbol table"));
  }
  const Elf64_Shdr& names = sections_[section.header.sh_link].header;
  for (uint64_t i = 0; i < section.header.sh_size / sizeof(Elf64_Sym); ++i) {
    ImageSymbol symbol;
    if (!file_.ReadEntry(section.header.sh_offset, i, &symbol.entry)) {
      return absl::DataLossError(absl::StrCat(path(), ": ", section.name, " ends outside the file"));
    }
    const auto name = file_.String(names.sh_offset, names.sh_size, symbol.entry.st_name);
    if (!name) return absl::DataLossError(absl::StrCat(path(), ": a symbol's name lies outside their table"));
    symbol.name = *name;
    symbols->push_back(std::move(symbol));
  }
  return absl::OkStatus();
}

absl::Status ElfImage::ReadRelocations(const ImageSection& section) {
  if (section.header.sh_entsize != sizeof(Elf64_Rela) || section.header.sh_info >= sections_.size()) {
    return absl::DataLossError(absl::StrCat(path(), ": ", section.name, " is not a relocation table"));
  }
  const ImageSection& target = sections_[section.header.sh_info];
  if (!target.loaded()) return absl::OkStatus();  // relocations of debug information
  std::vector<Elf64_Rela>& relocations = relocations_[section.header.sh_info];
  for (uint64_t i = 0; i < section.header.sh_size / sizeof(Elf64_Rela); ++i) {
    Elf64_Rela rela;
    if (!file_.ReadEntry(section.header.sh_offset, i, &rela) || !target.Holds(rela.r_offset) ||
        ELF64_R_SYM(rela.r_info) >= symbols_.size()) {
      return absl::DataLossError(
          absl::StrCat(path(), ": entry ", i, " of ", section.name, " is inconsistent"));
    }
    relocations.push_back(rela);
  }
  std::stable_sort(relocations.begin(), relocations.end(),
                   [](const Elf64_Rela& a, const Elf64_Rela& b) { return a.r_offset < b.r_offset; });
  return absl::OkStatus();
}

const ImageSection* ElfImage::SectionAt(uint64_t address) const {
  const auto at = std::find_if(sections_.begin(), sections_.end(),
                               [address](const ImageSection& section) { return section.Holds(address); });
  return at == sections_.end() ? nullptr : &*at;
}

}  // namespace diopi::loader
