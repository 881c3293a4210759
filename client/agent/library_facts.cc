#include "client/agent/library_facts.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "client/agent/sha256.h"
#include "impl_loader/library/library.h"
#include "proto/abi/abi.h"

namespace diopi::agent {

absl::StatusOr<LibraryFacts> InspectLibrary(const std::string& path) {
  const absl::Status elf = loader::CheckElf(path);
  if (!elf.ok()) return elf;
  absl::StatusOr<loader::ElfSymbols> symbols = loader::ReadElfSymbols(path);
  if (!symbols.ok()) return symbols.status();
  absl::StatusOr<std::string> hash = Sha256OfFile(path);
  if (!hash.ok()) return hash.status();
  LibraryFacts facts;
  std::error_code error;
  facts.path = std::filesystem::absolute(path, error).lexically_normal().string();
  if (error) facts.path = path;
  facts.sha256 = *std::move(hash);
  for (const std::string& name : symbols->exported) {
    if (abi::FindFunction(name) != nullptr) facts.implemented.insert(name);
  }
  return facts;
}

}  // namespace diopi::agent
