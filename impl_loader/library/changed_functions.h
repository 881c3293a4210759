// Which functions of the ABI have other machine code in one library than in another, read from the files
// alone.
//
// It needs relocations that the linker kept (link with -Wl,--emit-relocs; they are never loaded), x86-64 and
// a symbol table. A function is compared by its bytes and by what its relocated fields refer to, by name:
// where things lie in the file does not count. That is exact with -ffunction-sections; without, functions of
// one source file whose distance to a static function changed count as changed. Without kept relocations the
// answer is that nothing changed, when all that is loaded is the same, or that everything may have.
//
// A function counts as changed when its own code (and its cold part) is, or a function of the ABI that it
// refers to. Other calls are not followed, so everything else has to be the same: every other function,
// static ones and templates too, all constants and data (device code in the file is data), constructors, the
// libraries that it needs. Where anything of that differs, or refers to a changed function, everything may
// have changed, and that is the answer. What no comparison of two files sees: other versions of the libraries
// that they need, the driver, files that are read at run time.
#ifndef IMPL_LOADER_LIBRARY_CHANGED_FUNCTIONS_H_
#define IMPL_LOADER_LIBRARY_CHANGED_FUNCTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::loader {

struct ChangedFunctions {
  bool everything = false;
  std::string why;                     // of `everything`: the first thing that differs
  std::vector<std::string> functions;  // otherwise: the ABI's names that differ, are new or are gone; sorted
};

// Errors as of ReadElfSymbols; InvalidArgument for a library without a section table.
absl::StatusOr<ChangedFunctions> CompareLibraries(const std::string& old_path, const std::string& new_path);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_CHANGED_FUNCTIONS_H_
