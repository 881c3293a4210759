// linalg_vec_norm: the p-norm over dimensions (none given: all), and that of each tensor of a list.
#include "baselines/ops/reduction/vector_norm_cuda.h"

DIOPI_KERNEL(diopiLinalgVecNorm, a) {
  using namespace diopi::ops;
  cuda::VectorNorm(cuda::Queue(a.ctx), a.out, a.input, a.ord, Sizes(a.dim));
}

DIOPI_KERNEL(diopiForeachnormScalar, a) {
  using namespace diopi::ops;
  const cuda::Queue queue(a.ctx);
  for (int64_t i = 0; i < a.inputSize; ++i) cuda::VectorNorm(queue, a.outs[i], a.inputs[i], a.ord, Shape{});
}
