// Reads whole files that users name.
#ifndef CASES_BASE_READ_FILE_H_
#define CASES_BASE_READ_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace diopi {

inline constexpr size_t kMostFileBytes = size_t{16} << 20;

// The content of a file or pipe. Statuses of ReadError (file_error.h), and InvalidArgument when it has more
// than `most_bytes`; messages begin with the path. Thread-safe.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t most_bytes = kMostFileBytes);

}  // namespace diopi

#endif  // CASES_BASE_READ_FILE_H_
