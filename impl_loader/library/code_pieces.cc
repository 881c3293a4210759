// Addresses move between two builds even where no code has changed. Kept relocations (--emit-relocs) show
// which bytes of a function are addresses and what they refer to; these bytes are replaced by names before
// pieces are compared. Where a field cannot be resolved, the functions concerned count as changed: an
// unnecessary run costs time, a missing one hides a failure.
#include "impl_loader/library/code_pieces.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace diopi::loader {
namespace {

// Sections that the linker makes from parts that are compared anyway, and unwind tables, which follow from
// their code.
bool IsDerived(const ImageSection& section) {
  static const auto& names = *new std::set<std::string>{
      ".dynsym",      ".dynstr",        ".hash",          ".gnu.hash",     ".rela.dyn",
      ".rela.plt",    ".relr.dyn",      ".got",           ".got.plt",      ".plt",
      ".plt.got",     ".plt.sec",       ".dynamic",       ".eh_frame",     ".eh_frame_hdr",
      ".gnu.version", ".gnu.version_r", ".gnu.version_d", ".relro_padding"};
  return names.contains(section.name) || section.header.sh_type == SHT_NOTE;
}

// Size of the field that an x86-64 relocation fills; 0: not known. System V ABI, AMD64 supplement, table 4.9.
size_t FieldBytes(uint32_t type) {
  switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64:
    case R_X86_64_GOTOFF64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_RELATIVE:
      return 8;
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
    case R_X86_64_DTPOFF32:
    case R_X86_64_GOTTPOFF:
    case R_X86_64_TPOFF32:
    case R_X86_64_GOTPC32:
    case R_X86_64_GOTPC32_TLSDESC:
      return 4;
    default:
      return 0;
  }
}

bool IsPcRelative(uint32_t type) {
  return type == R_X86_64_PC32 || type == R_X86_64_PLT32 || type == R_X86_64_PC64;
}

// Most names that the same code may have, on average. Constructors have two or three.
constexpr uint64_t kMostAliases = 16;

// The length of the padding instruction at the start of `code`; 0: there is none.
size_t PaddingBytes(std::string_view code) {
  const auto at = [code](size_t i) { return i < code.size() ? static_cast<unsigned char>(code[i]) : 0xFFu; };
  if (at(0) == 0x00 || at(0) == 0xCC) return 1;
  size_t i = 0;
  while (at(i) == 0x66 || at(i) == 0x2E) ++i;
  if (at(i) == 0x90) return i + 1;
  if (at(i) != 0x0F || at(i + 1) != 0x1F) return 0;
  size_t length = 0;
  switch (at(i + 2)) {
    case 0x00:
      length = 3;
      break;
    case 0x40:
      length = 4;
      break;
    case 0x44:
      length = 5;
      break;
    case 0x80:
      length = 7;
      break;
    case 0x84:
      length = 8;
      break;
    default:
      return 0;
  }
  return i + length <= code.size() ? i + length : 0;
}

bool IsPadding(std::string_view code) {
  while (!code.empty()) {
    const size_t bytes = PaddingBytes(code);
    if (bytes == 0) return false;
    code.remove_prefix(bytes);
  }
  return true;
}

class Relocated {
 public:
  Relocated(const ElfImage& image, const std::set<std::string>& abi_names)
      : image_(image), abi_names_(abi_names) {
    for (const ImageSymbol& symbol : image.symbols()) {
      if (symbol.function()) functions_.push_back(&symbol);
    }
    std::stable_sort(functions_.begin(), functions_.end(), [](const ImageSymbol* a, const ImageSymbol* b) {
      return std::pair(a->entry.st_value, a->name) < std::pair(b->entry.st_value, b->name);
    });
    for (const ImageSymbol* symbol : functions_) starts_.emplace(symbol->entry.st_value, symbol->name);
  }

