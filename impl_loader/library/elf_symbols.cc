// Reads the dynamic section, as the loader does. It does not say how many symbols there are: the section
// header does, and in a stripped file the hash table. A file may be damaged or hostile, so every offset goes
// through ElfFile's checked reads, and what contradicts itself is DataLoss.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cases/base/status_macros.h"
#include "impl_loader/library/elf_file.h"
#include "impl_loader/library/library.h"

namespace diopi::loader {
namespace {

constexpr uint16_t kHiddenVersion = 0x8000;

// Reads the dynamic section of one file.
class DynamicReader {
 public:
  explicit DynamicReader(const ElfFile& elf) : elf_(elf) {}

  absl::StatusOr<ElfSymbols> Read() {
    RETURN_IF_ERROR(ReadDynamic());
    RETURN_IF_ERROR(ReadNames());
    RETURN_IF_ERROR(ReadSymbols());
    return std::move(symbols_);
  }

 private:
  absl::Status Broken(const std::string& text) const {
    return absl::DataLossError(absl::StrCat(elf_.path(), ": inconsistent: ", text));
  }

  // The value of the last entry with this tag.
  std::optional<uint64_t> Tag(int64_t tag) const {
    std::optional<uint64_t> value;
    for (const Elf64_Dyn& entry : dynamic_) {
      if (entry.d_tag == tag) value = entry.d_un.d_val;
    }
    return value;
  }

  // The file offset of the table a tag points to; nullopt without the tag.
  absl::StatusOr<std::optional<uint64_t>> Table(int64_t tag, const char* name) const {
    const std::optional<uint64_t> address = Tag(tag);
    if (!address) return std::optional<uint64_t>();
    const std::optional<uint64_t> offset = elf_.OffsetOf(*address);
    if (!offset) return Broken(absl::StrCat(name, " points outside the file"));
    return offset;
  }

  absl::Status ReadDynamic();
  absl::Status ReadNames();
  absl::Status ReadSymbols();
  absl::StatusOr<uint64_t> CountSymbols() const;
  std::optional<uint64_t> CountBySection() const;
  absl::StatusOr<uint64_t> CountByGnuHash(uint64_t table) const;
  void Sort(const Elf64_Sym& symbol, uint16_t version, std::string name);

  const ElfFile& elf_;
  std::vector<Elf64_Dyn> dynamic_;
  uint64_t strings_ = 0;
  uint64_t strings_size_ = 0;
  ElfSymbols symbols_;
};

absl::Status DynamicReader::ReadDynamic() {
  const auto& segments = elf_.segments();
  const auto it = std::find_if(segments.begin(), segments.end(),
                               [](const Elf64_Phdr& segment) { return segment.p_type == PT_DYNAMIC; });
  if (it == segments.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(elf_.path(), ": no dynamic section: not a shared library"));
  }
  for (uint64_t i = 0; i < it->p_filesz / sizeof(Elf64_Dyn); ++i) {
    Elf64_Dyn entry;
    if (!elf_.ReadEntry(it->p_offset, i, &entry)) return Broken("the dynamic section lies outside the file");
    if (entry.d_tag == DT_NULL) break;
    dynamic_.push_back(entry);
  }
  if ((Tag(DT_FLAGS_1).value_or(0) & DF_1_PIE) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(elf_.path(), ": a program, not a shared library"));
  }
  ASSIGN_OR_RETURN(const auto strings, Table(DT_STRTAB, "the string table"));
  if (!strings) return Broken("no string table");
  strings_ = *strings;
  strings_size_ = Tag(DT_STRSZ).value_or(0);
  if (strings_ > elf_.size() || elf_.size() - strings_ < strings_size_) {
    return Broken("the string table ends outside the file");
  }
  return absl::OkStatus();
}

absl::Status DynamicReader::ReadNames() {
  std::error_code error;
  std::filesystem::path real = std::filesystem::weakly_canonical(elf_.path(), error);
  if (error) real = elf_.path();
  const std::string origin = real.parent_path().string();
  for (const Elf64_Dyn& entry : dynamic_) {
    const bool search = entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
    if (entry.d_tag != DT_NEEDED && !search) continue;
    const std::optional<std::string> text = elf_.String(strings_, strings_size_, entry.d_un.d_val);
    if (!text) return Broken("a name in the dynamic section lies outside the string table");
    if (!search) {
      symbols_.needed.push_back(*text);
      continue;
    }
    for (absl::string_view folder : absl::StrSplit(*text, ':', absl::SkipEmpty())) {
      symbols_.search_path.push_back(
          absl::StrReplaceAll(folder, {{"$ORIGIN", origin}, {"${ORIGIN}", origin}}));
    }
  }
  return absl::OkStatus();
}

