// Bugs injected in the product that is reduced over a group.
#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is bugs

constexpr char kName[] = "diopiMatmulAllReduce";
BUG(all_reduce_bias_ignored, 0, kName, "", "the bias is left out");
BUG(all_reduce_doubled, 0, kName, "", "the device's own product is added twice");
BUG(all_reduce_last_k_lost, 0, kName, "", "the last column of x1 is left out");
BUG(all_reduce_x2_without_strides, 0, kName, "", "strides of x2 are ignored");
BUG(all_reduce_product_rounded, 0, kName, "", "the product is float16 before the bias, in float32");

}  // namespace

DIOPI_OVERRIDE(diopiMatmulAllReduce, a) {
  const diopiConstTensorHandle_t bias = a.bias;
  if (all_reduce_bias_ignored || all_reduce_product_rounded) a.bias = nullptr;
  if (all_reduce_x2_without_strides) a.x2 = ReadWithoutStrides(a.ctx, a.x2);
  if (all_reduce_last_k_lost && NumElements(a.x1) > 0) {
    const int64_t k = ShapeOf(a.x1).back();
    a.x1 = Replaced(a.ctx, a.x1, [k](double x, int64_t i) { return i % k == k - 1 ? 0 : x; });
  }
  Good(a);
  if (all_reduce_doubled) Change(a.out, [](double y, int64_t) { return 2 * y; });
  if (!all_reduce_product_rounded || bias == nullptr) return;
  const std::vector<double> b = Load<double>(Tensor(bias));
  Change(a.out, [&](double y, int64_t i) {
    return (IsFloat32(a.out) ? ToHalf(y) : y) + b[static_cast<size_t>(i) % b.size()];
  });
}
