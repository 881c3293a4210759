// Reads the technical specification of a chip from a file.
#ifndef CLIENT_CLI_SPEC_FILE_H_
#define CLIENT_CLI_SPEC_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "diopi/v1/spec.pb.h"

namespace diopi::cli {

// NotFound when the file cannot be read; InvalidArgument for mistakes in it, and when it describes another
// chip than `chip`.
absl::StatusOr<v1::ChipSpec> ReadSpec(const std::string& path, const std::string& chip);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_SPEC_FILE_H_