  absl::StatusOr<LibraryPieces> Take() {
    for (size_t i = 0; i < image_.sections().size(); ++i) {
      const ImageSection& section = image_.sections()[i];
      if (!section.loaded() || IsDerived(section)) continue;
      if (section.header.sh_type == SHT_NOBITS) {
        pieces_.rest[absl::StrCat("section ", section.name)] = absl::StrCat(section.header.sh_size, " bytes");
      } else if (section.code()) {
        TakeCode(i);
      } else {
        Add(absl::StrCat("section ", section.name),
            Content(i, 0, section.bytes.size(), &pieces_.referred_by_rest), &pieces_.rest);
      }
    }
    if (!status_.ok()) return status_;
    return std::move(pieces_);
  }

 private:
  void Add(const std::string& key, const std::string& content, Pieces* pieces) {
    std::string& piece = (*pieces)[key];  // static functions may share a name
    piece += content;
  }

  void TakeCode(size_t index);
  std::string Content(size_t index, uint64_t from, uint64_t to, std::set<std::string>* referred);
  std::string Target(const Elf64_Rela& rela, std::set<std::string>* referred) const;
  std::string NameAt(uint64_t address, std::set<std::string>* referred) const;
  void Refer(const std::string& name, std::set<std::string>* referred) const {
    if (abi_names_.contains(name)) referred->insert(name);
  }

  const ElfImage& image_;
  const std::set<std::string>& abi_names_;
  std::vector<const ImageSymbol*> functions_;  // by address
  std::map<uint64_t, std::string> starts_;
  LibraryPieces pieces_;
  absl::Status status_;
};

void Relocated::TakeCode(size_t index) {
  const ImageSection& section = image_.sections()[index];
  uint64_t covered = 0;  // bytes of the section
  uint64_t taken = 0;    // of functions, which may be aliases of each other
  std::string gaps;
  const auto gap = [&](uint64_t to) {
    if (to > covered && !IsPadding(section.bytes.substr(covered, to - covered)))
      gaps += Content(index, covered, to, &pieces_.referred_by_rest);
  };
  for (const ImageSymbol* symbol : functions_) {
    if (!section.Holds(symbol->entry.st_value)) continue;
    const uint64_t from = symbol->entry.st_value - section.header.sh_addr;
    const uint64_t to = from + std::min<uint64_t>(symbol->entry.st_size, section.bytes.size() - from);
    taken += to - from;
    if (taken / kMostAliases > section.bytes.size()) {
      status_ =
          absl::UnimplementedError(absl::StrCat("the functions in ", section.name, " overlap: they are ",
                                                kMostAliases, " times as large as it is, or more"));
      return;
    }
    gap(from);
    covered = std::max(covered, to);
    const std::string name(absl::StripSuffix(symbol->name, ".cold"));
    const bool global = ELF64_ST_BIND(symbol->entry.st_info) != STB_LOCAL || name != symbol->name;
    const bool of_abi = global && abi_names_.contains(name);
    std::set<std::string>* referred = of_abi ? &pieces_.referred[name] : &pieces_.referred_by_rest;
    Add(of_abi ? name : absl::StrCat("function ", symbol->name), Content(index, from, to, referred),
        of_abi ? &pieces_.functions : &pieces_.rest);
  }
  gap(section.bytes.size());
  if (!gaps.empty()) Add(absl::StrCat("code without a name in ", section.name), gaps, &pieces_.rest);
}

