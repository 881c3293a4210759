// What upkeep.cc and archive.cc share. Private to this folder.
#ifndef SERVER_STORE_UPKEEP_ROWS_H_
#define SERVER_STORE_UPKEEP_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// Opens an existing file of this schema.
absl::StatusOr<std::unique_ptr<Connection>> OpenForUpkeep(const std::string& path, Connection::Mode mode);

// The rows of these runs, each once, in the order given. NotFound.
absl::StatusOr<std::vector<int64_t>> RowsOfRuns(Connection* connection,
                                                const std::vector<std::string>& run_ids);

// FailedPrecondition when the run goes on or, with `untagged`, has a tag.
absl::Status CheckOver(Connection* connection, int64_t run, bool untagged);

}  // namespace diopi::server

#endif  // SERVER_STORE_UPKEEP_ROWS_H_
