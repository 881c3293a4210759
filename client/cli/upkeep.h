// Shared by the commands that change a results database.
#ifndef CLIENT_CLI_UPKEEP_H_
#define CLIENT_CLI_UPKEEP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::cli {

// The path of a data folder's results database (empty: the default folder). NotFound when it is missing.
// Migrates a file of an earlier version, and says so on standard error.
absl::StatusOr<std::string> DatabaseToChange(const std::string& data_folder);

// OK if `yes`, or if the user at the terminal agrees. InvalidArgument, naming --yes, without a terminal;
// Cancelled if the user does not agree.
absl::Status Confirm(const std::string& question, bool yes);

// "31.2 MB".
std::string Megabytes(int64_t bytes);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_UPKEEP_H_
