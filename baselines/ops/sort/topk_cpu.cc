// topk: the k greatest (or least) elements along one dimension, always in sorted order.
#include "baselines/ops/support/sort_lines.h"

DIOPI_KERNEL(diopiTopk, a) {
  using namespace diopi::ops;
  SortLines(a.values, a.indices, a.input, a.dim, a.k, a.largest);
}
