// A state machine over the messages of two streams. Sizes and checksums are announced before any bytes,
// memory is reserved only as bytes arrive, and every complete tensor is verified against its checksum,
// whether it was received, generated from a recipe or found in the cache. A stream that breaks a rule ends
// the lease with an error that names the place; it never yields a case with doubtful inputs.
#include "client/rpc/lease_assembler.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"

namespace diopi::rpc {
namespace {

constexpr uintptr_t kHugePage = 2 << 20;
constexpr int64_t kMaxReserved = int64_t{1} << 30;  // bytes

// The memory of a large tensor is new and is filled once: with pages of 4 KiB the page faults would take as
// long as receiving the tensor. The kernel ignores the advice where it cannot follow it.
void AdviseHugePages(char* data, size_t size) {
  const uintptr_t start = (reinterpret_cast<uintptr_t>(data) + kHugePage - 1) / kHugePage * kHugePage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + size) / kHugePage * kHugePage;
  if (start < end) madvise(data + (start - reinterpret_cast<uintptr_t>(data)), end - start, MADV_HUGEPAGE);
}

}  // namespace

int64_t TensorBytes(const LeasedCase& leased) {
  int64_t bytes = 0;
  for (const auto& [key, tensor] : leased.inputs) bytes += static_cast<int64_t>(tensor.data.size());
  for (const auto& [key, tensor] : leased.references) bytes += static_cast<int64_t>(tensor.data.size());
  return bytes;
}

absl::Status LeaseAssembler::Broken(const std::string& what) const {
  return absl::DataLossError(absl::StrCat(
      "broken lease stream", in_case_ ? absl::StrCat(" in case ", current_.leased.c.id()) : "", ": ", what));
}

absl::Status LeaseAssembler::Add(v1::LeaseMessage* message) {
  if (!has_header_ && !message->has_header()) return Broken("the first message is not a header");
  switch (message->message_case()) {
    case v1::LeaseMessage::kHeader:
      if (has_header_) return Broken("a second header");
      has_header_ = true;
      header_ = std::move(*message->mutable_header());
      return absl::OkStatus();
    case v1::LeaseMessage::kCaseStart:
      return StartCase(message->mutable_case_start());
    case v1::LeaseMessage::kInput:
      return AddChunk(message->input(), false, {message->input().data()});
    case v1::LeaseMessage::kReference:
      return AddChunk(message->reference(), true, {message->reference().data()});
    case v1::LeaseMessage::kCaseEnd:
      return EndCase();
    case v1::LeaseMessage::kDamaged:
      if (fetching_) StartNextWaiting();
      MarkUnavailable(message->damaged());
      return EndCase();
    case v1::LeaseMessage::MESSAGE_NOT_SET:
      break;
  }
  return Broken("an empty message");
}

absl::Status LeaseAssembler::StartCase(v1::LeaseMessage::CaseStart* start) {
  if (in_case_) return Broken("a case starts inside another");
  if (fetching_) return Broken("a case that was not requested");
  in_case_ = true;
  current_ = Assembly();
  current_.leased.lease_id = header_.lease_id();
  current_.leased.c = std::move(*start->mutable_case_());
  current_.leased.reference = start->reference();
  current_.leased.device_reference = start->device_reference();
  current_.leased.quarantined = start->quarantined();
  current_.inputs = start->inputs();
  current_.references = start->references();
  current_.announced = {start->tensors().begin(), start->tensors().end()};
  if (!start->unavailable().empty()) MarkUnavailable(start->unavailable());
  Regenerate();
  for (const v1::TensorInfo& info : current_.announced) {
    if (info.how() == v1::TensorInfo::ON_REQUEST) TakeFromCache(info);
  }
  return absl::OkStatus();
}

// Generates the inputs that come as recipes, and verifies that they equal the server's.
void LeaseAssembler::Regenerate() {
  const auto is_recipe = [](const v1::TensorInfo& info) { return info.how() == v1::TensorInfo::RECIPE; };
  if (std::none_of(current_.announced.begin(), current_.announced.end(), is_recipe)) return;
  absl::StatusOr<TensorMap> made = FillInputs(current_.leased.c);
  for (const v1::TensorInfo& info : current_.announced) {
    if (!is_recipe(info)) continue;
    const auto found = made.ok() ? made->find(info.key()) : TensorMap::iterator();
    const bool there = made.ok() && found != made->end();
    const uint64_t hash = there ? Xxh64(found->second.data) : 0;
    if (there && hash == info.xxh64() && found->second.dtype == info.dtype() &&
        std::equal(info.shape().begin(), info.shape().end(), found->second.shape.begin(),
                   found->second.shape.end())) {
      counts_.generated += info.bytes();
      current_.leased.inputs[info.key()] = std::move(found->second);
      continue;
    }
    const std::string here = there       ? absl::StrCat("has checksum ", Hex64(hash))
                             : made.ok() ? "is not among the case's"
                                         : absl::StrCat("fails: ", made.status().message());
    return MarkUnavailable(absl::StrCat("input ", info.key(), " generated by the agent (generator version ",
                                        kGeneratorVersion, ") ", here, ", the server's (generator version ",
                                        options_.server_generator_version, ") has checksum ",
                                        Hex64(info.xxh64())));
  }
}

