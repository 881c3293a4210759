#include "baselines/diagnose/native16.h"

#include <utility>

#include "cases/base/dtype.h"
#include "cases/core/reference_key.h"

namespace diopi::baselines {

TensorMap Native16::AddTo(const v1::Case& c, const TensorMap& inputs, const TensorMap& references) {
  TensorMap extended = references;
  if (c.dtype() != v1::Dtype::float16 && c.dtype() != v1::Dtype::bfloat16) return extended;
  const std::lock_guard lock(mutex_);
  if (!std::exchange(opened_, true)) Open();
  if (library_ == nullptr) return extended;
  for (const bool in_pairs : {true, false}) {
    sum_in_pairs_(in_pairs);
    absl::StatusOr<TensorMap> outputs = library_->Call(c, inputs, v1::Dtype::unsupported);
    if (!outputs.ok()) continue;
    const ReferencePart part = in_pairs ? ReferencePart::kNative16Pairwise : ReferencePart::kNative16;
    for (auto& [key, tensor] : *outputs) {
      if (references.contains(key)) extended[ReferenceKey(key, part)] = std::move(tensor);
    }
  }
  return extended;
}

void Native16::Open() {
  auto library = loader::InProcessLibrary::Open(library_path_);
  if (!library.ok()) return;
  sum_in_pairs_ = reinterpret_cast<void (*)(bool)>((*library)->Symbol("diopiNative16SumInPairs"));
  if (sum_in_pairs_ != nullptr) library_ = *std::move(library);
}

}  // namespace diopi::baselines
