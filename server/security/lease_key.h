// Makes the name of a lease a secret: only the agent that got the lease knows it, and any server over the
// same data folder recognises it, even after the lease has expired or the server was restarted.
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
  // Reads DATA/lease_key, or makes it, readable by its owner only. Statuses of errno, with the path; DataLoss
  // for an invalid key.
  static absl::StatusOr<LeaseKey> Open(const std::string& data_folder);

  // "12" to "12-" and 32 hex digits.
  std::string Sign(const LeaseHolder& holder, std::string_view lease) const;
  // The lease that Sign signed for this holder; nullopt: it signed no such name.
  std::optional<std::string> Verify(const LeaseHolder& holder, std::string_view signed_lease) const;

 private:
  explicit LeaseKey(std::string key) : key_(std::move(key)) {}

  std::string key_;
};

}  // namespace diopi::server

#endif  // SERVER_SECURITY_LEASE_KEY_H_
