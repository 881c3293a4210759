// argmax: the position of the greatest element along a dimension, or in the flattened input when dim is null.
// Of equals the first; NaN is greater than every number.
#include "baselines/ops/reduction/extreme_cuda.h"

diopiError_t diopiArgmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         const int64_t* dim, bool) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor x(input);
    Check(dim != nullptr || x.numel() > 0, "argmax of an empty tensor needs a dim");
    cuda::Extremes(ctx, Tensor(), out, x, dim == nullptr ? Shape{} : Shape{*dim}, true);
  });
}
