// Where our programs find each other and keep their data.
#ifndef CLIENT_SETUP_PATHS_H_
#define CLIENT_SETUP_PATHS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/rpc/credentials.h"

namespace diopi::agent {

// The folder of the running program.
std::string ProgramFolder();

// The path of one of our programs beside the running one.
std::string ProgramBeside(const std::string& name);

// libdiopi_cpu.so in ../lib beside the running program.
std::string DefaultReferenceLibrary();

// libdiopi_native16.so, in the folder of a reference library.
std::string Native16LibraryBeside(const std::string& reference_library);

// `path`, or DefaultReferenceLibrary() when it is empty.
std::string ReferenceLibraryOr(const std::string& path);

// libdiopi_cuda.so in the same folder; a build without the CUDA toolkit has none.
std::string CudaReferenceLibrary();

// What a tested library must not see (loader::WorkerOptions::hidden): the data folder, the tensors that an
// agent keeps of other servers, and the user's token and key.
std::vector<std::string> HiddenFromLibraries(const std::string& data_folder,
                                             const rpc::CredentialFiles& credentials);

// The folder of the public headers, diopi/*.h, in this program's build or installation.
std::string IncludeFolder();

// Checks that the file can be written by opening it: keeps its content, creates no folders. Statuses of
// WriteError (cases/base/file_error.h).
absl::Status CheckCanWrite(const std::string& path);

// An absolute path without "." and "..", links kept; empty for an empty path.
std::string AbsolutePath(const std::string& path);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_PATHS_H_
