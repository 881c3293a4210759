// Rows of `agents`. Private to this folder; the caller holds the connection.
#ifndef SERVER_STORE_AGENT_ROWS_H_
#define SERVER_STORE_AGENT_ROWS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/database.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// Replaces the agent's row.
absl::Status WriteAgent(Connection* connection, const KnownAgent& agent);
absl::Status DeleteAgent(Connection* connection, const std::string& agent_id);
// Sorted by id. DataLoss when a row is damaged.
absl::StatusOr<std::vector<KnownAgent>> ReadAgents(Connection* connection);

}  // namespace diopi::server

#endif  // SERVER_STORE_AGENT_ROWS_H_
