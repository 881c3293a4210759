// The CPU reference whose kernels have a grid of at most 65,535 blocks along one dimension of the output:
// $DIOPI_GRID names the one that loses what lies beyond.
#include <cstring>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(bmm_batch, 0, "diopiBmm", "", "matrices from the 65,536th on are not multiplied");
BUG(layer_norm_rows, 0, "diopiLayerNorm", "", "rows from the 65,536th on are not normalized");
BUG(max_pool_channels, 0, "diopiMaxPool2d", "", "channels from the 65,536th on have no maximum");
BUG(avg_pool_batch, 0, "diopiAvgPool2d", "", "images from the 65,536th on are not averaged");
BUG(flip_rows, 0, "diopiFlip", "", "rows from the 65,536th on are not moved");

// Elements of the output beyond the grid are 0.
void Lose(diopiTensorHandle_t out, size_t dim) {
  constexpr int64_t kMostBlocks = 65535;
  const Shape shape = ShapeOf(out);
  if (dim >= shape.size() || shape[dim] <= kMostBlocks) return;
  int64_t inner = 1;
  for (size_t d = dim + 1; d < shape.size(); ++d) inner *= shape[d];
  for (int64_t i = 0; i < NumElements(out); ++i)
    if (i / inner % shape[dim] >= kMostBlocks)
      std::memset(ElementAt(out, i), 0, static_cast<size_t>(BytesPerElement(out)));
}

}  // namespace

DIOPI_OVERRIDE(diopiBmm, a) {
  Good(a);
  if (bmm_batch) Lose(a.out, 0);
}
DIOPI_OVERRIDE(diopiLayerNorm, a) {
  Good(a);
  if (layer_norm_rows) Lose(a.out, 0);
}
DIOPI_OVERRIDE(diopiMaxPool2d, a) {
  Good(a);
  if (max_pool_channels) Lose(a.out, ShapeOf(a.out).size() - 3);
}
DIOPI_OVERRIDE(diopiAvgPool2d, a) {
  Good(a);
  if (avg_pool_batch) Lose(a.out, 0);
}
DIOPI_OVERRIDE(diopiFlip, a) {
  Good(a);
  if (flip_rows) Lose(a.out, ShapeOf(a.out).size() - 2);
}