void LeaseAssembler::TakeFromCache(const v1::TensorInfo& info) {
  std::optional<std::string> data;
  if (options_.cache != nullptr) data = options_.cache->Get(info.xxh64(), info.bytes());
  const std::vector<int64_t> shape = {info.shape().begin(), info.shape().end()};
  if (!data.has_value() || ByteSize(info.dtype(), shape) != info.bytes()) {
    current_.wanted.push_back(info);
    return;
  }
  counts_.cached += info.bytes();
  TensorsOf(info.reference())[info.key()] = {info.dtype(), shape, *std::move(data)};
}

void LeaseAssembler::MarkUnavailable(std::string reason) {
  if (current_.leased.unavailable.empty()) current_.leased.unavailable = std::move(reason);
}

const v1::TensorInfo* LeaseAssembler::InfoOf(bool reference, absl::string_view key) const {
  const auto found = std::find_if(
      current_.announced.begin(), current_.announced.end(),
      [&](const v1::TensorInfo& info) { return info.reference() == reference && info.key() == key; });
  return found == current_.announced.end() ? nullptr : &*found;
}

absl::Status LeaseAssembler::AddChunk(const v1::TensorChunk& head, bool reference,
                                      absl::Span<const absl::string_view> data) {
  if (!has_header_) return Broken("the first message is not a header");
  if (fetching_) StartNextWaiting();
  if (!in_case_) return Broken("a tensor outside a case");
  int64_t size = 0;
  for (const absl::string_view piece : data) size += static_cast<int64_t>(piece.size());
  if (!open_) {
    RETURN_IF_ERROR(StartTensor(head, reference, size));
  } else if (reference != open_reference_ || head.key() != open_key_ ||
             head.offset() != static_cast<int64_t>(open_tensor_.data.size())) {
    return Broken(absl::StrCat("tensor ", open_key_, " continues with a chunk of ", head.key(), " at byte ",
                               head.offset()));
  } else if (size == 0 || head.offset() + size > open_total_) {
    return Broken(absl::StrCat("tensor ", open_key_, " has more bytes than announced, or an empty chunk"));
  }
  const bool hashed = InfoOf(reference, head.key()) != nullptr;
  for (const absl::string_view piece : data) {
    open_tensor_.data.append(piece.data(), piece.size());
    if (hashed) open_hash_.Update({piece.data(), piece.size()});
  }
  if (static_cast<int64_t>(open_tensor_.data.size()) == open_total_) EndTensor();
  return absl::OkStatus();
}

absl::Status LeaseAssembler::StartTensor(const v1::TensorChunk& head, bool reference, int64_t bytes) {
  if (head.offset() != 0 || TensorsOf(reference).contains(head.key())) {
    return Broken(absl::StrCat("tensor ", head.key(), " does not start at its first byte"));
  }
  HostTensor tensor;
  tensor.dtype = head.dtype();
  tensor.shape.assign(head.shape().begin(), head.shape().end());
  const std::optional<int64_t> size = ByteSize(tensor.dtype, tensor.shape);
  if (!size.has_value()) {
    return Broken(absl::StrCat("tensor ", head.key(), " cannot have the shape ", ShapeText(tensor.shape)));
  }
  const int64_t wanted = *size;
  if (wanted != head.total_bytes() || bytes > wanted || (bytes == 0 && wanted > 0)) {
    return Broken(absl::StrCat("tensor ", head.key(), " ", ShapeText(tensor.shape), " has ",
                               head.total_bytes(), " bytes instead of ", wanted));
  }
  if (const v1::TensorInfo* info = InfoOf(reference, head.key());
      info == nullptr ? !current_.announced.empty()
                      : info->bytes() != wanted || info->dtype() != head.dtype()) {
    return Broken(absl::StrCat("tensor ", head.key(), " is not as announced"));
  }
  // Bytes that are announced but never come cost no memory.
  tensor.data.reserve(static_cast<size_t>(std::min(wanted, kMaxReserved)));
  AdviseHugePages(tensor.data.data(), tensor.data.capacity());
  open_tensor_ = std::move(tensor);
  open_ = true;
  open_reference_ = reference;
  open_key_ = head.key();
  open_total_ = wanted;
  open_hash_.Reset();
  return absl::OkStatus();
}

