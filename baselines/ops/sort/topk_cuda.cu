// topk: the k greatest (or least) elements along one dimension, in sorted order whether asked for or not.
#include "baselines/ops/sort/sort_lines_cuda.h"

diopiError_t diopiTopk(diopiContextHandle_t ctx, diopiTensorHandle_t values, diopiTensorHandle_t indices,
                       diopiConstTensorHandle_t input, int64_t k, int64_t dim, bool largest, bool) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { cuda::SortLines(ctx, values, indices, input, dim, k, largest); });
}
