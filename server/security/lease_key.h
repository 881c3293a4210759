// What makes the name of a lease its secret: only the agent that got the lease knows it, and any server over
// the same data folder recognises it, also when the lease has expired or the server was started again.
#ifndef SERVER_SECURITY_LEASE_KEY_H_
#define SERVER_SECURITY_LEASE_KEY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace diopi::server {

struct LeaseHolder {
  std::string_view run_id;
  std::string_view agent_id;
};

// Thread-safe.
class LeaseKey {
 public:
  // Of DATA/lease_key, which is made when it is not there, for its owner alone. Statuses of errno, with the
  // path; DataLoss when it is no key.
  static absl::StatusOr<LeaseKey> Open(const std::string& data_folder);

  // "12" to "12-" and 32 hex digits.
  std::string Sign(const LeaseHolder& holder, std::string_view lease) const;
  // The lease that Sign was given for this holder; nothing when it was another, or none.
  std::optional<std::string> Verify(const LeaseHolder& holder, std::string_view signed_lease) const;

 private:
  explicit LeaseKey(std::string key) : key_(std::move(key)) {}

  std::string key_;
};

}  // namespace diopi::server

#endif  // SERVER_SECURITY_LEASE_KEY_H_
