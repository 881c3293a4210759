// Finds which functions of the ABI a library offers, and what would keep it from loading. Reads the library's
// file and runs none of its code.
#ifndef IMPL_LOADER_LIBRARY_ABI_CHECK_H_
#define IMPL_LOADER_LIBRARY_ABI_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl_loader/library/library_search.h"

namespace diopi::loader {

struct AbiCheckOptions {
  // Libraries loaded with it (--device-lib): their exports count as provided, and their device functions
  // count for the dialect.
  std::vector<std::string> beside;
  SearchOptions search = SearchOptions::FromEnvironment();
};

// A symbol that is wrong, why, and the names that may have been meant.
struct AbiSymbol {
  std::string symbol;     // as in the file
  std::string demangled;  // equals `symbol` unless it is C++-mangled
  std::string problem;    // in words
  std::vector<std::string> nearest;
};

struct MetaSymbol {
  enum class State { kExported, kMangled, kAbsent };
  std::string name;
  State state = State::kAbsent;
};

struct AbiReport {
  std::string path;
  // Not empty ("AArch64"): the file is for another architecture. The libraries it needs are not searched, so
  // `missing` and `dependencies` are empty, and `undefined` and `undefined_weak` hold only diopi* names.
  std::string machine;
  std::vector<std::string> implemented;  // operator functions, in header order
  std::vector<std::string> lacking;      // the others
  std::vector<AbiSymbol> unknown;        // exported diopi* names the ABI does not know, mangled ones included
  std::vector<AbiSymbol> undefined;      // strong symbols nobody provides: the library does not load
  std::vector<AbiSymbol> undefined_weak;    // weak diopi* symbols nobody provides: null when called
  std::vector<MissingLibrary> missing;      // needed libraries that were not found
  std::vector<std::string> dependencies;    // those that were found
  std::string dialect;                      // of its device functions: "conform_test", "register" or "none"
  std::vector<std::string> device_lacking;  // functions of conform_test, when only some are exported
  std::vector<MetaSymbol> meta;

  // Nothing keeps the library from loading, and no exported name is wrong.
  bool ok() const {
    return unknown.empty() && undefined.empty() && undefined_weak.empty() && missing.empty() &&
           device_lacking.empty();
  }

  // A run refuses the library: it does not load, lacks some of its device functions, or has nothing to test.
  bool refused() const {
    return !undefined.empty() || !missing.empty() || !device_lacking.empty() || implemented.empty();
  }
};

// Errors as of ReadForeignElfSymbols; InvalidArgument where the libraries are of different architectures.
absl::StatusOr<AbiReport> CheckAbi(const std::string& path, const AbiCheckOptions& options = {});

struct AbiTextOptions {
  bool implemented = false;  // list the functions that are there
  bool missing = false;      // list those that are missing
};

// The report as text, for a terminal: findings first.
std::string FormatAbiReport(const AbiReport& report, const AbiTextOptions& options = {});

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_ABI_CHECK_H_
