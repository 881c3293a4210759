// The two halves of a convolution at listed places: the windows around them as the columns of a matrix, and a
// matrix whose columns go to these places of an image.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct MaskedConvColumns {
  Out<C> col;
  In<C> im;
  In<int64_t> rows, columns;
  int64_t count, height, width, kernel[2], pad[2];
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t place = i % count, tap = i / count % (kernel[0] * kernel[1]);
    const int64_t channel = i / count / (kernel[0] * kernel[1]);
    const int64_t y = rows[place] - pad[0] + tap / kernel[1], x = columns[place] - pad[1] + tap % kernel[1];
    const bool inside = y >= 0 && x >= 0 && y < height && x < width;
    col.Set(i, inside ? im[(channel * height + y) * width + x] : C(0));
  }
};

template <typename C>
struct MaskedConvImage {
  Out<C> im;
  In<C> col;
  In<int64_t> rows, columns;
  int64_t count, height, width;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t y = rows[i % count], x = columns[i % count];
    if (y < 0 || x < 0 || y >= height || x >= width) return;
    im.Set((i / count * height + y) * width + x, col[i]);
  }
};

}  // namespace

DIOPI_KERNEL(diopiMaskedIm2colMmcv, a) {
  const Tensor col(a.col), im(a.im), rows(a.mask_h_idx), columns(a.mask_w_idx);
  Check(im.rank() == 4 && im.size(0) == 1, "expected one image of 4 dimensions, got ", ShapeText(im.shape()));
  const int64_t count = rows.numel();
  CheckShape(columns, rows.shape(), "mask_w_idx");
  CheckShape(col, {im.size(1) * a.kernel_h * a.kernel_w, count}, "col");
  DispatchFloating(ResultType(col, {im}), [&]<typename C>() {
    ForEach(Queue(a.ctx), col.numel(),
            MaskedConvColumns<C>{Out<C>(col),
                                 In<C>(im),
                                 In<int64_t>(rows),
                                 In<int64_t>(columns),
                                 count,
                                 im.size(2),
                                 im.size(3),
                                 {a.kernel_h, a.kernel_w},
                                 {a.pad_h, a.pad_w}});
  });
}

DIOPI_KERNEL(diopiMaskedCol2imMmcv, a) {
  const Tensor im(a.im), col(a.col), rows(a.mask_h_idx), columns(a.mask_w_idx);
  const int64_t count = rows.numel();
  CheckShape(im, {1, a.channels, a.height, a.width}, "im");
  CheckShape(col, {a.channels, count}, "col");
  CheckShape(columns, rows.shape(), "mask_w_idx");
  DispatchFloating(ResultType(im, {col}), [&]<typename C>() {
    ForEach(Queue(a.ctx), col.numel(),
            MaskedConvImage<C>{Out<C>(im), In<C>(col), In<int64_t>(rows), In<int64_t>(columns), count,
                               a.height, a.width});
  });
}

}  // namespace diopi::ops::both
