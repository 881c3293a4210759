// MMCV's focal losses in double, with powers as exponentials of logarithms; the softmax's gradient from the
// stored factor.
#include <cmath>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(mmcv_sigmoid_focal_double, "diopiSigmoidFocalLossMmcv", "",
        "in double, with powers as exponentials of logarithms");
VARIANT(mmcv_softmax_focal_double, "diopiSoftmaxFocalLossMmcv", "",
        "in double, with powers as exponentials of logarithms");

double MmcvFocalTerm(double of_power, double of_log, double gamma) {
  return std::exp(gamma * std::log(of_power)) * std::log(of_log);
}

std::vector<double> MmcvWeights(diopiConstTensorHandle_t weight, int64_t classes) {
  const Tensor tensor(weight);
  if (tensor && tensor.numel() > 0) return Load<double>(tensor);
  return std::vector<double>(static_cast<size_t>(classes) + 1, 1.0);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiSigmoidFocalLossMmcv, a) {
  if (!mmcv_sigmoid_focal_double) return Good(a);
  const Tensor input(a.input), target(a.target);
  const int64_t classes = input.size(1);
  const std::vector<double> x = Load<double>(input), w = MmcvWeights(a.weight, classes);
  const std::vector<int64_t> t = Load<int64_t>(target);
  const double alpha = static_cast<double>(a.alpha), gamma = static_cast<double>(a.gamma);
  std::vector<double> loss;
  for (int64_t i = 0; i < input.numel(); ++i) {
    const int64_t label = t[static_cast<size_t>(i / classes)];
    const double e = std::exp(-x[static_cast<size_t>(i)]), p = 1 / (1 + e), q = e / (1 + e);
    const bool positive = label == i % classes;
    loss.push_back(-(positive ? alpha : 1 - alpha) * w[static_cast<size_t>(label)] *
                   (positive ? MmcvFocalTerm(q, p, gamma) : MmcvFocalTerm(p, q, gamma)));
  }
  Store(Tensor(a.output), loss);
}

DIOPI_OVERRIDE(diopiSoftmaxFocalLossMmcv, a) {
  if (!mmcv_softmax_focal_double) return Good(a);
  const Tensor softmax(a.softmax), target(a.target);
  const int64_t classes = softmax.size(1);
  const std::vector<double> p = Load<double>(softmax), w = MmcvWeights(a.weight, classes);
  const std::vector<int64_t> t = Load<int64_t>(target);
  std::vector<double> loss;
  for (int64_t n = 0; n < target.numel(); ++n) {
    const int64_t label = t[static_cast<size_t>(n)];
    const double of_label = p[static_cast<size_t>(n * classes + label)];
    loss.push_back(-static_cast<double>(a.alpha) * w[static_cast<size_t>(label)] *
                   MmcvFocalTerm(1 - of_label, of_label, static_cast<double>(a.gamma)));
  }
  Store(Tensor(a.output), loss);
}
