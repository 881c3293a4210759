// topk: the k greatest (or least) elements along one dimension, in sorted order whether asked for or not.
#include "baselines/ops/support/sort_lines.h"

extern "C" diopiError_t diopiTopk(diopiContextHandle_t, diopiTensorHandle_t values,
                                  diopiTensorHandle_t indices, diopiConstTensorHandle_t input, int64_t k,
                                  int64_t dim, bool largest, bool) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { SortLines(values, indices, input, dim, k, largest); });
}
