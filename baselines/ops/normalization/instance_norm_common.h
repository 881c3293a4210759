// The elements of a sample over the dimensions from `axis` on are an instance, which has its own statistics.
#ifndef BASELINES_OPS_NORMALIZATION_INSTANCE_NORM_COMMON_H_
#define BASELINES_OPS_NORMALIZATION_INSTANCE_NORM_COMMON_H_

#include "baselines/ops/normalization/normalization_common.h"

namespace diopi::ops {

// Instances are rows of the dense input, `channels` of them per sample.
struct Instances {
  int64_t batch = 1, channels = 1, length = 1;

  int64_t count() const { return batch * channels; }
};

inline Instances PlanInstances(const Tensor& x, int64_t axis) {
  Check(axis >= 1 && axis <= x.rank(), "expected an axis between 1 and ", x.rank(), ", got ", axis);
  Instances s;
  s.batch = x.size(0);
  for (int64_t d = 1; d < x.rank(); ++d) (d < axis ? s.channels : s.length) *= x.size(d);
  return s;
}

inline Instances PlanInstanceNorm(const Tensor& out, const Tensor& x, const Tensor& scale, const Tensor& bias,
                                  int64_t axis) {
  const Instances s = PlanInstances(x, axis);
  CheckShape(out, x.shape(), "output");
  CheckOptionalShape(scale, {s.channels}, "scale");
  CheckOptionalShape(bias, {s.channels}, "bias");
  return s;
}

inline Instances PlanInstanceNormBackward(const Tensor& dx, const Tensor& dw, const Tensor& db,
                                          const Tensor& grad, const Tensor& x, const Tensor& scale,
                                          int64_t axis) {
  const Instances s = PlanInstances(x, axis);
  CheckNormGradients(dx, dw, db, grad, x, scale, {s.channels});
  return s;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_NORMALIZATION_INSTANCE_NORM_COMMON_H_
