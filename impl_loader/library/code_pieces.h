// A library taken apart into pieces that can be compared with another's: the ABI's functions, and all the
// rest.
#ifndef IMPL_LOADER_LIBRARY_CODE_PIECES_H_
#define IMPL_LOADER_LIBRARY_CODE_PIECES_H_

#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "impl_loader/library/elf_image.h"

namespace diopi::loader {

using Pieces = std::map<std::string, std::string>;  // what it is, in words, and its content

struct LibraryPieces {
  Pieces functions;  // by the name in the ABI
  Pieces rest;
  // Functions of the ABI that are referred to: by each of them, and by anything of the rest.
  std::map<std::string, std::set<std::string>> referred;
  std::set<std::string> referred_by_rest;
};

// x86-64, with a symbol table, and the linker kept the relocations of code.
bool HasRelocations(const ElfImage& image);

// Pieces in which no address of the file is left: relocated fields are replaced by the names they refer to.
// Unimplemented for a relocation that is not known.
absl::StatusOr<LibraryPieces> RelocatedPieces(const ElfImage& image, const std::set<std::string>& abi_names);

// All that is loaded, by section, with its address. Without the notes, which change with every link.
Pieces LoadedSections(const ElfImage& image);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_CODE_PIECES_H_