// Called for a complete tensor: verifies that it is the announced one, and keeps it.
void LeaseAssembler::EndTensor() {
  open_ = false;
  counts_.received += open_total_;
  if (const v1::TensorInfo* info = InfoOf(open_reference_, open_key_); info != nullptr) {
    const uint64_t hash = open_hash_.Digest();
    if (hash != info->xxh64()) {
      MarkUnavailable(absl::StrCat("tensor ", open_key_, " arrived with checksum ", Hex64(hash),
                                   ", the announced one is ", Hex64(info->xxh64())));
    } else if (info->how() == v1::TensorInfo::ON_REQUEST && options_.cache != nullptr) {
      options_.cache->Put(hash, open_tensor_.data);
    }
    std::erase_if(current_.wanted, [&](const v1::TensorInfo& wanted) {
      return wanted.reference() == open_reference_ && wanted.key() == open_key_;
    });
  }
  TensorsOf(open_reference_).emplace(open_key_, std::exchange(open_tensor_, HostTensor()));
}

absl::Status LeaseAssembler::EndCase() {
  if (!in_case_) return Broken("a case ends that never started");
  if (!current_.leased.unavailable.empty()) {
    open_ = false;
    return Deliver();
  }
  if (open_) return Broken(absl::StrCat("tensor ", open_key_, " is incomplete"));
  if (!current_.wanted.empty() && fetching_) {
    return Broken(absl::StrCat("tensor ", current_.wanted[0].key(), " was requested and did not arrive"));
  }
  const auto wanted_references = static_cast<int>(std::count_if(
      current_.wanted.begin(), current_.wanted.end(), [](const auto& info) { return info.reference(); }));
  const int inputs =
      static_cast<int>(current_.leased.inputs.size() + current_.wanted.size()) - wanted_references;
  const int references = static_cast<int>(current_.leased.references.size()) + wanted_references;
  if (inputs != current_.inputs || references != current_.references) {
    return Broken(absl::StrCat(inputs, " inputs and ", references, " references instead of ", current_.inputs,
                               " and ", current_.references));
  }
  if (current_.wanted.empty()) return Deliver();
  in_case_ = false;
  waiting_.push_back(std::move(current_));
  return absl::OkStatus();
}

absl::Status LeaseAssembler::Deliver() {
  in_case_ = false;
  ++cases_;
  LeasedCase leased = std::exchange(current_, Assembly()).leased;
  if (!leased.unavailable.empty()) {
    leased.inputs.clear();
    leased.references.clear();
  }
  return consumer_(std::move(leased));
}

absl::Status LeaseAssembler::Finish() const {
  if (!has_header_) return Broken("it ended before its header");
  if (in_case_) return Broken("it ended inside the case");
  const int cases = cases_ + static_cast<int>(waiting_.size());
  if (cases != header_.cases()) return Broken(absl::StrCat(cases, " cases instead of ", header_.cases()));
  return absl::OkStatus();
}

// Tensors that Fetch brings outside a case belong to the next requested case.
void LeaseAssembler::StartNextWaiting() {
  if (in_case_ || waiting_.empty()) return;
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  in_case_ = true;
}

std::vector<v1::FetchRequest::Wanted> LeaseAssembler::StartFetch() {
  fetching_ = true;
  if (in_case_) {
    open_ = false;
    in_case_ = false;
    waiting_.push_front(std::move(current_));
  }
  std::vector<v1::FetchRequest::Wanted> all;
  for (const Assembly& assembly : waiting_) {
    v1::FetchRequest::Wanted& wanted = all.emplace_back();
    wanted.set_case_id(assembly.leased.c.id());
    for (const v1::TensorInfo& info : assembly.wanted) {
      v1::TensorInfo& tensor = *wanted.add_tensors();
      tensor.set_key(info.key());
      tensor.set_reference(info.reference());
      tensor.set_xxh64(info.xxh64());
    }
  }
  return all;
}

absl::Status LeaseAssembler::FinishFetch() const {
  if (in_case_ || !waiting_.empty())
    return Broken("it ended before everything that was requested had arrived");
  return absl::OkStatus();
}

}  // namespace diopi::rpc
