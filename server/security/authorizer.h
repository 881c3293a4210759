// Whether a caller may do something, by the token it brings. gRPC and HTTP ask the same.
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
  // Tokens are asked for when `require`, and from when DATA/tokens is there: it counts from the moment it is
  // changed, and when it is taken away, or cannot be read, nobody gets in.
  static std::unique_ptr<Authorizer> FromTokens(const std::string& data_folder, bool require);
  virtual ~Authorizer() = default;

  // Who brings `token` (empty: none), if he may do what needs `role`. Where no tokens are asked for,
  // everybody may do everything, as "anyone". Unauthenticated: no token, nobody's, or one that has expired.
  // PermissionDenied: another role is needed. FailedPrecondition, DataLoss, Internal: DATA/tokens cannot be
  // read.
  virtual absl::StatusOr<Identity> Check(std::string_view token, Role role) = 0;
};

// Whose token it was that Check refused; empty: nobody's.
std::string RefusedToken(const absl::Status& status);

// The token in the value of a header `authorization: Bearer TOKEN`; empty when it is none.
std::string_view BearerToken(std::string_view header);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_AUTHORIZER_H_
