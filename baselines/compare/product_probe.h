// A probe of a whole product of matrices, in the manner of Freivalds: its rows, added up with random signs,
// against the rows of the first factor times the second factor's columns added up with the same signs. It
// costs one pass over each tensor, and an error of many elements of a row shows in it, whichever they are.
#ifndef BASELINES_COMPARE_PRODUCT_PROBE_H_
#define BASELINES_COMPARE_PRODUCT_PROBE_H_

#include <string>

#include "baselines/compare/convolution_probe.h"
#include "cases/base/tensor_view.h"
#include "cases/slices/slice_axes.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// Looks at nothing where the function's axes do not say that the output is a product of two inputs, plus
// `bias` where there is one. `deviation`: the standard deviation that a right element may have from the exact
// one, over the whole output.
Probed ProbeProduct(const v1::Case& c, const slices::SliceAxes& axes, const std::string& output,
                    const TensorViews& inputs, const TensorView& actual, double deviation);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_PRODUCT_PROBE_H_
