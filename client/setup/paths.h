// Where our programs find each other and keep their data.
#ifndef CLIENT_SETUP_PATHS_H_
#define CLIENT_SETUP_PATHS_H_

#include <string>

#include "absl/status/status.h"

namespace diopi::agent {

// The folder of the running program.
std::string ProgramFolder();

// A program of ours beside the running one.
std::string ProgramBeside(const std::string& name);

// libdiopi_cpu.so in ../lib beside the running program.
std::string DefaultReferenceLibrary();

// libdiopi_native16.so, in the folder of a reference library.
std::string Native16LibraryBeside(const std::string& reference_library);

// `path`, or that one where it is empty.
std::string ReferenceLibraryOr(const std::string& path);

// libdiopi_cuda.so there; a build without the CUDA toolkit has none.
std::string CudaReferenceLibrary();

// $DIOPI_DATA, or diopi-data in the current folder.
std::string DefaultDataFolder();

// The public headers, diopi/*.h, of the build or the installation that this program is of.
std::string IncludeFolder();

// Whether the file can be written, found by opening it: its folders are made, its content stays.
// PermissionDenied, with the path and why.
absl::Status CheckCanWrite(const std::string& path);

// An absolute path without "." and "..", links kept; an empty one stays empty.
std::string AbsolutePath(const std::string& path);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_PATHS_H_
