// Feeds a Lease stream to the agent's code: each message has two bytes of length and that many bytes. The
// messages are parsed in place and assembled into cases, and the tensors are fetched in the same way.
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <cstdint>

#include "client/rpc/lease_assembler.h"
#include "client/rpc/lease_frame.h"

namespace {

using diopi::rpc::LeaseAssembler;
using diopi::rpc::LeaseFrame;

bool AddFrame(const uint8_t* data, size_t size, LeaseAssembler* assembler) {
  // In two slices, as the network may cut it.
  const grpc::Slice slices[] = {grpc::Slice(data, size / 2), grpc::Slice(data + size / 2, size - size / 2)};
  const grpc::ByteBuffer bytes(slices, 2);
  LeaseFrame frame;
  if (!diopi::rpc::ParseLeaseFrame(bytes, &frame).ok()) return false;
  return frame.is_chunk ? assembler->AddChunk(frame.head, frame.reference, frame.data).ok()
                        : assembler->Add(&frame.message).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  LeaseAssembler assembler([](const diopi::rpc::LeasedCase&) { return absl::OkStatus(); });
  bool fetching = false;
  while (size >= 2) {
    const size_t length = data[0] * 256u + data[1];
    data += 2;
    size -= 2;
    if (length == 0 && !fetching) {  // the end of Lease, the beginning of Fetch
      if (!assembler.Finish().ok()) return 0;
      assembler.StartFetch();
      fetching = true;
      continue;
    }
    const size_t taken = length < size ? length : size;
    if (!AddFrame(data, taken, &assembler)) return 0;
    data += taken;
    size -= taken;
  }
  (fetching ? assembler.FinishFetch() : assembler.Finish()).IgnoreError();
  return 0;
}
