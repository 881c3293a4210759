#include "baselines/tap/reference_library.h"

#include <filesystem>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/base/temporary_folder.h"
#include "impl_loader/library/imports.h"
#include "impl_loader/library/library.h"
#include "impl_loader/runtime/host.h"
#include "proto/abi/abi.h"

namespace diopi::tap {
namespace {

using loader::InProcessLibrary;
using loader::Library;

// Our runtime functions by name. They are looked up in the file that holds our tensors' code, because a name
// alone may lead to the host's.
absl::StatusOr<std::map<std::string, void*>> OurRuntime() {
  ASSIGN_OR_RETURN(const std::string path,
                   loader::FileOfAddress(reinterpret_cast<const void*>(&runtime::ElementBytes)));
  ASSIGN_OR_RETURN(Library library, Library::Open(path));
  std::map<std::string, void*> functions;
  for (const abi::Function* function : abi::RuntimeFunctions()) {
    if (void* symbol = library.Symbol(function->name()); symbol != nullptr)
      functions[function->name()] = symbol;
  }
  return functions;  // libdiopirt.so stays loaded, because this library needs it
}

// The reference's own functions, which call each other: a host may have loaded the tap so that the names lead
// there.
void AddOwnFunctions(InProcessLibrary& reference, std::map<std::string, void*>* functions) {
  for (const abi::Function* function : abi::Functions()) {
    if (void* symbol = reference.Symbol(function->name()); symbol != nullptr)
      (*functions)[function->name()] = symbol;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<InProcessLibrary>> OpenReference(const std::string& path,
                                                                const std::string& library) {
  std::error_code error;
  std::string file = path;
  std::optional<TemporaryFolder> folder;
  if (std::filesystem::equivalent(path, library, error)) {
    ASSIGN_OR_RETURN(folder, TemporaryFolder::Make());
    file = *folder / "reference.so";  // once it is loaded, its name may go
    if (!std::filesystem::copy_file(path, file, error)) {
      return absl::InternalError(absl::StrCat(path, " cannot be copied to ", file, ": ", error.message()));
    }
  }
  ASSIGN_OR_RETURN(std::unique_ptr<InProcessLibrary> reference, InProcessLibrary::Open(file));
  ASSIGN_OR_RETURN(auto functions, OurRuntime());
  AddOwnFunctions(*reference, &functions);
  const void* inside = reference->Symbol("diopiAdd");
  RETURN_IF_ERROR(loader::RedirectImports(inside, functions).status());
  return reference;
}

}  // namespace diopi::tap
