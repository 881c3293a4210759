// Bugs injected in the copy into a cache.
#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is bugs

constexpr char kName[] = "diopiDestIndexCopyKV";
BUG(dest_copy_in_order, 0, kName, "", "tokens go into the slots from the first on");
BUG(dest_copy_clears_others, 0, kName, "", "the slots of no token become 0");
BUG(dest_copy_last_token_lost, 0, kName, "", "the last token is left out");
BUG(dest_copy_adds_zero, 0, kName, "", "the elements go through an addition of 0: -0 becomes 0");
BUG(dest_copy_one_head, 0, kName, "", "only the first head of each token is copied");
BUG(dest_copy_without_strides, 0, kName, "", "strides of k are ignored");

}  // namespace

DIOPI_OVERRIDE(diopiDestIndexCopyKV, a) {
  const std::vector<int64_t> slots = Load<int64_t>(Tensor(a.dest_loc));
  const std::vector<double> before = Load<double>(Tensor(a.out));
  if (dest_copy_in_order)
    a.dest_loc = Replaced(a.ctx, a.dest_loc, [](double, int64_t i) { return static_cast<double>(i); });
  if (dest_copy_adds_zero) a.k = Replaced(a.ctx, a.k, [](double x, int64_t) { return x + 0.0; });
  if (dest_copy_without_strides) a.k = ReadWithoutStrides(a.ctx, a.k);
  Good(a);
  const Shape shape = ShapeOf(a.out);
  const int64_t head = shape.back(), slot = head * shape[1];
  if (slots.empty() || slot == 0) {
    if (dest_copy_clears_others) Change(a.out, [](double, int64_t) { return 0.0; });
    return;
  }
  std::vector<bool> named(static_cast<size_t>(shape[0]));
  for (int64_t s : slots) named[static_cast<size_t>(s)] = true;
  Change(a.out, [&](double x, int64_t i) {
    if (dest_copy_clears_others && !named[static_cast<size_t>(i / slot)]) return 0.0;
    const bool lost =
        (dest_copy_last_token_lost && i / slot == slots.back()) || (dest_copy_one_head && i % slot >= head);
    return lost ? before[static_cast<size_t>(i)] : x;
  });
}
