// Documents into files: whole or not at all.
#ifndef CLIENT_CLI_OUTPUT_H_
#define CLIENT_CLI_OUTPUT_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace diopi::cli {

// Standard output when `path` is empty. A file is written beside its place and renamed, so that a reader sees
// the old one or the new one whole; pipes and devices are written to as they are. InvalidArgument when the
// folder is missing or may not be written to, Internal for anything else (a full disk); both name the file.
absl::Status WriteOutput(std::string_view text, const std::string& path);

// The same for a program that writes the file itself: `write` is given the path beside.
absl::Status WriteBeside(const std::string& path,
                         const std::function<absl::Status(const std::string& temporary)>& write);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_OUTPUT_H_
