// Combines the batches of ReadVerdicts streams. Private to this folder.
#ifndef CLIENT_RPC_VERDICT_COLLECTOR_H_
#define CLIENT_RPC_VERDICT_COLLECTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/rpc/client.h"
#include "diopi/v1/service.pb.h"

namespace diopi::rpc {

class VerdictCollector {
 public:
  explicit VerdictCollector(const v1::ReadVerdictsRequest& request);

  // The request for the next stream, which continues after the last verdict received.
  const v1::ReadVerdictsRequest& request() const { return request_; }
  size_t size() const { return verdicts_.size(); }
  // Moves the verdicts out of the batch. DataLoss when the batch breaks the rules of its message.
  absl::Status Add(v1::VerdictBatch* batch);
  // Call it once, after a stream that ended without error. DataLoss when the run has more verdicts than came.
  absl::StatusOr<RunVerdicts> Finish();

 private:
  v1::ReadVerdictsRequest request_;
  RunVerdicts whole_;  // without verdicts until Finish
  bool begun_ = false;
  std::vector<v1::Verdict> verdicts_;
  std::vector<int64_t> positions_;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_VERDICT_COLLECTOR_H_
