// One case as the messages of a lease: start, inputs and references in chunks, end.
#ifndef SERVER_RPC_CASE_STREAM_H_
#define SERVER_RPC_CASE_STREAM_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "diopi/v1/service.pb.h"
#include "server/rpc/chunk_pool.h"
#include "server/runs/baseline_cache.h"

namespace diopi::server {

// One LeaseMessage on its way out.
struct OutgoingMessage {
  grpc::ByteBuffer bytes;
  size_t tensor_bytes = 0;  // of these, bytes of a tensor
  bool ends_case = false;
};
// False: the agent is gone.
using MessageSink = std::function<bool(const OutgoingMessage&)>;

// What need not be sent to the agent.
struct CaseStreamOptions {
  uint32_t generator_version = 0;  // LeaseRequest.generator_version
  int64_t fetch_above = 0;         // LeaseRequest.fetch_above
};

// Sends cases of one call. Reads a tensor chunk by chunk, straight into the memory that gRPC sends, so that
// at most one chunk of it is held here. The checksum is known only after the last chunk: a case that turns
// out damaged ends with `damaged`.
class CaseStream {
 public:
  // Both outlive the stream.
  CaseStream(BaselineCache* baselines, ChunkPool* pool, MessageSink sink)
      : baselines_(baselines), pool_(pool), sink_(std::move(sink)) {}

  // Sends the case. Without a usable baseline, sends it with `unavailable` set and no tensors, so that it
  // gets a verdict and the rest goes on. False: the sink refused. `*problem` (may be null) is set to the
  // reason why the case is unavailable or damaged.
  bool SendCase(const v1::Case& c, const CaseStreamOptions& options, std::string* problem);

  // Sends the wanted tensors of a case, then its end. A tensor that has been replaced damages the case.
  bool SendWanted(const v1::Case& c, const v1::FetchRequest::Wanted& wanted, std::string* problem);

 private:
  bool Send(const v1::LeaseMessage& message);
  // Cancelled: the sink refused; DataLoss, saying why: the tensor is damaged.
  absl::Status SendTensor(const OpenBaseline& baseline, const std::string& case_id,
                          const baselines::TensorEntry& tensor);
  // Sends the end of the case: `status` says how sending its tensors went.
  bool End(const absl::Status& status, std::string* problem);

  BaselineCache* const baselines_;
  ChunkPool* const pool_;
  const MessageSink sink_;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_CASE_STREAM_H_
