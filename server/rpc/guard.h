// What stands before every call: may the caller make it?
#ifndef SERVER_RPC_GUARD_H_
#define SERVER_RPC_GUARD_H_

#include <grpcpp/server_context.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "server/security/authorizer.h"

namespace diopi::server {

// Thread-safe.
class Guard {
 public:
  // Null: everybody may do everything. It must outlive the guard. `secret`: what callers on a Unix socket
  // bring as their token; empty: they need none.
  explicit Guard(Authorizer* authorizer = nullptr, std::string secret = "")
      : authorizer_(authorizer), secret_(std::move(secret)) {}

  // Who calls `method` ("Lease"), by the token in the call's metadata and the table in rpc_roles.h. A Unix
  // socket needs no token: its permissions say who gets in, and who does, with the secret where there is one,
  // may do everything. The statuses of Authorizer::Check and RoleOfRpc; Unauthenticated without the secret.
  absl::StatusOr<Identity> Admit(const grpc::ServerContextBase& context, const char* method) const;

  // For what shows only in the request or in the data that it asks for: needs `role` besides.
  static absl::Status Require(const Identity& identity, Role role, const char* what);

 private:
  Authorizer* authorizer_;
  std::string secret_;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_GUARD_H_
