// Decides by a caller's token whether it may do something. gRPC and HTTP use the same object.
#ifndef SERVER_SECURITY_AUTHORIZER_H_
#define SERVER_SECURITY_AUTHORIZER_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/security/role.h"

namespace diopi::server {

struct Identity {
  std::string name;
  Role role = Role::kAdmin;
};

// Thread-safe.
class Authorizer {
 public:
  // Requires tokens if `require` is set, and as soon as DATA/tokens exists. Changes of the file take effect
  // at once; if it is removed or cannot be read, nobody gets in.
  static std::unique_ptr<Authorizer> FromTokens(const std::string& data_folder, bool require);
  virtual ~Authorizer() = default;

  // Whose `token` it is (empty: none), if its role includes `role`. Where no tokens are required, everybody
  // may do everything, as "anyone". Unauthenticated: no token, or an unknown or expired one.
  // PermissionDenied: another role is needed. FailedPrecondition, DataLoss, Internal: DATA/tokens cannot be
  // read.
  virtual absl::StatusOr<Identity> Check(std::string_view token, Role role) = 0;

  // Whether `caller` may register agents and start runs for this chip. A chip that a token names is reserved
  // for the tokens that name it, and for administrators, until the last of them is revoked. PermissionDenied
  // names those who may; other errors as from Check.
  virtual absl::Status CheckChip(const Identity& caller, const std::string& chip) = 0;
};

// The name of the token that Check refused; empty: unknown.
std::string RefusedToken(const absl::Status& status);

// The token in the value of a header `authorization: Bearer TOKEN`; empty: none.
std::string_view BearerToken(std::string_view header);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_AUTHORIZER_H_
