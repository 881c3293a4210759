// Encodes messages of a lease in their wire format, tensors by reference.
#ifndef SERVER_RPC_LEASE_FRAME_H_
#define SERVER_RPC_LEASE_FRAME_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include "diopi/v1/service.pb.h"

namespace diopi::server {

grpc::ByteBuffer EncodeMessage(const v1::LeaseMessage& message);

// The bytes of a LeaseMessage whose input (or reference) is `head` with `data` as its data; `head.data` is
// empty. Refers to the data instead of copying it.
grpc::ByteBuffer EncodeChunk(const v1::TensorChunk& head, bool reference, const grpc::Slice& data);

}  // namespace diopi::server

#endif  // SERVER_RPC_LEASE_FRAME_H_
