// Schema version 1: its tables, and what became of them. Private to this folder.
#ifndef SERVER_STORE_VERSION_1_H_
#define SERVER_STORE_VERSION_1_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// Makes the tables of version 1 in an empty file. Both functions run in the caller's transaction.
absl::Status MakeVersion1(Connection* connection);

// Moves the cases and verdicts of version 1 into the tables of version 2, which must be empty, and drops the
// tables of version 1. Reads and writes every verdict, about 20 us each, and tells how far it has come every
// ten seconds; `tell` may be empty.
absl::Status CarryOverVersion1(Connection* connection,
                               const std::function<void(const std::string&)>& on_progress);

}  // namespace diopi::server

#endif  // SERVER_STORE_VERSION_1_H_
