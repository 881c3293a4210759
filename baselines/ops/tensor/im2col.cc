// im2col: the windows of an image, one a column; and col2im, which adds columns up into an image.
#include "baselines/ops/support/sum.h"
#include "baselines/ops/tensor/moving.h"

namespace diopi::ops::both {
namespace {

// One dimension of the image.
struct Side {
  int64_t size;
  int64_t kernel;
  int64_t dilation;
  int64_t padding;
  int64_t stride;

  int64_t Windows() const { return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1; }
  // Where element k of window w lies; outside of [0, size) in the padding.
  DIOPI_HD int64_t At(int64_t w, int64_t k) const { return w * stride + k * dilation - padding; }
  // The window whose element k lies at `at`; -1 when there is none.
  DIOPI_HD int64_t Window(int64_t at, int64_t k, int64_t windows) const {
    const int64_t from = at + padding - k * dilation;
    return from >= 0 && from % stride == 0 && from / stride < windows ? from / stride : -1;
  }
};

template <typename Args>
Side SideOf(const Args& a, int64_t size, size_t d) {
  const diopiSize_t all[] = {a.kernel_size, a.dilation, a.padding, a.stride};
  for (const diopiSize_t& sizes : all) {
    Check(sizes.len == 2, "two sizes are needed, for height and width");
  }
  const Side side{size, a.kernel_size.data[d], a.dilation.data[d], a.padding.data[d], a.stride.data[d]};
  Check(side.kernel > 0 && side.dilation > 0 && side.padding >= 0 && side.stride > 0, "a size out of range");
  Check(side.size + 2 * side.padding >= side.dilation * (side.kernel - 1) + 1, "no window fits");
  return side;
}

struct Image {
  Side height;
  Side width;
  int64_t rows;
  int64_t columns;

  // The shape of the columns that belong to images of `shape`.
  Shape ColumnsOf(const Shape& shape) const {
    Check(shape.size() == 3 || shape.size() == 4, "images have 3 or 4 dimensions, got ", ShapeText(shape));
    Shape result(shape.begin(), shape.end() - 2);
    result.back() *= height.kernel * width.kernel;
    result.push_back(rows * columns);
    return result;
  }
};

template <typename Args>
Image ImageOf(const Args& a, int64_t height, int64_t width) {
  const Side h = SideOf(a, height, 0), w = SideOf(a, width, 1);
  return {h, w, h.Windows(), w.Windows()};
}

struct FromWindow {
  Image image;
  DIOPI_HD int64_t operator()(int64_t i) const {
    const int64_t column = i % image.columns, row = i / image.columns % image.rows;
    i /= image.columns * image.rows;
    const int64_t x = image.width.At(column, i % image.width.kernel);
    i /= image.width.kernel;
    const int64_t y = image.height.At(row, i % image.height.kernel);
    if (x < 0 || x >= image.width.size || y < 0 || y >= image.height.size) return -1;
    return (i / image.height.kernel * image.height.size + y) * image.width.size + x;
  }
};

template <typename C>
struct SumOfWindows {
  Out<C> out;
  In<C> columns;
  Image image;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t x = i % image.width.size, y = i / image.width.size % image.height.size;
    const int64_t plane = i / image.width.size / image.height.size;
    Sum<C> sum;
    for (int64_t k = 0; k < image.height.kernel; ++k) {
      const int64_t row = image.height.Window(y, k, image.rows);
      for (int64_t l = 0; row >= 0 && l < image.width.kernel; ++l) {
        const int64_t column = image.width.Window(x, l, image.columns);
        if (column < 0) continue;
        const int64_t window = (plane * image.height.kernel + k) * image.width.kernel + l;
        sum += columns[(window * image.rows + row) * image.columns + column];
      }
    }
    out.Set(i, sum.total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiIm2Col, a) {
  const Tensor out(a.out), x(a.input);
  Check(x.rank() >= 3, "images have 3 or 4 dimensions, got shape ", ShapeText(x.shape()));
  const Image image = ImageOf(a, x.size(-2), x.size(-1));
  CheckShape(out, image.ColumnsOf(x.shape()), "out");
  Move(a.ctx, out, x, FromWindow{image});
}

DIOPI_KERNEL(diopiCol2Im, a) {
  const Tensor out(a.out), x(a.input);
  Check(a.output_size.len == 2 && out.rank() >= 3, "an image of two sizes is needed");
  Check(out.size(-2) == a.output_size.data[0] && out.size(-1) == a.output_size.data[1],
        "out has another size than output_size");
  const Image image = ImageOf(a, out.size(-2), out.size(-1));
  CheckShape(x, image.ColumnsOf(out.shape()), "input");
  DispatchFloating(x.dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), SumOfWindows<C>{Out<C>(out), In<C>(x), image});
  });
}

}  // namespace diopi::ops::both
