#include "impl_loader/worker/shared_frame.h"

#include <utility>

#include "impl_loader/caller/checks.h"
#include "impl_loader/caller/made_inputs.h"

namespace diopi::loader {
namespace {

// More than any case takes: laying the frame finds its size, and only then room is made for it.
constexpr size_t kUnbounded = size_t{1} << 46;

}  // namespace

std::unique_ptr<SharedFrame> SharedFrame::Lay(const v1::Case& c, const TensorMap& inputs,
                                              const v1::CaseAdaptor& adaptor, std::byte* base) {
  std::unique_ptr<SharedFrame> shared(new SharedFrame());
  shared->inputs_.reserve(inputs.size());
  for (const auto& [key, tensor] : inputs) {
    shared->inputs_.push_back({key, tensor.dtype, tensor.shape, tensor.data.data(), tensor.data.size()});
  }
  if (adaptor.conversion().empty() && !AddMadeInputs(c, &shared->inputs_, &shared->made_).ok())
    return nullptr;
  if (!adaptor.conversion().empty()) {
    absl::StatusOr<AdaptedCall> adapted = AdaptedCall::Make(c, shared->inputs_, adaptor);
    if (!adapted.ok() || !adapted->not_adaptable().empty()) return nullptr;
    shared->adapted_ = std::make_unique<AdaptedCall>(*std::move(adapted));
  }
  const v1::Case& called = shared->adapted_ != nullptr ? shared->adapted_->adapted_case() : c;
  const std::vector<InputView>& views =
      shared->adapted_ != nullptr ? shared->adapted_->inputs() : shared->inputs_;
  const abi::Function* function = abi::FindFunction(called.function());
  if (function == nullptr) return nullptr;
  shared->arena_.Borrow(base, kUnbounded);
  absl::StatusOr<std::unique_ptr<CallFrame>> frame =
      CallFrame::Build(*function, called, views, v1::Dtype::unsupported, &shared->context_);
  if (!frame.ok()) return nullptr;
  shared->frame_ = *std::move(frame);
  shared->bytes_ = shared->arena_.mark().used;
  return shared;
}

std::optional<TensorView> SharedFrame::View(const std::string& key) const {
  for (const BoundTensor& bound : frame_->tensors()) {
    if (bound.key != key) continue;
    const std::string_view elements = ElementsInPlace(bound.tensor);
    if (elements.empty()) return std::nullopt;
    return TensorView(static_cast<Dtype>(bound.tensor.dtype), bound.tensor.shape, elements);
  }
  return std::nullopt;
}

TensorViews SharedFrame::MadeInputs() const {
  TensorViews views;
  for (const BoundTensor& bound : frame_->tensors()) {
    if (bound.role != v1::ROLE_INPUT || bound.blocks == nullptr) continue;
    if (std::optional<TensorView> view = View(bound.key); view.has_value())
      views[bound.key] = *std::move(view);
  }
  return views;
}

void SharedFrame::Check(v1::WorkerReply* reply) const {
  Findings findings;
  CheckOthersFrame(*frame_, &findings);
  for (const v1::MemoryFinding& found : findings.list()) {
    bool told = false;
    for (const v1::MemoryFinding& known : reply->findings()) {
      told = told || (known.kind() == found.kind() && known.key() == found.key());
    }
    if (!told) *reply->add_findings() = found;
  }
}

}  // namespace diopi::loader
