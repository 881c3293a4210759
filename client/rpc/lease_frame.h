// A message of a Lease stream as received, its tensor still in gRPC's buffers.
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
  // True: the message is a chunk, with its data in `data` and its other fields in `head`. False: it is in
  // `message`.
  bool is_chunk = false;
  bool reference = false;
  v1::TensorChunk head;
  std::vector<absl::string_view> data;  // into `slices`
  v1::LeaseMessage message;
  std::vector<grpc::Slice> slices;
};

// Parses any LeaseMessage. Does not copy a chunk's data when it comes last, as protobuf writes it; parses
// every other message as a whole. DataLoss for bytes that are not a LeaseMessage.
absl::Status ParseLeaseFrame(const grpc::ByteBuffer& bytes, LeaseFrame* frame);

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_LEASE_FRAME_H_
