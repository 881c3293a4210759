#include "server/rpc/guard.h"

#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "server/security/rpc_roles.h"
#include "server/security/secret.h"

namespace diopi::server {
namespace {

std::string_view TokenOf(const grpc::ServerContextBase& context) {
  const auto found = context.client_metadata().find("authorization");
  if (found == context.client_metadata().end()) return {};
  return BearerToken({found->second.data(), found->second.size()});
}

}  // namespace

absl::StatusOr<Identity> Guard::Admit(const grpc::ServerContextBase& context, const char* method) const {
  const std::string peer = context.peer();
  absl::StatusOr<Identity> caller = Check(context, peer, method);
  if (caller.ok() && door_ != nullptr) door_->Admit(peer);
  return caller;
}

absl::StatusOr<Identity> Guard::Check(const grpc::ServerContextBase& context, const std::string& peer,
                                      const char* method) const {
  ASSIGN_OR_RETURN(const Role role, RoleOfRpc(method));
  if (!own_.empty() && role == Role::kRead && SameSecret(TokenOf(context), own_)) {
    return Identity{"diopi-server", Role::kRead};
  }
  const bool local = absl::StartsWith(peer, "unix:");
  if (local && !secret_.empty() && !SameSecret(TokenOf(context), secret_)) {
    return absl::UnauthenticatedError("this server belongs to an agent and serves no other client");
  }
  if (authorizer_ != nullptr && !local) return authorizer_->Check(TokenOf(context), role);
  return Identity{kAnyone, Role::kAdmin};
}

absl::Status Guard::Require(const Identity& identity, Role role, const char* what) {
  if (identity.role >= role) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("the token of '", identity.name, "' has the role ",
                                                  RoleWord(identity.role), "; ", what, " needs ",
                                                  RoleWord(role)));
}

}  // namespace diopi::server
