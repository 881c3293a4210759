// Overwrites the host's array of its output's sizes (alpha 2: of its strides).
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  Add(add);
  diopiSize_t sizes{};
  if (add.alpha == 2) {
    diopiGetTensorStride(out, &sizes);
  } else {
    diopiGetTensorShape(out, &sizes);
  }
  for (int64_t i = 0; i < sizes.len; ++i) const_cast<int64_t*>(sizes.data)[i] = 77;
  return diopiSuccess;
}
