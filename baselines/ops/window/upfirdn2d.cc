// Images enlarged with zeros between their elements, padded or cropped, convolved with a filter, and thinned
// out: in each dimension only every `down`-th element is computed.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

struct UpfirdnGeometry {
  int64_t sizes[2], kernel[2], up[2], down[2], pad[2], cells[2];

  // The input's row or column that tap k of a cell sees, or -1.
  DIOPI_HD int64_t Seen(int d, int64_t cell, int64_t k) const {
    const int64_t at = cell * down[d] + k - pad[d];
    if (at < 0 || at % up[d] != 0 || at / up[d] >= sizes[d]) return -1;
    return at / up[d];
  }
};

template <typename C>
struct UpfirdnSum {
  Out<C> out;
  In<C> x, kernel;
  UpfirdnGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t column = i % g.cells[1], row = i / g.cells[1] % g.cells[0],
                  plane = i / g.cells[1] / g.cells[0];
    Sum<C> sum;
    for (int64_t down = 0; down < g.kernel[0]; ++down) {
      const int64_t y = g.Seen(0, row, down);
      for (int64_t across = 0; across < g.kernel[1] && y >= 0; ++across) {
        const int64_t at = g.Seen(1, column, across);
        if (at < 0) continue;
        sum += x[(plane * g.sizes[0] + y) * g.sizes[1] + at] *
               kernel[(g.kernel[0] - 1 - down) * g.kernel[1] + g.kernel[1] - 1 - across];
      }
    }
    out.Set(i, sum.total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiUpfirdn2dOpMmcv, a) {
  const Tensor x(a.input), kernel(a.kernel);
  Check(x.rank() == 4 && kernel.rank() == 2, "expected images of 4 dimensions and a kernel of 2, got ",
        ShapeText(x.shape()), " and ", ShapeText(kernel.shape()));
  UpfirdnGeometry g{{x.size(2), x.size(3)}, {kernel.size(0), kernel.size(1)},
                    {a.up_y, a.up_x},       {a.down_y, a.down_x},
                    {a.pad_y0, a.pad_x0},   {0, 0}};
  const int64_t after[] = {a.pad_y1, a.pad_x1};
  for (int d = 0; d < 2; ++d) {
    Check(g.up[d] > 0 && g.down[d] > 0, "the factors are not positive");
    const int64_t room = g.sizes[d] * g.up[d] + g.pad[d] + after[d] - g.kernel[d];
    Check(room >= 0, "the kernel does not fit into the enlarged and padded image");
    g.cells[d] = room / g.down[d] + 1;
  }
  *a.out = RequireTensor(a.ctx, {x.size(0), x.size(1), g.cells[0], g.cells[1]}, x.dtype());
  const Tensor out(*a.out);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), UpfirdnSum<C>{Out<C>(out), In<C>(x), In<C>(kernel), g});
  });
}

}  // namespace diopi::ops::both
