// Checks before every call whether the caller may make it.
#ifndef SERVER_RPC_GUARD_H_
#define SERVER_RPC_GUARD_H_

#include <grpcpp/server_context.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "server/door/door.h"
#include "server/security/authorizer.h"

namespace diopi::server {

// Thread-safe.
class Guard {
 public:
  // `authorizer` must outlive the guard; null: everybody may do everything. `secret`: the token that callers
  // on a Unix socket must send; empty: none. `own`: the token of the server itself, which may read; empty:
  // none. `door`, which may be null, learns which connections are no strangers'.
  explicit Guard(Authorizer* authorizer = nullptr, std::string secret = "", std::string own = "",
                 Door* door = nullptr)
      : authorizer_(authorizer), secret_(std::move(secret)), own_(std::move(own)), door_(door) {}

  // Who calls `method` ("Lease"), by the token in the call's metadata, if the table in rpc_roles.h allows it.
  // A Unix socket needs no token: its permissions decide who can connect, and they may do everything, with
  // the secret if there is one. Statuses of Authorizer::Check and RoleOfRpc; Unauthenticated without the
  // secret.
  absl::StatusOr<Identity> Admit(const grpc::ServerContextBase& context, const char* method) const;

  // Authorizer::CheckChip.
  absl::Status CheckChip(const Identity& caller, const std::string& chip) const {
    return authorizer_ == nullptr ? absl::OkStatus() : authorizer_->CheckChip(caller, chip);
  }

  // Demands `role` for something that shows only in the request or its data; `what` names it.
  static absl::Status Require(const Identity& identity, Role role, const char* what);

 private:
  absl::StatusOr<Identity> Check(const grpc::ServerContextBase& context, const std::string& peer,
                                 const char* method) const;

  Authorizer* authorizer_;
  std::string secret_;
  std::string own_;
  Door* door_;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_GUARD_H_
