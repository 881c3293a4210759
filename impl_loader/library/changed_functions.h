// Finds the functions of the ABI whose machine code differs between two libraries, by reading the files only.
//
// It needs x86-64, a symbol table, and relocations that the linker kept (link with -Wl,--emit-relocs; they
// are never loaded). Functions are compared by their bytes and by the names that their relocated fields refer
// to: positions in the file do not matter. That is exact with -ffunction-sections; without it, functions of
// one source file whose distance to a static function changed count as changed. Without kept relocations the
// answer is that nothing changed, if everything that is loaded is the same, or that everything may have.
//
// A function counts as changed when its own code (its cold part included) changed, or a function of the ABI
// that it refers to. Other calls are not followed, so everything else must be the same: every other function,
// static ones and templates too, all constants and data (device code in the file is data), constructors, and
// the needed libraries. If any of these differs, or refers to a changed function, the answer is that
// everything may have changed. No comparison of two files can see changes of the libraries that they need, of
// the driver, or of files that are read at run time.
#ifndef IMPL_LOADER_LIBRARY_CHANGED_FUNCTIONS_H_
#define IMPL_LOADER_LIBRARY_CHANGED_FUNCTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::loader {

struct ChangedFunctions {
  bool everything = false;
  std::string why;                     // if `everything`: the first thing that differs
  std::vector<std::string> functions;  // otherwise: functions that differ, are new or are gone; sorted
};

// Errors as of ReadElfSymbols; InvalidArgument for a library without a section table.
absl::StatusOr<ChangedFunctions> CompareLibraries(const std::string& old_path, const std::string& new_path);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_CHANGED_FUNCTIONS_H_
