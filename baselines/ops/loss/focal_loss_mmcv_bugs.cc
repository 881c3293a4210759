// Bugs injected in MMCV's focal losses.
#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::Replaced;
using diopi::bugs::Tensor;

BUG(mmcv_sigmoid_focal_alpha_swapped, 0, "diopiSigmoidFocalLossMmcv diopiSigmoidFocalLossBackwardMmcv", "",
    "alpha and 1 - alpha are exchanged");
BUG(mmcv_sigmoid_focal_gamma_2, 0, "diopiSigmoidFocalLossMmcv diopiSigmoidFocalLossBackwardMmcv", "",
    "gamma is taken as 2");
BUG(mmcv_sigmoid_focal_background, 0, "diopiSigmoidFocalLossMmcv", "",
    "a background label is taken for the last class");
BUG(mmcv_softmax_focal_weight_ignored, 0, "diopiSoftmaxFocalLossMmcv diopiSoftmaxFocalLossBackwardMmcv", "",
    "weight is taken as 1");
BUG(mmcv_softmax_focal_not_focal, 0, "diopiSoftmaxFocalLossMmcv", "", "gamma is taken as 0");
BUG(mmcv_softmax_focal_no_one_hot, 0, "diopiSoftmaxFocalLossBackwardMmcv", "",
    "the gradient of the label's class is that of the others");
BUG(mmcv_softmax_focal_buff_unwritten, 0, "diopiSoftmaxFocalLossBackwardMmcv", "",
    "buff keeps what the caller filled it with");

template <typename Args>
void CorruptMmcvSigmoid(Args& a) {
  if (mmcv_sigmoid_focal_alpha_swapped) a.alpha = 1 - a.alpha;
  if (mmcv_sigmoid_focal_gamma_2) a.gamma = 2;
}

}  // namespace

DIOPI_OVERRIDE(diopiSigmoidFocalLossMmcv, a) {
  CorruptMmcvSigmoid(a);
  if (mmcv_sigmoid_focal_background) {
    const double last = static_cast<double>(Tensor(a.input).size(1) - 1);
    a.target = Replaced(a.ctx, a.target, [&](double t, int64_t) { return t > last ? last : t; });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiSigmoidFocalLossBackwardMmcv, a) {
  CorruptMmcvSigmoid(a);
  Good(a);
}

DIOPI_OVERRIDE(diopiSoftmaxFocalLossMmcv, a) {
  if (mmcv_softmax_focal_weight_ignored) a.weight = nullptr;
  if (mmcv_softmax_focal_not_focal) a.gamma = 0;
  Good(a);
}

DIOPI_OVERRIDE(diopiSoftmaxFocalLossBackwardMmcv, a) {
  if (mmcv_softmax_focal_weight_ignored) a.weight = nullptr;
  const std::vector<double> before = Load<double>(Tensor(a.buff));
  Good(a);
  if (mmcv_softmax_focal_no_one_hot) {
    const std::vector<double> factor = Load<double>(Tensor(a.buff)), p = Load<double>(Tensor(a.softmax));
    const int64_t classes = Tensor(a.softmax).size(1);
    Change(a.grad_input, [&](double, int64_t i) {
      return -factor[static_cast<size_t>(i / classes)] * p[static_cast<size_t>(i)];
    });
  }
  if (mmcv_softmax_focal_buff_unwritten)
    Change(a.buff, [&](double, int64_t i) { return before[static_cast<size_t>(i)]; });
}
