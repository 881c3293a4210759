// Puts the messages of a Lease stream together again: cases with whole tensors.
#ifndef CLIENT_RPC_LEASE_ASSEMBLER_H_
#define CLIENT_RPC_LEASE_ASSEMBLER_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "cases/core/tensor.h"
#include "diopi/v1/service.pb.h"

namespace diopi::rpc {

// One case of a lease, ready to run.
struct LeasedCase {
  std::string lease_id;
  v1::Case c;
  std::string reference;    // provenance
  std::string unavailable;  // not empty: no usable baseline; the reason
  TensorMap inputs;
  TensorMap references;
};

// Bytes of a case's tensors.
int64_t TensorBytes(const LeasedCase& leased);

// Feed every message in order. DataLoss, naming the case and the tensor, for a stream that breaks its own
// rules: a chunk out of order, too many bytes, a tensor left incomplete, a count that does not match.
class LeaseAssembler {
 public:
  using Consumer = std::function<absl::Status(LeasedCase)>;

  // `consumer` is called once per complete case; its error ends the lease.
  explicit LeaseAssembler(Consumer consumer) : consumer_(std::move(consumer)) {}

  // Takes what it needs out of `message`.
  absl::Status Add(v1::LeaseMessage* message);
  // The stream has ended: everything that was announced must have come.
  absl::Status Finish() const;

  bool has_header() const { return has_header_; }
  const v1::LeaseMessage::Header& header() const { return header_; }

 private:
  absl::Status StartCase(v1::LeaseMessage::CaseStart* start);
  absl::Status AddChunk(v1::TensorChunk* chunk, TensorMap* tensors);
  absl::Status EndCase();
  absl::Status Broken(const std::string& what) const;

  Consumer consumer_;
  bool has_header_ = false;
  v1::LeaseMessage::Header header_;
  bool in_case_ = false;
  int cases_ = 0;
  int announced_inputs_ = 0;
  int announced_references_ = 0;
  LeasedCase current_;
  // Bytes received of the tensor that is still incomplete; empty key: none.
  std::string open_key_;
  int64_t open_total_ = 0;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_LEASE_ASSEMBLER_H_
