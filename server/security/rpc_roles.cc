#include "server/security/rpc_roles.h"

#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace diopi::server {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 20> kRoles = {{
    {"GetServerInfo", Role::kRead}, {"GetRun", Role::kRead},     {"ListRuns", Role::kRead},
    {"ReadVerdicts", Role::kRead},  {"ReadAnswer", Role::kRead}, {"ListAgents", Role::kRead},
    {"WatchRun", Role::kRead},      {"CreateRun", Role::kRun},   {"Lease", Role::kRun},
    {"Fetch", Role::kRun},          {"Report", Role::kRun},      {"FinishRun", Role::kRun},
    {"Serve", Role::kRun},          {"Heartbeat", Role::kRun},   {"EndAssignment", Role::kRun},
    {"Leave", Role::kRun},          {"HealthCase", Role::kRun},  {"FetchImpl", Role::kRun},
    {"Submit", Role::kRun},     // with a library: admin, checked when it is received
    {"CancelRun", Role::kRun},  // of another's run: admin, checked when the run is known
}};

}  // namespace

absl::StatusOr<Role> RoleOfRpc(std::string_view method) {
  for (const auto& [name, role] : kRoles) {
    if (name == method) return role;
  }
  return absl::PermissionDeniedError(
      absl::StrCat("nobody may call ", std::string(method), ": it has no role"));
}

}  // namespace diopi::server
