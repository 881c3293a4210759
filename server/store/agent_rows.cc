#include "server/store/agent_rows.h"

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"

namespace diopi::server {
namespace {

constexpr char kKeepAgent[] = "INSERT OR REPLACE INTO agents (agent_id, facts, seen) VALUES (?, ?, ?)";
constexpr char kForgetAgent[] = "DELETE FROM agents WHERE agent_id = ?";
constexpr char kSelectAgents[] = "SELECT agent_id, facts, seen FROM agents ORDER BY agent_id";

}  // namespace

absl::Status WriteAgent(Connection* connection, const KnownAgent& agent) {
  ASSIGN_OR_RETURN(Statement insert, connection->Prepare(kKeepAgent));
  const std::string blob = agent.facts.SerializeAsString();
  insert.Bind(agent.facts.agent_id(), blob, agent.seen);
  return insert.Run().status();
}

absl::Status DeleteAgent(Connection* connection, const std::string& agent_id) {
  ASSIGN_OR_RETURN(Statement remove, connection->Prepare(kForgetAgent));
  remove.Bind(agent_id);
  return remove.Run().status();
}

absl::StatusOr<std::vector<KnownAgent>> ReadAgents(Connection* connection) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectAgents));
  std::vector<KnownAgent> agents;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) return agents;
    KnownAgent& agent = agents.emplace_back();
    if (!agent.facts.ParseFromString(select.Text(1))) {
      return absl::DataLossError(
          absl::StrCat(connection->path(), ": agent ", select.Text(0), " cannot be read: it is damaged"));
    }
    agent.seen = select.Text(2);
  }
}

}  // namespace diopi::server
