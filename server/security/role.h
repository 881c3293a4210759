// What a caller may do. Each role includes those before it.
#ifndef SERVER_SECURITY_ROLE_H_
#define SERVER_SECURITY_ROLE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace diopi::server {

// The numbers are internal; the words are stored in DATA/tokens: never change them.
enum class Role {
  kRead = 1,   // look at runs, agents, metrics
  kRun = 2,    // test a chip: make runs, lease, report, submit
  kAdmin = 3,  // also: upload libraries, cancel runs of others
};

// The name of callers where no token is required.
inline constexpr char kAnyone[] = "anyone";

// "read", "run", "admin"
std::string RoleWord(Role role);
// InvalidArgument for another word.
absl::StatusOr<Role> ParseRole(std::string_view word);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_ROLE_H_
