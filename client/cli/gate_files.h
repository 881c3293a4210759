// Reads the gate's input files.
#ifndef CLIENT_CLI_GATE_FILES_H_
#define CLIENT_CLI_GATE_FILES_H_

#include <string>

#include "absl/status/statusor.h"

namespace diopi::cli {

// NotFound for a missing file; InvalidArgument for a folder or more than 16 MiB; Internal for other errors.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_GATE_FILES_H_
