#include "server/rpc/lease_frame.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <array>
#include <cstdint>

namespace diopi::server {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

uint32_t BytesTag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

}  // namespace

grpc::ByteBuffer EncodeMessage(const v1::LeaseMessage& message) {
  grpc::Slice slice(message.ByteSizeLong());
  message.SerializeWithCachedSizesToArray(const_cast<uint8_t*>(slice.begin()));
  return {&slice, 1};
}

grpc::ByteBuffer EncodeChunk(const v1::TensorChunk& head, bool reference, const grpc::Slice& data) {
  const uint32_t message_tag =
      BytesTag(reference ? v1::LeaseMessage::kReferenceFieldNumber : v1::LeaseMessage::kInputFieldNumber);
  const uint32_t data_tag = BytesTag(v1::TensorChunk::kDataFieldNumber);
  const auto data_size = static_cast<uint32_t>(data.size());
  const size_t head_size = head.ByteSizeLong();
  // protobuf leaves an empty field out.
  const size_t data_lead =
      data_size == 0 ? 0
                     : CodedOutputStream::VarintSize32(data_tag) + CodedOutputStream::VarintSize32(data_size);
  const auto chunk_size = static_cast<uint32_t>(head_size + data_lead + data_size);
  const size_t message_lead =
      CodedOutputStream::VarintSize32(message_tag) + CodedOutputStream::VarintSize32(chunk_size);

  std::array<grpc::Slice, 2> slices = {grpc::Slice(message_lead + head_size + data_lead), data};
  auto* out = const_cast<uint8_t*>(slices[0].begin());
  out = CodedOutputStream::WriteVarint32ToArray(message_tag, out);
  out = CodedOutputStream::WriteVarint32ToArray(chunk_size, out);
  out = head.SerializeWithCachedSizesToArray(out);
  if (data_size != 0) {
    out = CodedOutputStream::WriteVarint32ToArray(data_tag, out);
    CodedOutputStream::WriteVarint32ToArray(data_size, out);
  }
  return {slices.data(), data_size == 0 ? size_t{1} : size_t{2}};
}

}  // namespace diopi::server
