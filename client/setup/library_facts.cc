#include "client/setup/library_facts.h"

#include <fcntl.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/base/sha256.h"
#include "cases/base/status_macros.h"
#include "client/setup/paths.h"
#include "impl_loader/library/file_identity.h"
#include "impl_loader/library/library.h"
#include "proto/abi/abi.h"

namespace diopi::agent {

absl::StatusOr<LibraryFacts> InspectLibrary(const std::string& path) {
  RETURN_IF_ERROR(loader::CheckElf(path));
  ASSIGN_OR_RETURN(loader::ElfSymbols symbols, loader::ReadElfSymbols(path));
  // Opened once, so that hash and identity belong to the same file.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const absl::StatusOr<std::string> before = loader::FileIdentity(file.get());
  if (!before.ok()) return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  ASSIGN_OR_RETURN(std::string hash, Sha256OfFile(absl::StrCat("/proc/self/fd/", file.get())));
  const absl::StatusOr<std::string> after = loader::FileIdentity(file.get());
  if (!after.ok() || *after != *before) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": changed while its SHA-256 was being computed"));
  }
  LibraryFacts facts;
  facts.path = AbsolutePath(path);
  facts.sha256 = std::move(hash);
  facts.identity = *before;
  for (const std::string& name : symbols.exported) {
    if (abi::FindFunction(name) != nullptr) facts.implemented.insert(name);
  }
  return facts;
}

absl::StatusOr<LibraryFacts> InspectOperators(const std::string& path) {
  absl::StatusOr<LibraryFacts> facts = InspectLibrary(path);
  if (!facts.ok() || !facts->implemented.empty()) return facts;
  return absl::InvalidArgumentError(absl::StrCat(path, " exports none of the ", abi::Functions().size(),
                                                 " DIOPI functions (such as diopiAdd); is it the right "
                                                 "library, and are its symbols visible?"));
}

}  // namespace diopi::agent
