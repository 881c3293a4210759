// A probe of a whole convolution or of a gradient of one: its elements, added up with random signs along the
// axes that one of its two operands lacks, against the same sums of the operands, which are then convolved.
// It costs one pass over each tensor and a convolution of one channel or one image.
#ifndef BASELINES_COMPARE_CONVOLUTION_PROBE_H_
#define BASELINES_COMPARE_CONVOLUTION_PROBE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "cases/base/tensor_view.h"
#include "cases/slices/resolved_axes.h"
#include "cases/slices/slice_axes.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/finding.pb.h"

namespace diopi::baselines {

// The deviation of a sum with random signs, in standard deviations, beyond which it is wrong. Sums are not
// equally large, and the chance is spread over millions.
inline constexpr double kProbeLimit = 16;

// What a probe says of a whole output.
struct Probed {
  bool finite = false;  // every element is: all were added up
  std::optional<v1::Finding> wrong;
};

struct ProbedOutput {
  std::string key;
  const TensorView* tensor = nullptr;
};

// As ProbeProduct (product_probe.h), for functions whose axes have windows with a kernel.
Probed ProbeConvolution(const v1::Case& c, const slices::SliceAxes& axes,
                        const slices::ResolvedAxes& resolved, const ProbedOutput& output,
                        const TensorViews& inputs, uint64_t key, double deviation);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_CONVOLUTION_PROBE_H_
