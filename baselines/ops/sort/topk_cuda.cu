// topk: the k greatest (or least) elements along one dimension, always in sorted order.
#include "baselines/ops/sort/sort_lines_cuda.h"

DIOPI_KERNEL(diopiTopk, a) {
  using namespace diopi::ops;
  cuda::SortLines(a.ctx, a.values, a.indices, a.input, a.dim, a.k, a.largest);
}
