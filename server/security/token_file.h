// The file DATA/tokens: who may call the server. Each line has the form `NAME ROLE CREATED SALT HASH`, then
// its time if the token expires, and `chip=NAME` for each of its chips. A token is 256 random bits, shown
// once when it is made; the file only has SHA-256(salt, token), with 128 bits of salt per token. Only the
// server's user can access the file (0600), and it is replaced as a whole.
#ifndef SERVER_SECURITY_TOKEN_FILE_H_
#define SERVER_SECURITY_TOKEN_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/security/role.h"

namespace diopi::server {

struct TokenRecord {
  std::string name;  // letters, digits and . _ - ; 1 to 64
  Role role = Role::kRead;
  std::string created;  // RFC 3339, UTC
  std::string salt;     // 32 hex digits
  std::string hash;     // 64 hex digits
  absl::Time expires = absl::InfiniteFuture();
  std::vector<std::string> chips = {};  // reserved for tokens that name them (Authorizer::CheckChip)
};

// DATA/tokens
std::string TokenPath(const std::string& data_folder);

// NotFound when there is no file. FailedPrecondition when others may read or write it. DataLoss, with its
// number, for an invalid line.
absl::StatusOr<std::vector<TokenRecord>> ReadTokens(const std::string& path);

// Makes a token, "diopi_" and 64 hex digits, and returns it. AlreadyExists for a name that has a token,
// InvalidArgument for an invalid name. The names of `chips` are printable.
absl::StatusOr<std::string> AddToken(const std::string& data_folder, const std::string& name, Role role,
                                     absl::Time expires = absl::InfiniteFuture(),
                                     const std::vector<std::string>& chips = {});

// When a token made `now` expires: "90d", "12h", or a date as "2027-01-31", the token's last day (UTC).
// Empty: never. InvalidArgument for anything else, and for a time in the past.
absl::StatusOr<absl::Time> ParseExpiry(std::string_view text, absl::Time now);
// RFC 3339, UTC; "never".
std::string ExpiryText(absl::Time expires);

// NotFound when the name has no token. The file stays when it was the last token: see Authorizer.
absl::Status RevokeToken(const std::string& data_folder, const std::string& name);

// The token's record; null: unknown. Looks at every record, and compares in constant time.
const TokenRecord* FindToken(const std::vector<TokenRecord>& records, std::string_view token);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_TOKEN_FILE_H_
