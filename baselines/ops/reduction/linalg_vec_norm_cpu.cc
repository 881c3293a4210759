// linalg_vec_norm: the p-norm over dimensions (none given: all), and that of each tensor of a list.
#include "baselines/ops/reduction/vector_norm.h"

DIOPI_KERNEL(diopiLinalgVecNorm, a) {
  using namespace diopi::ops;
  VectorNorm(a.out, a.input, a.ord, Sizes(a.dim));
}

DIOPI_KERNEL(diopiForeachnormScalar, a) {
  using namespace diopi::ops;
  for (int64_t i = 0; i < a.inputSize; ++i) VectorNorm(a.outs[i], a.inputs[i], a.ord, Shape{});
}
