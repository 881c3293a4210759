// The sums of MMCV's batch normalization across devices in other orders.
#include <optional>

#include "baselines/injected/injected.h"
#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kMmcvBnSums[] = "diopiSyncBnMeanMmcv diopiSyncBnVarMmcv diopiSyncBnBackwardParamMmcv";
VARIANT(mmcv_bn_blocks, kMmcvBnSums, "", "runs of 32 in order, their sums in a tree");
VARIANT(mmcv_bn_pairwise, kMmcvBnSums, "", "halves");
VARIANT(mmcv_bn_double, kMmcvBnSums, "", "in double, rounded once");

std::optional<Order> MmcvBnOrder() {
  if (mmcv_bn_blocks) return Order::kBlocks32;
  if (mmcv_bn_pairwise) return Order::kPairwise;
  if (mmcv_bn_double) return Order::kDouble;
  return std::nullopt;
}

// out[c] = the sum of term(c, i) over the elements i of channel c, divided by `divisor`.
template <typename F>
void StoreMmcvBnSums(const Tensor& out, Order order, const Channels& s, int64_t divisor, F&& term) {
  std::vector<float> sums;
  for (int64_t c = 0; c < s.channels; ++c) {
    const float sum = SumIn<float>(order, s.length(), [&](int64_t i) { return term(c, s.At(c, i)); });
    sums.push_back(sum / static_cast<float>(divisor));
  }
  Store(out, sums);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiSyncBnMeanMmcv, a) {
  const std::optional<Order> order = MmcvBnOrder();
  if (!order) return Good(a);
  const std::vector<float> x = Load<float>(Tensor(a.input));
  const Channels s = SplitChannels(Tensor(a.input));
  StoreMmcvBnSums(Tensor(a.mean), *order, s, s.length(),
                  [&](int64_t, int64_t at) { return x[static_cast<size_t>(at)]; });
}

DIOPI_OVERRIDE(diopiSyncBnVarMmcv, a) {
  const std::optional<Order> order = MmcvBnOrder();
  if (!order) return Good(a);
  const std::vector<float> x = Load<float>(Tensor(a.input)), mean = Load<float>(Tensor(a.mean));
  const Channels s = SplitChannels(Tensor(a.input));
  StoreMmcvBnSums(Tensor(a.var), *order, s, s.length(), [&](int64_t c, int64_t at) {
    const float distance = x[static_cast<size_t>(at)] - mean[static_cast<size_t>(c)];
    return distance * distance;
  });
}

DIOPI_OVERRIDE(diopiSyncBnBackwardParamMmcv, a) {
  const std::optional<Order> order = MmcvBnOrder();
  if (!order) return Good(a);
  const std::vector<float> g = Load<float>(Tensor(a.grad_output)), norm = Load<float>(Tensor(a.norm));
  const Channels s = SplitChannels(Tensor(a.grad_output));
  StoreMmcvBnSums(Tensor(a.grad_weight), *order, s, 1, [&](int64_t, int64_t at) {
    return g[static_cast<size_t>(at)] * norm[static_cast<size_t>(at)];
  });
  StoreMmcvBnSums(Tensor(a.grad_bias), *order, s, 1,
                  [&](int64_t, int64_t at) { return g[static_cast<size_t>(at)]; });
}
