// What the commands that change a results database share.
#ifndef CLIENT_CLI_UPKEEP_H_
#define CLIENT_CLI_UPKEEP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::cli {

// The results database of a data folder (empty: the default one), which must be there; a file of an earlier
// version is migrated, and standard error says so.
absl::StatusOr<std::string> DatabaseToChange(const std::string& data_folder);

// OK when `yes`, or when somebody at the terminal agrees to the question. InvalidArgument, naming --yes,
// where there is no terminal; Cancelled when the answer is another.
absl::Status Confirm(const std::string& question, bool yes);

// "31.2 MB".
std::string Megabytes(int64_t bytes);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_UPKEEP_H_
