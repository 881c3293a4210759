// The one table that says which role each RPC needs.
#ifndef SERVER_SECURITY_RPC_ROLES_H_
#define SERVER_SECURITY_RPC_ROLES_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "server/security/role.h"

namespace diopi::server {

// `method`: without its service ("Lease"), as no two services share a name. PermissionDenied for a method
// that is not in the table: a new RPC is refused until somebody has decided who may call it.
absl::StatusOr<Role> RoleOfRpc(std::string_view method);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_RPC_ROLES_H_
