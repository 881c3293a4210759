// Finds the libraries a library needs, as the dynamic loader would, without loading any.
#ifndef IMPL_LOADER_LIBRARY_LIBRARY_SEARCH_H_
#define IMPL_LOADER_LIBRARY_LIBRARY_SEARCH_H_

#include <string>
#include <unordered_set>
#include <vector>

#include "impl_loader/library/library.h"

namespace diopi::loader {

struct SearchOptions {
  // Folders searched after a library's own search path; from LD_LIBRARY_PATH by default.
  std::vector<std::string> library_path;
  // The loader's configuration file; its folders come next, then the system's default folders.
  std::string ld_so_conf = "/etc/ld.so.conf";

  static SearchOptions FromEnvironment();
};

struct MissingLibrary {
  std::string name;       // "libcudnn.so.9"
  std::string needed_by;  // the path of the library that names it
};

struct Dependencies {
  std::vector<std::string> found;  // paths, each once, nearest first
  std::vector<MissingLibrary> missing;
  std::unordered_set<std::string> exported;  // by all of the found ones, old versions included
};

// All libraries that the one at `path` with these symbols needs, directly or not. libdiopirt.so, which the
// host has loaded already, is neither searched nor reported as missing.
Dependencies FindDependencies(const std::string& path, const ElfSymbols& symbols,
                              const SearchOptions& options);

// Adds what a C++ program has loaded before any library: the C and C++ runtime.
void AddHostLibraries(const SearchOptions& options, Dependencies* dependencies);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_LIBRARY_SEARCH_H_
