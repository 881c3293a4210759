// How much of a results database the runs of one token may take, and the status of a request beyond that:
// ResourceExhausted, as for a full disk, but caused by the caller and not by the server.
#ifndef SERVER_STORE_QUOTA_H_
#define SERVER_STORE_QUOTA_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace diopi::server {

// 0: no limit.
struct Quota {
  int open_runs = 0;  // queued or running
  int64_t bytes = 0;  // that their results take, approximately
};

inline constexpr char kQuotaMark[] = "diopi/quota";

inline absl::Status QuotaError(absl::string_view text) {
  absl::Status status = absl::ResourceExhaustedError(text);
  status.SetPayload(kQuotaMark, absl::Cord());
  return status;
}

inline bool IsQuotaError(const absl::Status& status) {
  return status.GetPayload(kQuotaMark).has_value();
}

}  // namespace diopi::server

#endif  // SERVER_STORE_QUOTA_H_
