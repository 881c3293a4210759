// Detects whether a file is still the same, without reading it again.
#ifndef IMPL_LOADER_LIBRARY_FILE_IDENTITY_H_
#define IMPL_LOADER_LIBRARY_FILE_IDENTITY_H_

#include <string>

#include "absl/status/statusor.h"

namespace diopi::loader {

// "device:inode:bytes:modified:changed" of an open file, the times in nanoseconds. The kernel updates the
// last one with every write, rename or change of attributes, so equal texts mean the same file with the same
// content. Internal when the descriptor is invalid.
absl::StatusOr<std::string> FileIdentity(int descriptor);

// Device and inode of the file that is mapped at `address` in this process, as /proc/self/maps writes them;
// empty when there is none.
std::string MappedFile(const void* address);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_FILE_IDENTITY_H_
