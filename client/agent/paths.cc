#include "client/agent/paths.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

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

std::string ReferenceLibraryOr(const std::string& path) {
  return path.empty() ? DefaultReferenceLibrary() : path;
}

std::string CudaReferenceLibrary() {
  return (std::filesystem::path(ProgramFolder()).parent_path() / "lib" / "libdiopi_cuda.so").string();
}

std::string DefaultDataFolder() {
  const char* folder = std::getenv("DIOPI_DATA");
  return folder != nullptr && *folder != '\0' ? folder : "diopi-data";
}

std::string AbsolutePath(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error).lexically_normal();
  return error ? path : absolute.string();
}

}  // namespace diopi::agent
