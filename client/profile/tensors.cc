#include "client/profile/tensors.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace diopi::profile {

std::vector<CaseTensor> TensorsOf(const v1::Case& c) {
  std::vector<CaseTensor> tensors;
  for (const v1::Argument& arg : c.args()) {
    if (arg.has_tensor()) tensors.push_back({&arg, arg.name(), &arg.tensor()});
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      if (i < arg.tensors().null_size() && arg.tensors().null(i)) continue;
      tensors.push_back({&arg, absl::StrCat(arg.name(), ".", i), &arg.tensors().tensors(i)});
    }
  }
  return tensors;
}

bool IsContiguous(const v1::TensorSpec& spec) {
  if (spec.storage_offset() != 0) return false;
  int64_t stride = 1;
  for (int i = spec.strides_size(); i-- > 0;) {
    if (spec.shape(i) > 1 && spec.strides(i) != stride) return false;
    stride *= std::max<int64_t>(spec.shape(i), 1);
  }
  return true;
}

}  // namespace diopi::profile
