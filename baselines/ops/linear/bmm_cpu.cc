// Matrix products without broadcasting: bmm of two stacks of one size, mm of two matrices.
#include "baselines/ops/linear/matmul_common.h"

extern "C" diopiError_t diopiBmm(diopiContextHandle_t, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t mat2) {
  return diopi::ops::MultiplyTensors(__func__, out, input, mat2, 3);
}

extern "C" diopiError_t diopiMm(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t mat2) {
  return diopi::ops::MultiplyTensors(__func__, out, input, mat2, 2);
}
