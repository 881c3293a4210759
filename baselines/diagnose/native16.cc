#include "baselines/diagnose/native16.h"

#include <utility>

#include "cases/base/dtype.h"
#include "cases/core/reference_key.h"

namespace diopi::baselines {

TensorMap Native16::AddTo(const v1::Case& c, const TensorMap& inputs, const TensorMap& references) {
  TensorMap extended = references;
  if (c.dtype() != v1::Dtype::float16 && c.dtype() != v1::Dtype::bfloat16) return extended;
  const std::lock_guard lock(mutex_);
  if (!std::exchange(opened_, true)) {
    auto library = loader::InProcessLibrary::Open(library_path_);
    if (library.ok()) library_ = *std::move(library);
  }
  if (library_ == nullptr) return extended;
  absl::StatusOr<TensorMap> outputs = library_->Call(c, inputs, v1::Dtype::unsupported);
  if (!outputs.ok()) return extended;
  for (auto& [key, tensor] : *outputs) {
    if (references.contains(key)) {
      extended[ReferenceKey(key, ReferencePart::kNative16)] = std::move(tensor);
    }
  }
  return extended;
}

}  // namespace diopi::baselines
