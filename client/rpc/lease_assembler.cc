#include "client/rpc/lease_assembler.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace diopi::rpc {

int64_t TensorBytes(const LeasedCase& leased) {
  int64_t bytes = 0;
  for (const auto& [key, tensor] : leased.inputs) bytes += static_cast<int64_t>(tensor.data.size());
  for (const auto& [key, tensor] : leased.references) bytes += static_cast<int64_t>(tensor.data.size());
  return bytes;
}

absl::Status LeaseAssembler::Broken(const std::string& what) const {
  return absl::DataLossError(absl::StrCat(
      "broken lease stream", in_case_ ? absl::StrCat(" in case ", current_.c.id()) : "", ": ", what));
}

absl::Status LeaseAssembler::Add(v1::LeaseMessage* message) {
  if (!has_header_ && !message->has_header()) return Broken("the first message is no header");
  switch (message->message_case()) {
    case v1::LeaseMessage::kHeader:
      if (has_header_) return Broken("a second header");
      has_header_ = true;
      header_ = std::move(*message->mutable_header());
      return absl::OkStatus();
    case v1::LeaseMessage::kCaseStart:
      return StartCase(message->mutable_case_start());
    case v1::LeaseMessage::kInput:
      return AddChunk(message->mutable_input(), &current_.inputs);
    case v1::LeaseMessage::kReference:
      return AddChunk(message->mutable_reference(), &current_.references);
    case v1::LeaseMessage::kCaseEnd:
      return EndCase();
    case v1::LeaseMessage::MESSAGE_NOT_SET:
      break;
  }
  return Broken("an empty message");
}

absl::Status LeaseAssembler::StartCase(v1::LeaseMessage::CaseStart* start) {
  if (in_case_) return Broken("a case starts inside another");
  in_case_ = true;
  current_ = LeasedCase();
  current_.lease_id = header_.lease_id();
  current_.c = std::move(*start->mutable_case_());
  current_.reference = start->reference();
  current_.unavailable = start->unavailable();
  announced_inputs_ = start->inputs();
  announced_references_ = start->references();
  return absl::OkStatus();
}

absl::Status LeaseAssembler::AddChunk(v1::TensorChunk* chunk, TensorMap* tensors) {
  if (!in_case_) return Broken("a tensor outside a case");
  const auto size = static_cast<int64_t>(chunk->data().size());
  if (open_key_.empty()) {
    if (chunk->offset() != 0 || tensors->contains(chunk->key())) {
      return Broken(absl::StrCat("tensor ", chunk->key(), " does not start at its first byte"));
    }
    HostTensor tensor;
    tensor.dtype = chunk->dtype();
    tensor.shape.assign(chunk->shape().begin(), chunk->shape().end());
    const int64_t wanted = NumElements(tensor.shape) * ElementSize(tensor.dtype);
    if (wanted != chunk->total_bytes() || size > wanted) {
      return Broken(absl::StrCat("tensor ", chunk->key(), " ", ShapeText(tensor.shape), " has ",
                                 chunk->total_bytes(), " bytes instead of ", wanted));
    }
    tensor.data = std::move(*chunk->mutable_data());
    if (size < wanted) {
      tensor.data.reserve(static_cast<size_t>(wanted));
      open_key_ = chunk->key();
      open_total_ = wanted;
    }
    tensors->emplace(chunk->key(), std::move(tensor));
    return absl::OkStatus();
  }
  const auto it = tensors->find(open_key_);
  if (it == tensors->end() || chunk->key() != open_key_ ||
      chunk->offset() != static_cast<int64_t>(it->second.data.size())) {
    return Broken(absl::StrCat("tensor ", open_key_, " goes on with a chunk of ", chunk->key(), " at byte ",
                               chunk->offset()));
  }
  if (size == 0 || chunk->offset() + size > open_total_) {
    return Broken(absl::StrCat("tensor ", open_key_, " has more bytes than announced, or an empty chunk"));
  }
  it->second.data.append(chunk->data());
  if (static_cast<int64_t>(it->second.data.size()) == open_total_) open_key_.clear();
  return absl::OkStatus();
}

absl::Status LeaseAssembler::EndCase() {
  if (!in_case_) return Broken("a case ends that never started");
  if (!open_key_.empty()) return Broken(absl::StrCat("tensor ", open_key_, " is incomplete"));
  if (static_cast<int>(current_.inputs.size()) != announced_inputs_ ||
      static_cast<int>(current_.references.size()) != announced_references_) {
    return Broken(absl::StrCat(current_.inputs.size(), " inputs and ", current_.references.size(),
                               " references instead of ", announced_inputs_, " and ", announced_references_));
  }
  in_case_ = false;
  ++cases_;
  return consumer_(std::exchange(current_, LeasedCase()));
}

absl::Status LeaseAssembler::Finish() const {
  if (!has_header_) return Broken("it ended before its header");
  if (in_case_) return Broken("it ended inside the case");
  if (cases_ != header_.cases()) {
    return Broken(absl::StrCat(cases_, " cases instead of ", header_.cases()));
  }
  return absl::OkStatus();
}

}  // namespace diopi::rpc
