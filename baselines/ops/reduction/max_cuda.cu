// max along one dimension with the positions, and over everything. NaN is greater than every number.
#include "baselines/ops/reduction/extreme_cuda.h"

diopiError_t diopiMax(diopiContextHandle_t ctx, diopiTensorHandle_t max, diopiTensorHandle_t max_indices,
                      diopiConstTensorHandle_t input, int64_t dim) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { cuda::Extremes(ctx, max, max_indices, input, Shape{dim}, true); });
}

diopiError_t diopiMaxAll(diopiContextHandle_t ctx, diopiTensorHandle_t max, diopiConstTensorHandle_t input) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { cuda::Extremes(ctx, max, Tensor(), input, Shape{}, true); });
}
