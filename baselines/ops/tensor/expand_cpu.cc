// expand: the input broadcast to out's shape.
#include "baselines/ops/support/tensor.h"

extern "C" diopiError_t diopiExpand(diopiContextHandle_t, diopiTensorHandle_t out,
                                    diopiConstTensorHandle_t input) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), x(input);
    DispatchAny(x.dtype(), [&]<typename C>() { Store(result, LoadAs<C>(x, result.shape())); });
  });
}
