// Writes what a subcommand prints, or its --output file.
#ifndef CLIENT_CLI_OUTPUT_H_
#define CLIENT_CLI_OUTPUT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "reports/render/lists.h"

namespace diopi::cli {

// Writes to standard output when `path` is empty, and else as ReplaceFile (cases/base/write_file.h), with its
// statuses.
absl::Status WriteOutput(std::string_view text, const std::string& path);

// Writes a table in one of reports::ListFormats().
absl::Status WriteTable(const reports::Table& table, const std::string& format, const std::string& path = "");

}  // namespace diopi::cli

#endif  // CLIENT_CLI_OUTPUT_H_
