// Files that the gate reads.
#ifndef CLIENT_CLI_GATE_FILES_H_
#define CLIENT_CLI_GATE_FILES_H_

#include <string>

#include "absl/status/statusor.h"

namespace diopi::cli {

// NotFound when there is none; InvalidArgument for a folder, or more than 16 MiB; Internal otherwise.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_GATE_FILES_H_
