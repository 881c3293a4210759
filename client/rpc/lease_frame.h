// A message of a Lease stream as it came, its tensor still where gRPC put it.
#ifndef CLIENT_RPC_LEASE_FRAME_H_
#define CLIENT_RPC_LEASE_FRAME_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "diopi/v1/service.pb.h"

namespace diopi::rpc {

struct LeaseFrame {
  // True: a chunk, its fields but `data` in `head` and its data in `data`. False: `message`.
  bool is_chunk = false;
  bool reference = false;
  v1::TensorChunk head;
  std::vector<absl::string_view> data;  // into `slices`
  v1::LeaseMessage message;
  std::vector<grpc::Slice> slices;
};

// Parses any LeaseMessage. One in which the chunk's data comes last, as protobuf writes it, is not copied;
// every other is parsed whole. DataLoss for bytes that are no LeaseMessage.
absl::Status ParseLeaseFrame(const grpc::ByteBuffer& bytes, LeaseFrame* frame);

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_LEASE_FRAME_H_
