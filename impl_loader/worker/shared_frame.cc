#include "impl_loader/worker/shared_frame.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "impl_loader/caller/case_runner.h"
#include "impl_loader/caller/checks.h"

namespace diopi::loader {
namespace {

// More than any case takes: laying the frame finds its size, and only then room is made for it.
constexpr size_t kUnbounded = size_t{1} << 46;
constexpr size_t kPoisonedBytes = 4096;  // of each output

TensorView ViewOf(const BoundTensor& bound, std::string_view elements) {
  return TensorView(static_cast<Dtype>(bound.tensor.dtype), bound.tensor.shape, elements);
}

}  // namespace

std::unique_ptr<SharedFrame> SharedFrame::Lay(const v1::Case& c, const std::vector<InputView>& inputs,
                                              size_t gap, std::byte* base) {
  std::unique_ptr<SharedFrame> shared(new SharedFrame());
  const abi::Function* function = abi::FindFunction(c.function());
  if (function == nullptr) return nullptr;
  shared->gap_ = gap;
  shared->arena_.Borrow(base, kUnbounded, gap);
  absl::StatusOr<std::unique_ptr<CallFrame>> frame =
      CallFrame::Build(*function, c, inputs, v1::Dtype::unsupported, &shared->context_);
  if (!frame.ok()) return nullptr;
  shared->frame_ = *std::move(frame);
  shared->bytes_ = shared->arena_.mark().used;
  return shared;
}

void SharedFrame::Prepare() {
  WriteGaps(*frame_, gap_);
  for (const BoundTensor& bound : frame_->tensors()) {
    if (bound.role == v1::ROLE_INPUT) continue;
    const runtime::Buffer& storage = bound.tensor.storage;
    std::memset(storage.mirror, kPoison[0], std::min(storage.bytes, kPoisonedBytes));
  }
}

const BoundTensor* SharedFrame::Find(const std::string& key) const {
  for (const BoundTensor& bound : frame_->tensors()) {
    if (bound.role != v1::ROLE_INPUT && bound.key == key) return &bound;
  }
  return nullptr;
}

std::vector<OutputTensor> SharedFrame::Outputs(TensorViews* views) const {
  std::vector<OutputTensor> outputs;
  for (const BoundTensor& bound : frame_->tensors()) {
    if (bound.role == v1::ROLE_INPUT) continue;
    const std::string_view elements = ElementsInPlace(bound.tensor);
    if (views != nullptr && elements.size() >= kLargeOutput) {
      (*views)[bound.key] = ViewOf(bound, elements);
    } else {
      outputs.push_back(ReadTensor(bound.key, bound.tensor));
    }
  }
  return outputs;
}

bool SharedFrame::IsUnwritten(const std::string& key) const {
  const BoundTensor* const bound = Find(key);
  if (bound == nullptr) return false;
  const std::string now = ReadTensor(key, bound->tensor).data;
  return std::any_of(std::begin(kPoison), std::end(kPoison), [&](uint8_t poison) {
    return now.find_first_not_of(static_cast<char>(poison)) == std::string::npos;
  });
}

TensorViews SharedFrame::MadeInputs() const {
  TensorViews views;
  for (const BoundTensor& bound : frame_->tensors()) {
    if (bound.role != v1::ROLE_INPUT || bound.blocks == nullptr) continue;
    const std::string_view elements = ElementsInPlace(bound.tensor);
    if (!elements.empty()) views[bound.key] = ViewOf(bound, elements);
  }
  return views;
}

void SharedFrame::Check(v1::WorkerReply* reply) const {
  Findings findings;
  CheckOthersFrame(*frame_, gap_, &findings);
  for (const v1::Finding& found : findings.list()) {
    const bool known = std::any_of(reply->findings().begin(), reply->findings().end(),
                                   [&](const v1::Finding& one) { return AreAlike(one, found); });
    if (!known) *reply->add_findings() = found;
  }
}

}  // namespace diopi::loader
