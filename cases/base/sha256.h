// SHA-256 of a file, by which run records identify a library.
#ifndef CASES_BASE_SHA256_H_
#define CASES_BASE_SHA256_H_

#include <string>

#include "absl/status/statusor.h"

namespace diopi {

// 64 hex digits. NotFound when the file cannot be opened, Internal when it cannot be read.
absl::StatusOr<std::string> Sha256OfFile(const std::string& path);

}  // namespace diopi

#endif  // CASES_BASE_SHA256_H_
