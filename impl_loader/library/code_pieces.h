// Takes a library apart into pieces that can be compared with another library's: the ABI's functions, and
// everything else.
#ifndef IMPL_LOADER_LIBRARY_CODE_PIECES_H_
#define IMPL_LOADER_LIBRARY_CODE_PIECES_H_

#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "impl_loader/library/elf_image.h"

namespace diopi::loader {

using Pieces = std::map<std::string, std::string>;  // from a piece's name to its content

struct LibraryPieces {
  Pieces functions;  // by the name in the ABI
  Pieces rest;
  // Functions of the ABI that are referred to, by each such function and by anything in the rest.
  std::map<std::string, std::set<std::string>> referred;
  std::set<std::string> referred_by_rest;
};

// Whether the image is x86-64 and has a symbol table and kept relocations of its code.
bool HasRelocations(const ElfImage& image);

// Pieces without any address of the file: relocated fields are replaced by the names they refer to.
// Unimplemented for an unknown relocation.
absl::StatusOr<LibraryPieces> RelocatedPieces(const ElfImage& image, const std::set<std::string>& abi_names);

// Everything that is loaded, by section, with its address; without the notes, which change with every link.
Pieces LoadedSections(const ElfImage& image);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_CODE_PIECES_H_
