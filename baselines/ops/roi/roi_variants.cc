// The functions that pool regions of images as other correct libraries compute them: sums in double, regions
// of a gradient in another order.
#include <initializer_list>
#include <vector>

#include "baselines/injected/injected.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels
using injected::DtypeOf;
using injected::ShapeOf;

constexpr char kRoiMeans[] = "diopiRoiAlignMmcv diopiRoiAlignRotatedMmcv diopiRiroiAlignRotatedMmcv";
constexpr char kRoiGradients[] =
    "diopiRoiAlignBackwardMmcv diopiRoiPoolBackwardMmcv diopiRoiAlignRotatedBackwardMmcv "
    "diopiRiroiAlignRotatedBackwardMmcv";
constexpr char kRoiBoxes[] =
    "diopiRotatedFeatureAlignMmcv diopiBorderAlignMmcv diopiPrroiPoolMmcv diopiPrroiPoolbackwardMmcv "
    "diopiPrroiPoolCoorBackwardMmcv";

VARIANT(roi_means_in_double, kRoiMeans, "", "samples are placed, interpolated and summed in double");
VARIANT(roi_boxes_in_double, kRoiBoxes, "", "all steps are computed in double");
VARIANT(roi_gradients_in_double, kRoiGradients, "", "gradients are summed in double");
VARIANT(roi_gradients_last_region_first, kRoiGradients, "",
        "regions add to the gradient in the opposite order");

// The same values in double.
diopiTensorHandle_t RoiWidened(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor) {
  diopiTensorHandle_t wide = RequireTensor(ctx, ShapeOf(tensor), diopi_dtype_float64);
  Store(Tensor(wide), Load<double>(Tensor(tensor)));
  return wide;
}

// The last region first.
diopiTensorHandle_t RoiReversed(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor) {
  const Shape shape = ShapeOf(tensor);
  const int64_t regions = shape.empty() ? 0 : shape[0];
  diopiTensorHandle_t copy = RequireTensor(ctx, shape, DtypeOf(tensor));
  const std::vector<double> all = Load<double>(Tensor(tensor));
  std::vector<double> reversed;
  const int64_t row = regions == 0 ? 0 : static_cast<int64_t>(all.size()) / regions;
  for (int64_t region = regions; region-- > 0;)
    reversed.insert(reversed.end(), all.begin() + region * row, all.begin() + (region + 1) * row);
  if (IsInteger(DtypeOf(tensor))) {
    Store(Tensor(copy), std::vector<int64_t>(reversed.begin(), reversed.end()));
  } else {
    Store(Tensor(copy), reversed);
  }
  return copy;
}

// A wide result that is stored in `out` when it is done.
class RoiWideResult {
 public:
  RoiWideResult(diopiContextHandle_t ctx, diopiTensorHandle_t* out) : out_(*out) {
    *out = wide_ = RoiWidened(ctx, out_);
  }
  void Done() const { Store(Tensor(out_), Load<double>(Tensor(wide_))); }

 private:
  diopiTensorHandle_t out_, wide_;
};

// The call with wide inputs and results.
template <typename Call>
void RoiInDouble(diopiContextHandle_t ctx, std::initializer_list<diopiTensorHandle_t*> results,
                 std::initializer_list<diopiConstTensorHandle_t*> inputs, Call&& call) {
  std::vector<RoiWideResult> wide;
  for (diopiTensorHandle_t* result : results) wide.emplace_back(ctx, result);
  for (diopiConstTensorHandle_t* input : inputs) *input = RoiWidened(ctx, *input);
  call();
  for (const RoiWideResult& result : wide) result.Done();
}

// A gradient of regions: `grad` belongs to the result that `out` is of.
template <typename Args, typename Call>
void RoiGradient(Args* a, diopiTensorHandle_t* out, diopiConstTensorHandle_t* grad, Call&& call) {
  if (roi_gradients_last_region_first) {
    a->rois = RoiReversed(a->ctx, a->rois);
    *grad = RoiReversed(a->ctx, *grad);
  }
  if (!roi_gradients_in_double) return call();
  RoiInDouble(a->ctx, {out}, {&a->rois, grad}, call);
}

}  // namespace

}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: overrides are global functions, or nobody can call them

DIOPI_OVERRIDE(diopiRoiAlignMmcv, a) {
  if (!roi_means_in_double) return Good(a);
  RoiInDouble(a.ctx, {&a.output, &a.argmax_y, &a.argmax_x}, {&a.input, &a.rois}, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiRoiAlignBackwardMmcv, a) {
  if (roi_gradients_last_region_first && a.pool_mode == 0) {
    a.argmax_y = RoiReversed(a.ctx, a.argmax_y);
    a.argmax_x = RoiReversed(a.ctx, a.argmax_x);
  }
  RoiGradient(&a, &a.grad_input, &a.grad_output, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiRoiPoolBackwardMmcv, a) {
  if (roi_gradients_last_region_first) a.argmax = RoiReversed(a.ctx, a.argmax);
  RoiGradient(&a, &a.grad_input, &a.grad_output, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiRoiAlignRotatedMmcv, a) {
  if (!roi_means_in_double) return Good(a);
  RoiInDouble(a.ctx, {&a.output}, {&a.input, &a.rois}, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiRoiAlignRotatedBackwardMmcv, a) {
  RoiGradient(&a, &a.bottom_grad, &a.top_grad, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiRiroiAlignRotatedMmcv, a) {
  if (!roi_means_in_double) return Good(a);
  RoiInDouble(a.ctx, {&a.output}, {&a.features, &a.rois}, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiRiroiAlignRotatedBackwardMmcv, a) {
  RoiGradient(&a, &a.bottom_grad, &a.top_grad, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiRotatedFeatureAlignMmcv, a) {
  if (!roi_boxes_in_double) return Good(a);
  RoiInDouble(a.ctx, {&a.output}, {&a.features, &a.best_bboxes}, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiBorderAlignMmcv, a) {
  if (!roi_boxes_in_double) return Good(a);
  RoiInDouble(a.ctx, {&a.output}, {&a.input, &a.boxes}, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiPrroiPoolMmcv, a) {
  if (!roi_boxes_in_double) return Good(a);
  RoiInDouble(a.ctx, {&a.output}, {&a.input, &a.rois}, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiPrroiPoolbackwardMmcv, a) {
  if (!roi_boxes_in_double) return Good(a);
  RoiInDouble(a.ctx, {&a.grad_input}, {&a.grad_output, &a.rois}, [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiPrroiPoolCoorBackwardMmcv, a) {
  if (!roi_boxes_in_double) return Good(a);
  RoiInDouble(a.ctx, {&a.grad_rois}, {&a.output, &a.grad_output, &a.input, &a.rois}, [&] { Good(a); });
}
