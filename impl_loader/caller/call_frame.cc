// Before a call only what may have changed is restored: an input that is known to be intact is not copied,
// and an output that is full of the right poison is not filled again. Shapes and strides are restored, too,
// because a library can overwrite them through the pointers it gets. Inputs made block by block are written
// straight into the frame.
#include "impl_loader/caller/call_frame.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cases/base/layout.h"
#include "cases/base/parallel.h"

namespace diopi::loader {

namespace {

constexpr size_t kPart = size_t{64} << 10;  // stays in the processor's caches

void FillBytes(std::byte* to, uint8_t byte, size_t bytes) {
  ForRanges(static_cast<int64_t>(bytes), kParallelBytes, [&](int64_t begin, int64_t end) {
    std::memset(to + begin, byte, static_cast<size_t>(end - begin));
  });
}

}  // namespace

void BoundTensor::VisitPristine(
    absl::FunctionRef<bool(size_t begin, const std::byte* before, size_t bytes)> visit) const {
  const size_t bytes = tensor.storage.bytes;
  if (bytes == 0) return;
  if (!dense || blocks == nullptr) {
    visit(0, static_cast<const std::byte*>(dense ? values : image.data()), bytes);
    return;
  }
  std::vector<std::byte> part(std::min(kPart, bytes));
  bool more = true;
  for (size_t begin = 0; more && begin < bytes; begin += part.size()) {
    const size_t length = std::min(part.size(), bytes - begin);
    blocks->Write(static_cast<int64_t>(begin), static_cast<int64_t>(length), part.data());
    more = visit(begin, part.data(), length);
  }
}

void CallFrame::Restore(BoundTensor* bound, bool fill) const {
  const diopiTensor& tensor = bound->tensor;
  const runtime::Buffer& buffer = tensor.storage;
  runtime::WriteCanaries(buffer);
  if (buffer.bytes == 0) return;
  if (!bound->is_output()) {
    const bool again = !bound->intact || bound->role != v1::ROLE_INPUT;
    if (again && bound->dense && bound->blocks != nullptr) {
      bound->blocks->Write(0, static_cast<int64_t>(buffer.bytes), buffer.mirror);
    } else if (again) {
      std::memcpy(buffer.mirror, bound->dense ? bound->values : bound->image.data(), buffer.bytes);
    }
    return;
  }
  if (std::exchange(bound->poisoned, std::nullopt) != poison_)
    FillBytes(buffer.mirror, poison_, buffer.bytes);
  if (fill && bound->holds != nullptr && tensor.numel > 0) {
    ScatterToStorage(bound->holds, tensor.shape, tensor.strides, tensor.storage_offset, bound->element,
                     buffer.mirror);
  }
}

bool CallFrame::GeneratorsMoved() const {
  return generators_.empty() ||
         std::any_of(generators_.begin(), generators_.end(), [](const Generator& generator) {
           return generator.live.seed != generator.initial.seed ||
                  generator.live.offset != generator.initial.offset;
         });
}

int32_t CallFrame::Prepare(uint8_t poison, bool fill, std::string_view spreading) {
  poison_ = poison;
  context_->poison = poison;
  for (BoundTensor& bound : tensors_) {
    bound.tensor.RestoreLayout();
    if (bound.shared) continue;  // what the input holds
    bound.tensor.storage.spreading = !bound.is_output() && (spreading == "*" || spreading == bound.key);
    if (leave_outputs_ && bound.is_output() && bound.holds == nullptr) continue;
    Restore(&bound, fill);
    if (const int32_t code = context_->Upload(bound.tensor.storage); code != 0) return code;
  }
  for (diopiTensor& sparse : sparse_) sparse.RestoreLayout();
  for (LibrarySlot& slot : slots_) *slot.handle = nullptr;
  for (Generator& generator : generators_) generator.live = generator.initial;
  return RestoreScratch();
}

// Device memory for the values of the inputs; empty when there is not enough.
std::vector<CallFrame::Held> CallFrame::SetAside() {
  std::vector<Held> held;
  for (const BoundTensor& bound : tensors_) {
    const runtime::Buffer& buffer = bound.tensor.storage;
    if (bound.is_output() || !buffer.on_device || buffer.bytes == 0) continue;
    held.push_back({buffer, context_->Allocate(buffer.bytes, diopi_device)});
    if (held.back().aside.data == nullptr) return {};
  }
  return held;
}

int32_t CallFrame::HoldInputs(StreamDelay* delay, double seconds, bool* held) {
  *held = false;
  if (!delay->Possible()) return 0;
  const std::vector<Held> inputs = SetAside();
  if (inputs.empty()) return 0;
  for (const Held& input : inputs) {
    const int32_t code = context_->CopyOnDevice(input.buffer, input.aside);
    if (code != 0) return code;
  }
  int32_t code = context_->Synchronize();
  for (const Held& input : inputs) {
    std::memset(input.buffer.mirror, 0, input.buffer.bytes);
    if (code == 0) code = context_->Upload(input.buffer);
  }
  if (code == 0) code = context_->Synchronize();
  *held = code == 0 && delay->Hold(context_->stream, seconds);
  for (const Held& input : inputs) {
    if (code == 0) code = context_->CopyOnDevice(input.aside, input.buffer);
  }
  return code;
}

int32_t CallFrame::Download() {
  for (BoundTensor& bound : tensors_) {
    if (const int32_t code = context_->Download(bound.tensor.storage); code != 0) return code;
  }
  for (const ScratchMemory& scratch : scratch_) {
    if (scratch.needed < 0) continue;
    if (const int32_t code = context_->DownloadCanaries(scratch.tensor.storage); code != 0) return code;
  }
  std::vector<const diopiTensor*> whole;
  whole.reserve(slots_.size());
  for (const LibrarySlot& slot : slots_) whole.push_back(*slot.handle);
  for (const diopiTensor* tensor : context_->Required()) {
    bool wanted = false;
    for (const diopiTensor* handle : whole) wanted = wanted || handle == tensor;
    const int32_t code =
        wanted ? context_->Download(tensor->storage) : context_->DownloadCanaries(tensor->storage);
    if (code != 0) return code;
  }
  return 0;
}

namespace {

bool IsDense(const diopiTensor& tensor, size_t bytes) {
  return tensor.storage_offset == 0 && tensor.storage.bytes == bytes &&
         tensor.strides == runtime::RowMajorStrides(tensor.shape);
}

size_t DenseBytes(const diopiTensor& tensor) {
  return static_cast<size_t>(tensor.numel * runtime::ElementBytes(tensor.dtype));
}

}  // namespace

std::string_view ElementsInPlace(const diopiTensor& tensor) {
  const size_t bytes = DenseBytes(tensor);
  if (bytes == 0 || !IsDense(tensor, bytes)) return {};
  return {reinterpret_cast<const char*>(tensor.storage.mirror), bytes};
}

OutputTensor ReadTensor(const std::string& key, const diopiTensor& tensor, std::string buffer) {
  OutputTensor out{key, tensor.dtype, tensor.shape, std::move(buffer)};
  const size_t bytes = DenseBytes(tensor);
  if (const std::string_view in_place = ElementsInPlace(tensor); !in_place.empty()) {
    out.data.assign(in_place);
    return out;
  }
  out.data.resize(bytes);
  if (bytes > 0) {
    GatherFromStorage(tensor.storage.mirror, tensor.shape, tensor.strides, tensor.storage_offset,
                      runtime::ElementBytes(tensor.dtype), out.data.data());
  }
  return out;
}

bool HoldsElements(const diopiTensor& tensor, const std::string& data) {
  const size_t bytes = DenseBytes(tensor);
  if (bytes != data.size()) return false;
  if (bytes == 0) return true;
  const std::string_view in_place = ElementsInPlace(tensor);
  if (!in_place.empty()) return in_place == data;
  return ReadTensor("", tensor).data == data;
}

}  // namespace diopi::loader
