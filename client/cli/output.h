// Writes files atomically.
#ifndef CLIENT_CLI_OUTPUT_H_
#define CLIENT_CLI_OUTPUT_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "reports/render/lists.h"

namespace diopi::cli {

// Writes to standard output when `path` is empty. Writes a file under a temporary name and renames it, so
// that a reader sees either the old or the new file whole; writes to pipes and devices directly.
// InvalidArgument when the folder is missing or not writable, Internal for anything else (a full disk); both
// name the file.
absl::Status WriteOutput(std::string_view text, const std::string& path);

// Writes a table in one of reports::ListFormats().
absl::Status WriteTable(const reports::Table& table, const std::string& format, const std::string& path = "");

// The same for a program that writes the file itself: `write` gets the temporary path.
absl::Status WriteBeside(const std::string& path,
                         const std::function<absl::Status(const std::string& temporary)>& write);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_OUTPUT_H_
