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
  size_t tensor_bytes = 0;  // of these, a tensor's
  bool ends_case = false;
};
// False: the agent is gone.
using MessageSink = std::function<bool(const OutgoingMessage&)>;

// What the agent can do without.
struct CaseStreamOptions {
  uint32_t generator_version = 0;  // LeaseRequest.generator_version
  int64_t fetch_above = 0;         // LeaseRequest.fetch_above
};

// Sends cases of one call. A tensor is read chunk by chunk, straight into the memory that gRPC sends, so that
// no more than one chunk of it is held here. Its checksum is known with its last chunk: a case that turns out
// damaged ends with `spoilt`.
class CaseStream {
 public:
  // Both outlive the stream.
  CaseStream(BaselineCache* baselines, ChunkPool* pool, MessageSink sink)
      : baselines_(baselines), pool_(pool), sink_(std::move(sink)) {}

  // Sends the case; one without a usable baseline goes out with `unavailable` set and no tensors, so that it
  // becomes a verdict and the rest goes on. False when the sink refused. `*problem` (may be null) gets the
  // reason for which the case is unavailable or spoilt.
  bool SendCase(const v1::Case& c, const CaseStreamOptions& options, std::string* problem);

  // Sends the wanted tensors of a case, then its end. A tensor that is no longer the one wanted spoils it.
  bool SendWanted(const v1::Case& c, const v1::FetchRequest::Wanted& wanted, std::string* problem);

 private:
  bool Send(const v1::LeaseMessage& message);
  // Cancelled: the sink refused; DataLoss: what is wrong with the tensor.
  absl::Status SendTensor(const OpenBaseline& baseline, const std::string& case_id,
                          const baselines::TensorEntry& tensor);
  // Ends the case by how sending its tensors went.
  bool End(const absl::Status& status, std::string* problem);

  BaselineCache* const baselines_;
  ChunkPool* const pool_;
  const MessageSink sink_;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_CASE_STREAM_H_
