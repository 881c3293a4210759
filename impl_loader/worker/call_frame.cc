#include "impl_loader/worker/call_frame.h"

#include <cstring>

#include "cases/core/layout.h"

namespace diopi::loader {

void CallFrame::Restore(BoundTensor* bound) const {
  const runtime::Buffer& buffer = bound->tensor.storage;
  runtime::WriteCanaries(buffer);
  if (buffer.bytes == 0) return;
  if (bound->is_output()) {
    std::memset(buffer.mirror, poison_, buffer.bytes);
  } else {
    std::memcpy(buffer.mirror, bound->pristine(), buffer.bytes);
  }
}

int32_t CallFrame::Prepare(uint8_t poison) {
  poison_ = poison;
  context_->poison = poison;
  for (BoundTensor& bound : tensors_) {
    Restore(&bound);
    if (const int32_t code = context_->Upload(bound.tensor.storage); code != 0) return code;
  }
  for (LibrarySlot& slot : slots_) *slot.handle = nullptr;
  for (Generator& generator : generators_) generator.live = generator.initial;
  return 0;
}

int32_t CallFrame::Download() {
  for (BoundTensor& bound : tensors_) {
    if (const int32_t code = context_->Download(bound.tensor.storage); code != 0) return code;
  }
  std::vector<const diopiTensor*> whole;
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

OutputTensor ReadTensor(const std::string& key, const diopiTensor& tensor) {
  OutputTensor out{key, tensor.dtype, tensor.shape, {}};
  const int64_t element = runtime::ElementBytes(tensor.dtype);
  if (tensor.numel == 0) return out;
  out.data.resize(static_cast<size_t>(tensor.numel * element));
  if (tensor.storage_offset == 0 && tensor.storage.bytes == out.data.size() &&
      tensor.strides == runtime::RowMajorStrides(tensor.shape)) {
    std::memcpy(out.data.data(), tensor.storage.mirror, out.data.size());
  } else {
    GatherFromStorage(tensor.storage.mirror, tensor.shape, tensor.strides, tensor.storage_offset, element,
                      out.data.data());
  }
  return out;
}

}  // namespace diopi::loader
