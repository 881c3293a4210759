// Sizes of a linear layer, and their checks.
#ifndef BASELINES_OPS_LINEAR_LINEAR_COMMON_H_
#define BASELINES_OPS_LINEAR_LINEAR_COMMON_H_

#include <cstdint>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

struct Sizes3 {
  int64_t rows, in, out;
};

// weight: [out, in]; input: [..., in]; result: [..., out].
inline Sizes3 CheckLinear(const Tensor& result, const Tensor& input, const Tensor& weight,
                          const char* result_name) {
  Check(weight.rank() == 2, "expected weight of 2 dimensions, got shape ", ShapeText(weight.shape()));
  Check(input.rank() >= 1 && input.size(-1) == weight.size(1), "input of shape ", ShapeText(input.shape()),
        " does not fit weight of shape ", ShapeText(weight.shape()));
  Shape shape = input.shape();
  shape.back() = weight.size(0);
  CheckShape(result, shape, result_name);
  shape.pop_back();
  return {Numel(shape), weight.size(1), weight.size(0)};
}

// Has one dimension, or more that broadcast to the result, which the reader checks.
inline void CheckBias(const Tensor& bias, int64_t out) {
  if (bias && bias.rank() < 2) CheckShape(bias, {out}, "bias");
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_LINEAR_LINEAR_COMMON_H_
