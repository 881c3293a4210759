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
  // The library's own order comes last, so that it stays in force for later calls.
  constexpr std::pair<const char*, ReferencePart> kEvaluations[] = {
      {"pairwise", ReferencePart::kNative16Pairwise},
      {"lanes", ReferencePart::kNative16Lanes},
      {"cautious", ReferencePart::kNative16Cautious},
      {"", ReferencePart::kNative16}};
  for (const auto& [order, part] : kEvaluations) {
    choose_sums_(order);
    absl::StatusOr<TensorMap> outputs = library_->Call(c, inputs, v1::Dtype::unsupported);
    if (!outputs.ok()) continue;
    for (auto& [key, tensor] : *outputs) {
      if (references.contains(key)) extended[ReferenceKey(key, part)] = std::move(tensor);
    }
  }
  return extended;
}

void Native16::Open() {
  auto library = loader::InProcessLibrary::Open(library_path_);
  if (!library.ok()) return;
  choose_sums_ = reinterpret_cast<void (*)(const char*)>((*library)->Symbol("diopiNative16ChooseSums"));
  if (choose_sums_ != nullptr) library_ = *std::move(library);
}

}  // namespace diopi::baselines
