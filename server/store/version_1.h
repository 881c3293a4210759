// Schema version 1: its tables, and what became of them. Private to this folder.
#ifndef SERVER_STORE_VERSION_1_H_
#define SERVER_STORE_VERSION_1_H_

#include "absl/status/status.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// The tables of version 1, in an empty file. In the caller's transaction, as the next.
absl::Status MakeVersion1(Connection* connection);

// Writes the cases and verdicts of version 1 into the tables of version 2, which are there and empty, and
// drops its tables. Reads and writes every verdict, about 20 us each.
absl::Status CarryOverVersion1(Connection* connection);

}  // namespace diopi::server

#endif  // SERVER_STORE_VERSION_1_H_
