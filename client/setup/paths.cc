#include "client/setup/paths.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cases/base/descriptor.h"
#include "cases/base/file_error.h"
#include "client/rpc/tensor_cache.h"

namespace diopi::agent {

std::string ProgramFolder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "." : self.parent_path().string();
}

std::string ProgramBeside(const std::string& name) {
  return ProgramFolder() + "/" + name;
}

std::string DefaultReferenceLibrary() {
  return (std::filesystem::path(ProgramFolder()).parent_path() / "lib" / "libdiopi_cpu.so").string();
}

std::string Native16LibraryBeside(const std::string& reference_library) {
  return std::filesystem::path(reference_library).replace_filename("libdiopi_native16.so").string();
}

std::string ReferenceLibraryOr(const std::string& path) {
  return path.empty() ? DefaultReferenceLibrary() : path;
}

std::string CudaReferenceLibrary() {
  return (std::filesystem::path(ProgramFolder()).parent_path() / "lib" / "libdiopi_cuda.so").string();
}

std::vector<std::string> HiddenFromLibraries(const std::string& data_folder,
                                             const rpc::CredentialFiles& credentials) {
  const char* key = std::getenv("DIOPI_TLS_KEY");
  std::vector<std::string> hidden;
  for (const std::string& path : {data_folder, rpc::DefaultCacheFolder(), credentials.token_file,
                                  credentials.tls_key, std::string(key == nullptr ? "" : key)}) {
    if (!path.empty()) hidden.push_back(AbsolutePath(path));
  }
  return hidden;
}

std::string IncludeFolder() {
  return (std::filesystem::path(ProgramFolder()).parent_path() / "include").string();
}

absl::Status CheckCanWrite(const std::string& path) {
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644));
  // A named pipe that nobody reads yet: writing will wait for a reader.
  if (file.get() < 0) return errno == ENXIO && there ? absl::OkStatus() : WriteError(path, errno);
  if (!there) unlink(path.c_str());
  return absl::OkStatus();
}

std::string AbsolutePath(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error).lexically_normal();
  return error ? path : absolute.string();
}

}  // namespace diopi::agent
