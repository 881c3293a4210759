// Puts the messages of a Lease stream together again: cases with whole tensors, wherever these come from.
#ifndef CLIENT_RPC_LEASE_ASSEMBLER_H_
#define CLIENT_RPC_LEASE_ASSEMBLER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cases/base/hash.h"
#include "cases/base/tensor.h"
#include "client/rpc/tensor_cache.h"
#include "diopi/v1/service.pb.h"

namespace diopi::rpc {

// One case of a lease, ready to run.
struct LeasedCase {
  std::string lease_id;
  v1::Case c;
  std::string reference;  // provenance
  // Not empty: no usable baseline (the server's words), or tensors that are not what the server announced:
  // a reason to judge nothing, never a fault of the chip's. There are no tensors then.
  std::string unavailable;
  bool quarantined = false;      // it is unavailable because a reference fails it
  std::string device_reference;  // whose outputs stand beside the oracle's; empty: nobody's
  TensorMap inputs;
  TensorMap references;
};

// Bytes of a case's tensors.
int64_t TensorBytes(const LeasedCase& leased);

// Tensor bytes by where they came from.
struct TransferCounts {
  int64_t received = 0;
  int64_t cached = 0;     // read from the cache
  int64_t generated = 0;  // made here from their recipe
};

// Feed every message in order: first those of Lease, then, when cases are left waiting for tensors, those of
// Fetch. DataLoss, naming the case and the tensor, for a stream that breaks its own rules: a chunk out of
// order, too many bytes, a tensor left incomplete, a count that does not match.
class LeaseAssembler {
 public:
  using Consumer = std::function<absl::Status(LeasedCase)>;

  struct Options {
    TensorCache* cache = nullptr;           // asked for what Lease only announces, given what Fetch brings
    uint32_t server_generator_version = 0;  // told where an input generated here differs from the server's
  };

  // `consumer` is called once per complete case; its error ends the lease.
  explicit LeaseAssembler(Consumer consumer) : LeaseAssembler(std::move(consumer), {}) {}
  LeaseAssembler(Consumer consumer, const Options& options)
      : consumer_(std::move(consumer)), options_(options) {}

  // Takes what it needs out of `message`.
  absl::Status Add(v1::LeaseMessage* message);
  // A message with a chunk whose bytes lie elsewhere, in pieces; `head.data` does not count.
  absl::Status AddChunk(const v1::TensorChunk& head, bool reference,
                        absl::Span<const absl::string_view> data);
  // The Lease stream has ended: everything that was announced must have come.
  absl::Status Finish() const;

  // Cases that wait for tensors.
  bool waiting() const { return !waiting_.empty(); }
  // What to ask Fetch for; what is added from now on is its stream. After one that broke it goes on where
  // that one ended.
  std::vector<v1::FetchRequest::Wanted> StartFetch();
  absl::Status FinishFetch() const;

  bool has_header() const { return has_header_; }
  const v1::LeaseMessage::Header& header() const { return header_; }
  const TransferCounts& counts() const { return counts_; }

 private:
  struct Assembly {
    LeasedCase leased;
    std::vector<v1::TensorInfo> announced;  // empty: the server tells nothing of its tensors
    std::vector<v1::TensorInfo> wanted;
    int inputs = 0;
    int references = 0;
  };

  absl::Status StartCase(v1::LeaseMessage::CaseStart* start);

  absl::Status StartTensor(const v1::TensorChunk& head, bool reference, int64_t bytes);
  void EndTensor();
  absl::Status EndCase();
  void StartNextWaiting();
  absl::Status Deliver();
  void Regenerate();
  void TakeFromCache(const v1::TensorInfo& info);
  void Spoil(std::string reason);
  const v1::TensorInfo* InfoOf(bool reference, absl::string_view key) const;
  TensorMap& TensorsOf(bool reference) {
    return reference ? current_.leased.references : current_.leased.inputs;
  }
  absl::Status Broken(const std::string& what) const;

  const Consumer consumer_;
  const Options options_;
  bool has_header_ = false;
  bool fetching_ = false;
  v1::LeaseMessage::Header header_;
  bool in_case_ = false;
  int cases_ = 0;
  Assembly current_;
  std::deque<Assembly> waiting_;
  TransferCounts counts_;
  // The tensor that is still incomplete.
  bool open_ = false;
  bool open_reference_ = false;
  std::string open_key_;
  HostTensor open_tensor_;
  int64_t open_total_ = 0;
  Xxh64Stream open_hash_;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_LEASE_ASSEMBLER_H_
