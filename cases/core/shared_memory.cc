#include "cases/core/shared_memory.h"

#include <algorithm>

#include "cases/base/layout.h"
#include "cases/base/tensor.h"

namespace diopi::cases {
bool CanShare(const v1::TensorSpec& input, const v1::TensorSpec& output, bool gaps) {
  const bool alike =
      input.dtype() == output.dtype() &&
      std::equal(input.shape().begin(), input.shape().end(), output.shape().begin(), output.shape().end()) &&
      NumElements({input.shape().begin(), input.shape().end()}) > 0;
  if (!alike || !input.same_as().empty() || input.strides_size() != input.shape_size() || Overlaps(input))
    return false;
  bool even = input.shape_size() > 0 && input.storage_offset() == 0;
  for (int d = 0; d < input.shape_size(); ++d) even = even && input.strides(d) % 2 == 0;
  return !gaps || even;
}

bool SharesMemory(const v1::Case& c) {
  return std::any_of(c.args().begin(), c.args().end(), [](const v1::Argument& arg) {
    const auto& list = arg.tensors().tensors();
    return arg.role() == v1::ROLE_OUTPUT &&
           (!arg.tensor().same_as().empty() || (!list.empty() && !list[0].same_as().empty()));
  });
}

void SeparateOutputs(v1::Case* c) {
  for (v1::Argument& arg : *c->mutable_args()) {
    if (arg.role() != v1::ROLE_OUTPUT) continue;
    if (arg.has_tensor()) arg.mutable_tensor()->clear_same_as();
    for (int i = 0; i < arg.tensors().tensors_size(); ++i)
      arg.mutable_tensors()->mutable_tensors(i)->clear_same_as();
  }
}

}  // namespace diopi::cases