// The bytes, with relocated fields as zeros, then a line for each of these fields, and for each field without
// a relocation that could refer to a function's first byte, as the assembler itself resolves references
// inside a section.
std::string Relocated::Content(size_t index, uint64_t from, uint64_t to, std::set<std::string>* referred) {
  const ImageSection& section = image_.sections()[index];
  std::string bytes(section.bytes.substr(from, to - from));
  std::string references;
  std::vector<bool> relocated(bytes.size(), false);
  const auto kept = image_.kept_relocations().find(index);
  if (kept != image_.kept_relocations().end()) {
    const auto begin =
        std::lower_bound(kept->second.begin(), kept->second.end(), section.header.sh_addr + from,
                         [](const Elf64_Rela& rela, uint64_t address) { return rela.r_offset < address; });
    for (auto rela = begin; rela != kept->second.end() && rela->r_offset < section.header.sh_addr + to;
         ++rela) {
      const auto type = static_cast<uint32_t>(ELF64_R_TYPE(rela->r_info));
      if (type == R_X86_64_NONE || type == R_X86_64_TLSDESC_CALL) continue;
      const uint64_t at = rela->r_offset - section.header.sh_addr - from;
      const size_t width = FieldBytes(type);
      if (width == 0 || bytes.size() - at < width) {
        status_ = absl::UnimplementedError(absl::StrCat("a relocation of type ", type, " in ", section.name,
                                                        ", which this program does not know"));
        return bytes;
      }
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), width, '\0');
      std::fill_n(relocated.begin() + static_cast<std::ptrdiff_t>(at), width, true);
      absl::StrAppend(&references, "\n", at, " ", type, " ", Target(*rela, referred));
    }
  }
  if (!section.code()) return absl::StrCat(bytes, references);
  for (uint64_t at = 0; at + 4 <= bytes.size(); ++at) {
    if (relocated[at] || relocated[at + 3]) continue;
    int32_t distance = 0;
    std::memcpy(&distance, bytes.data() + at, sizeof(distance));
    const uint64_t here = section.header.sh_addr + from;
    const uint64_t address = here + at + 4 + static_cast<uint64_t>(static_cast<int64_t>(distance));
    if (starts_.empty() || address < starts_.begin()->first || address > starts_.rbegin()->first) continue;
    const auto target = starts_.find(address);
    if (target != starts_.end() && target->first != here) {
      Refer(target->second, referred);
      absl::StrAppend(&references, "\n", at, " near ", target->second);
    }
  }
  return absl::StrCat(bytes, references);
}

std::string Relocated::Target(const Elf64_Rela& rela, std::set<std::string>* referred) const {
  const ImageSymbol& symbol = image_.symbols()[ELF64_R_SYM(rela.r_info)];
  if (!symbol.name.empty() && ELF64_ST_TYPE(symbol.entry.st_info) != STT_SECTION) {
    Refer(symbol.name, referred);
    return absl::StrCat(symbol.name, " ", rela.r_addend);
  }
  // For a section's symbol, names what lies at the address.
  const auto type = static_cast<uint32_t>(ELF64_R_TYPE(rela.r_info));
  const uint64_t behind = IsPcRelative(type) ? 4 : 0;  // the field, from whose end the distance is counted
  return NameAt(symbol.entry.st_value + static_cast<uint64_t>(rela.r_addend) + behind, referred);
}

std::string Relocated::NameAt(uint64_t address, std::set<std::string>* referred) const {
  const ImageSection* section = image_.SectionAt(address);
  if (section == nullptr) return absl::StrCat("address ", address);
  if (section->code()) {
    const auto behind = std::upper_bound(
        functions_.begin(), functions_.end(), address,
        [](uint64_t value, const ImageSymbol* symbol) { return value < symbol->entry.st_value; });
    if (behind != functions_.begin()) {
      const ImageSymbol& symbol = **std::prev(behind);
      const uint64_t into = address - symbol.entry.st_value;
      if (into < symbol.entry.st_size) {
        Refer(symbol.name, referred);
        return absl::StrCat(symbol.name, " + ", into);
      }
    }
  }
  // A data section must be the same as a whole.
  return absl::StrCat(section->name, " + ", address - section->header.sh_addr);
}

}  // namespace

bool HasRelocations(const ElfImage& image) {
  if (image.machine() != EM_X86_64 || image.symbols().empty()) return false;
  return std::any_of(image.kept_relocations().begin(), image.kept_relocations().end(),
                     [&image](const auto& entry) { return image.sections()[entry.first].code(); });
}

absl::StatusOr<LibraryPieces> RelocatedPieces(const ElfImage& image, const std::set<std::string>& abi_names) {
  return Relocated(image, abi_names).Take();
}

Pieces LoadedSections(const ElfImage& image) {
  Pieces pieces;
  for (const ImageSection& section : image.sections()) {
    if (!section.loaded() || section.header.sh_type == SHT_NOTE) continue;
    pieces[absl::StrCat("section ", section.name)] =
        absl::StrCat(section.header.sh_addr, " ", section.header.sh_size, " ", std::string(section.bytes));
  }
  return pieces;
}

}  // namespace diopi::loader
