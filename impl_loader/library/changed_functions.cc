#include "impl_loader/library/changed_functions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "impl_loader/library/code_pieces.h"
#include "impl_loader/library/elf_image.h"
#include "impl_loader/library/library.h"
#include "proto/abi/abi.h"

namespace diopi::loader {
namespace {

ChangedFunctions Everything(std::string why) {
  ChangedFunctions changed;
  changed.everything = true;
  changed.why = std::move(why);
  return changed;
}

const std::set<std::string>& AbiNames() {
  static const auto& names = *new std::set<std::string>([] {
    std::set<std::string> all;
    for (const abi::Function* function : abi::Functions()) all.insert(function->name());
    return all;
  }());
  return names;
}

// The first key whose value differs, or that only one of them has.
std::optional<std::string> FirstDifference(const Pieces& a, const Pieces& b) {
  for (const auto& [key, content] : a) {
    const auto at = b.find(key);
    if (at == b.end()) return absl::StrCat(key, " is gone");
    if (at->second != content) return absl::StrCat(key, " differs");
  }
  for (const auto& [key, content] : b) {
    if (!a.contains(key)) return absl::StrCat(key, " is new");
  }
  return std::nullopt;
}

std::set<std::string> DifferentFunctions(const LibraryPieces& a, const LibraryPieces& b) {
  std::set<std::string> different;
  for (const auto& [side, other] : {std::pair{&a, &b}, {&b, &a}}) {
    for (const auto& [name, content] : side->functions) {
      const auto at = other->functions.find(name);
      if (at == other->functions.end() || at->second != content) different.insert(name);
    }
  }
  return different;
}

bool Intersect(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const std::string& name) { return b.contains(name); });
}

// A function that refers to a changed one counts as changed. If anything else refers to a changed function,
// any function may call it.
ChangedFunctions Compare(const LibraryPieces& a, const LibraryPieces& b) {
  if (const std::optional<std::string> difference = FirstDifference(a.rest, b.rest))
    return Everything(*difference);
  std::set<std::string> different = DifferentFunctions(a, b);
  for (size_t before = 0; before != different.size();) {
    before = different.size();
    for (const LibraryPieces* side : {&a, &b}) {
      for (const auto& [name, referred] : side->referred) {
        if (Intersect(referred, different)) different.insert(name);
      }
    }
  }
  for (const LibraryPieces* side : {&a, &b}) {
    for (const std::string& name : different) {
      if (side->referred_by_rest.contains(name)) {
        return Everything(absl::StrCat(name, " differs, and other code or data refers to it"));
      }
    }
  }
  ChangedFunctions changed;
  changed.functions.assign(different.begin(), different.end());
  return changed;
}

}  // namespace

absl::StatusOr<ChangedFunctions> CompareLibraries(const std::string& old_path, const std::string& new_path) {
  std::vector<ElfImage> images;
  std::vector<std::string> needed;
  for (const std::string& path : {old_path, new_path}) {
    ASSIGN_OR_RETURN(const ElfSymbols symbols, ReadElfSymbols(path));
    needed.push_back(absl::StrJoin(symbols.needed, " "));
    ASSIGN_OR_RETURN(ElfImage image, ElfImage::Open(path));
    images.push_back(std::move(image));
  }
  if (needed[0] != needed[1]) {
    return Everything(absl::StrCat("other libraries are needed: ", needed[1], ", was ", needed[0]));
  }
  const bool relocated = HasRelocations(images[0]) && HasRelocations(images[1]);
  if (relocated) {
    const absl::StatusOr<LibraryPieces> before = RelocatedPieces(images[0], AbiNames());
    const absl::StatusOr<LibraryPieces> after = RelocatedPieces(images[1], AbiNames());
    if (before.ok() && after.ok()) return Compare(*before, *after);
    return Everything(std::string((before.ok() ? after : before).status().message()));
  }
  const std::optional<std::string> difference =
      FirstDifference(LoadedSections(images[0]), LoadedSections(images[1]));
  if (!difference.has_value()) return ChangedFunctions();
  return Everything(
      absl::StrCat(*difference,
                   ", and without kept relocations it cannot be assigned to a function; link both libraries "
                   "with -Wl,--emit-relocs"));
}

}  // namespace diopi::loader
