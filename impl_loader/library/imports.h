// Redirects what a loaded library imports.
#ifndef IMPL_LOADER_LIBRARY_IMPORTS_H_
#define IMPL_LOADER_LIBRARY_IMPORTS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace diopi::loader {

// Makes the library that holds the address `inside` call `functions` by these names, whatever the loader
// bound the names to: its slots in the global offset table are overwritten (no other library's are). With
// this a library can run on runtime functions other than its process's, or be watched while it calls them.
// Returns how many slots were overwritten; FailedPrecondition when there is no such library, or a slot
// cannot be written. Not thread-safe with calls of the library that use these names.
absl::StatusOr<int> RedirectImports(const void* inside, const std::map<std::string, void*>& functions);

// The file of the loaded library that holds the address. NotFound when there is none.
absl::StatusOr<std::string> FileOfAddress(const void* address);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_IMPORTS_H_
