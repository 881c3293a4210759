#include "client/rpc/lease_frame.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace diopi::rpc {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// The prefix in which a chunk's fields are searched: a key and a shape, far smaller than this.
constexpr size_t kPrefixBytes = 1024;

uint32_t BytesTag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

size_t TotalBytes(const std::vector<grpc::Slice>& slices) {
  size_t total = 0;
  for (const grpc::Slice& slice : slices) total += slice.size();
  return total;
}

size_t CopyPrefix(const std::vector<grpc::Slice>& slices, std::array<uint8_t, kPrefixBytes>* prefix) {
  size_t filled = 0;
  for (const grpc::Slice& slice : slices) {
    const size_t size = std::min(slice.size(), prefix->size() - filled);
    if (size > 0) std::memcpy(prefix->data() + filled, slice.begin(), size);
    filled += size;
    if (filled == prefix->size()) break;
  }
  return filled;
}

// The bytes of the slices from `from` on.
std::vector<absl::string_view> Tail(const std::vector<grpc::Slice>& slices, size_t from) {
  std::vector<absl::string_view> tail;
  for (const grpc::Slice& slice : slices) {
    const size_t skipped = std::min(from, slice.size());
    from -= skipped;
    if (skipped == slice.size()) continue;
    tail.emplace_back(reinterpret_cast<const char*>(slice.begin()) + skipped, slice.size() - skipped);
  }
  return tail;
}

// Fills `frame` from a message that contains only a chunk whose data extends to the message's end.
bool ParseChunk(const std::vector<grpc::Slice>& slices, LeaseFrame* frame) {
  std::array<uint8_t, kPrefixBytes> prefix;
  const size_t total = TotalBytes(slices);
  const size_t available = CopyPrefix(slices, &prefix);
  CodedInputStream in(prefix.data(), static_cast<int>(available));
  const uint32_t message_tag = in.ReadTag();
  if (message_tag != BytesTag(v1::LeaseMessage::kInputFieldNumber) &&
      message_tag != BytesTag(v1::LeaseMessage::kReferenceFieldNumber)) {
    return false;
  }
  uint32_t size = 0;
  if (!in.ReadVarint32(&size) || static_cast<size_t>(in.CurrentPosition()) + size != total) return false;
  const int start = in.CurrentPosition();
  for (;;) {
    const int end = in.CurrentPosition();
    const uint32_t tag = in.ReadTag();
    if (tag == BytesTag(v1::TensorChunk::kDataFieldNumber)) {
      if (!in.ReadVarint32(&size) || static_cast<size_t>(in.CurrentPosition()) + size != total) return false;
      frame->is_chunk = true;
      frame->reference = message_tag == BytesTag(v1::LeaseMessage::kReferenceFieldNumber);
      frame->data = Tail(slices, static_cast<size_t>(in.CurrentPosition()));
      return frame->head.ParseFromArray(prefix.data() + start, end - start);
    }
    if (tag == 0 || !WireFormatLite::SkipField(&in, tag)) return false;
  }
}

}  // namespace

absl::Status ParseLeaseFrame(const grpc::ByteBuffer& bytes, LeaseFrame* frame) {
  frame->is_chunk = false;
  frame->data.clear();
  frame->slices.clear();
  if (!bytes.Dump(&frame->slices).ok()) return absl::DataLossError("a message that cannot be decompressed");
  if (ParseChunk(frame->slices, frame)) return absl::OkStatus();
  frame->is_chunk = false;
  frame->data.clear();
  grpc::ByteBuffer copy(bytes);  // copies only references; reading consumes the buffer
  if (grpc::SerializationTraits<v1::LeaseMessage>::Deserialize(&copy, &frame->message).ok()) {
    return absl::OkStatus();
  }
  return absl::DataLossError("broken lease stream: bytes that are not a message");
}

}  // namespace diopi::rpc