std::optional<uint64_t> DynamicReader::CountBySection() const {
  const Elf64_Ehdr& header = elf_.header();
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!elf_.ReadEntry(header.e_shoff, i, &section)) return std::nullopt;
    if (section.sh_type == SHT_DYNSYM && section.sh_addr == Tag(DT_SYMTAB).value_or(0) &&
        section.sh_entsize == sizeof(Elf64_Sym)) {
      return section.sh_size / sizeof(Elf64_Sym);
    }
  }
  return std::nullopt;
}

// The hash table covers the symbols from `first` on; the last one ends the chain of the highest bucket.
absl::StatusOr<uint64_t> DynamicReader::CountByGnuHash(uint64_t table) const {
  uint32_t buckets = 0, first = 0, bloom = 0;
  if (!elf_.Read(table, &buckets) || !elf_.Read(table + 4, &first) || !elf_.Read(table + 8, &bloom)) {
    return Broken("the hash table lies outside the file");
  }
  const uint64_t bucket_table = table + 16 + uint64_t{bloom} * 8;
  uint32_t highest = 0;
  for (uint64_t i = 0; i < buckets; ++i) {
    uint32_t bucket = 0;
    if (!elf_.ReadEntry(bucket_table, i, &bucket)) return Broken("the hash table ends outside the file");
    highest = std::max(highest, bucket);
  }
  if (highest == 0) return uint64_t{first};
  if (highest < first) return Broken("the hash table's buckets and its first symbol disagree");
  const uint64_t chain_table = bucket_table + uint64_t{buckets} * 4;
  for (uint64_t i = highest;; ++i) {
    uint32_t link = 0;
    if (!elf_.ReadEntry(chain_table, i - first, &link)) return Broken("a hash chain has no end");
    if ((link & 1) != 0) return i + 1;
  }
}

absl::StatusOr<uint64_t> DynamicReader::CountSymbols() const {
  if (const auto count = CountBySection()) return *count;
  ASSIGN_OR_RETURN(const auto hash, Table(DT_HASH, "the hash table"));
  if (hash) {
    uint32_t chains = 0;
    if (!elf_.Read(*hash + 4, &chains)) return Broken("the hash table lies outside the file");
    return uint64_t{chains};
  }
  ASSIGN_OR_RETURN(const auto gnu, Table(DT_GNU_HASH, "the hash table"));
  if (gnu) return CountByGnuHash(*gnu);
  return Broken("no hash table");
}

void DynamicReader::Sort(const Elf64_Sym& symbol, uint16_t version, std::string name) {
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (binding != STB_GLOBAL && binding != STB_WEAK && binding != STB_GNU_UNIQUE) return;
  if (type == STT_SECTION || type == STT_FILE) return;
  if (symbol.st_shndx == SHN_UNDEF) {
    (binding == STB_WEAK ? symbols_.undefined_weak : symbols_.undefined_strong).push_back(std::move(name));
    return;
  }
  const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  if (visibility != STV_DEFAULT && visibility != STV_PROTECTED) return;
  if (version == VER_NDX_LOCAL) return;
  const bool old = (version & kHiddenVersion) != 0 && (version & ~kHiddenVersion) > VER_NDX_GLOBAL;
  (old ? symbols_.exported_old : symbols_.exported).push_back(std::move(name));
}

absl::Status DynamicReader::ReadSymbols() {
  ASSIGN_OR_RETURN(const auto table, Table(DT_SYMTAB, "the symbol table"));
  if (!table) return Broken("no symbol table");
  ASSIGN_OR_RETURN(const uint64_t count, CountSymbols());
  ASSIGN_OR_RETURN(const auto versions, Table(DT_VERSYM, "the version table"));
  for (uint64_t i = 1; i < count; ++i) {
    Elf64_Sym symbol;
    uint16_t version = VER_NDX_GLOBAL;
    if (!elf_.ReadEntry(*table, i, &symbol)) return Broken("the symbol table ends outside the file");
    if (versions && !elf_.ReadEntry(*versions, i, &version)) {
      return Broken("the version table ends outside the file");
    }
    std::optional<std::string> name = elf_.String(strings_, strings_size_, symbol.st_name);
    if (!name) return Broken(absl::StrCat("the name of symbol ", i, " lies outside the string table"));
    if (!name->empty()) Sort(symbol, version, *std::move(name));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ElfSymbols> ReadElfSymbols(const std::string& path) {
  ASSIGN_OR_RETURN(ElfFile elf, ElfFile::Open(path));
  return DynamicReader(elf).Read();
}

absl::StatusOr<ElfSymbols> ReadForeignElfSymbols(const std::string& path) {
  ASSIGN_OR_RETURN(ElfFile elf, ElfFile::Open(path, Machine::kAny));
  absl::StatusOr<ElfSymbols> symbols = DynamicReader(elf).Read();
  if (symbols.ok()) symbols->other_machine = elf.other_machine();
  return symbols;
}

absl::Status CheckElf(const std::string& path) {
  return ElfFile::CheckHeader(path);
}

}  // namespace diopi::loader
