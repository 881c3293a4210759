// Assembles the messages of a Lease stream into cases with whole tensors, whatever their source.
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
  // Unless empty, why the case cannot be judged: no usable baseline (the server's message), or tensors that
  // differ from what the server announced. Never the chip's fault. There are no tensors then.
  std::string unavailable;
  bool quarantined = false;      // unavailable because a device reference fails the case
  std::string device_reference;  // whose outputs are stored beside the oracle's; empty: none
  TensorMap inputs;
  TensorMap references;
};

// Bytes of a case's tensors.
int64_t TensorBytes(const LeasedCase& leased);

// Tensor bytes by source.
struct TransferCounts {
  int64_t received = 0;
  int64_t cached = 0;     // read from the cache
  int64_t generated = 0;  // generated here from a recipe
};

// Feed every message in order: first those of Lease, then, when cases still wait for tensors, those of Fetch.
// DataLoss, naming the case and the tensor, for a stream that breaks the rules: a chunk out of order, too
// many bytes, an incomplete tensor, a count that does not match.
class LeaseAssembler {
 public:
  using Consumer = std::function<absl::Status(LeasedCase)>;

  struct Options {
    TensorCache* cache = nullptr;  // supplies what Lease only announces, stores what Fetch brings
    uint32_t server_generator_version =
        0;  // for the message when an input generated here differs from the server's
  };

  // Calls `consumer` once per complete case; its error ends the lease.
  explicit LeaseAssembler(Consumer consumer) : LeaseAssembler(std::move(consumer), {}) {}
  LeaseAssembler(Consumer consumer, const Options& options)
      : consumer_(std::move(consumer)), options_(options) {}

  // Moves what it needs out of `message`.
  absl::Status Add(v1::LeaseMessage* message);
  // Adds a chunk whose bytes lie elsewhere, in pieces; ignores `head.data`.
  absl::Status AddChunk(const v1::TensorChunk& head, bool reference,
                        absl::Span<const absl::string_view> data);
  // Call it when the Lease stream has ended: checks that everything announced has come.
  absl::Status Finish() const;

  // Whether cases wait for tensors.
  bool waiting() const { return !waiting_.empty(); }
  // What to request from Fetch; messages added from now on are its stream. After a stream that broke,
  // continues where it ended.
  std::vector<v1::FetchRequest::Wanted> StartFetch();
  absl::Status FinishFetch() const;

  bool has_header() const { return has_header_; }
  const v1::LeaseMessage::Header& header() const { return header_; }
  const TransferCounts& counts() const { return counts_; }

 private:
  struct Assembly {
    LeasedCase leased;
    std::vector<v1::TensorInfo> announced;  // empty: the server does not describe its tensors
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
  void MarkUnavailable(std::string reason);
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
  // The tensor that is not complete yet.
  bool open_ = false;
  bool open_reference_ = false;
  std::string open_key_;
  HostTensor open_tensor_;
  int64_t open_total_ = 0;
  Xxh64Stream open_hash_;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_LEASE_ASSEMBLER_H_
