// Matrix products without broadcasting: bmm of two stacks of one size, mm of two matrices.
#include "baselines/ops/linear/matmul_common.h"

DIOPI_KERNEL(diopiBmm, a) {
  diopi::ops::MultiplyTensors(a.out, a.input, a.mat2, 3);
}

DIOPI_KERNEL(diopiMm, a) {
  diopi::ops::MultiplyTensors(a.out, a.input, a.mat2, 2);
}
