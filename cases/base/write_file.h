// Writes whole files that users name.
#ifndef CASES_BASE_WRITE_FILE_H_
#define CASES_BASE_WRITE_FILE_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace diopi {

// Replaces the file in one step: a reader sees the old or the new one whole, and an error leaves the old one.
// Pipes and devices are written directly. Creates no folders. Statuses of WriteError, which name `path`.
absl::Status ReplaceFile(const std::string& path, std::string_view bytes);

// The same for a program that writes the file itself: `write` gets the temporary path, and its status is
// returned.
absl::Status ReplaceFileWith(const std::string& path,
                             const std::function<absl::Status(const std::string& temporary)>& write);

// Creates the folder, and those above it, unless it is there. Statuses of WriteError. An empty path is the
// current folder.
absl::Status MakeFolder(const std::string& path);

}  // namespace diopi

#endif  // CASES_BASE_WRITE_FILE_H_
