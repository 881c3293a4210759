// The schema as numbered migrations. Private to this folder.
#ifndef SERVER_STORE_SCHEMA_H_
#define SERVER_STORE_SCHEMA_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// Brings the file to kSchemaVersion, one transaction for all missing steps, so that a process killed in the
// middle leaves the old schema. FailedPrecondition, naming both versions, for a newer file; DataLoss for a
// database of another program. `tell` is called with a sentence for the log before and after an older file is
// migrated, and every ten seconds while verdicts are carried over; `before_step`, for tests, with the version
// that the next step starts from and, before the commit, with the version reached.
absl::Status Migrate(Connection* connection, const std::function<void(const std::string&)>& on_progress = {},
                     const std::function<void(int64_t)>& before_step = {});

// The same checks without writing; an older file is FailedPrecondition too, as a reader cannot migrate it.
absl::Status CheckSchema(Connection* connection);

}  // namespace diopi::server

#endif  // SERVER_STORE_SCHEMA_H_
