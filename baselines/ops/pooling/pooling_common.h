// Windows of pooling operators: which input rows or columns make one output.
#ifndef BASELINES_OPS_POOLING_POOLING_COMMON_H_
#define BASELINES_OPS_POOLING_POOLING_COMMON_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// Along one axis: [begin, end) inside the input, in steps of the dilation.
struct Window {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t step = 1;
  int64_t padded_size = 0;  // as count_include_pad counts it

  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
};
using Windows = std::vector<Window>;

struct PoolAxis {
  int64_t kernel, stride, pad, dilation;
};

// An output beyond the last input row or its left padding would be empty: ceil_mode does not make it.
inline Windows PoolWindows(const PoolAxis& axis, int64_t size, bool ceil_mode) {
  Check(axis.kernel > 0 && axis.stride > 0 && axis.dilation > 0,
        "kernel_size, stride and dilation must be positive");
  Check(axis.pad >= 0 && axis.pad <= axis.kernel / 2,
        "pad should be at most half of kernel size, but got pad=", axis.pad,
        " and kernel_size=", axis.kernel);
  const int64_t room =
      size + 2 * axis.pad - axis.dilation * (axis.kernel - 1) - 1 + (ceil_mode ? axis.stride - 1 : 0);
  Check(room >= 0, "a window is larger than the padded input of size ", size + 2 * axis.pad);
  int64_t count = room / axis.stride + 1;
  if (ceil_mode && (count - 1) * axis.stride >= size + axis.pad) --count;
  Windows windows;
  for (int64_t i = 0; i < count; ++i) {
    Window w;
    w.step = axis.dilation;
    w.begin = i * axis.stride - axis.pad;
    w.end = w.begin + (axis.kernel - 1) * axis.dilation + 1;
    w.padded_size = std::min(w.end, size + axis.pad) - w.begin;
    while (w.begin < 0) w.begin += axis.dilation;
    w.end = std::min(w.end, size);
    windows.push_back(w);
  }
  return windows;
}

// Output i covers floor(i * size / count) up to ceil((i + 1) * size / count): windows may overlap.
inline Windows AdaptiveWindows(int64_t size, int64_t count) {
  Windows windows;
  for (int64_t i = 0; i < count; ++i) {
    windows.push_back({i * size / count, ((i + 1) * size + count - 1) / count, 1, 0});
  }
  return windows;
}

// The value of axis 0 (height) or 1 (width); one value serves both.
inline int64_t AxisValue(const Shape& pair, size_t axis, const char* name) {
  Check(pair.size() == 1 || pair.size() == 2, "expected ", name, " of 1 or 2 values, got ", pair.size());
  return pair.size() == 1 ? pair[0] : pair[axis];
}

// What a pooling operator is asked to do, over the planes of a [N,] C, H, W tensor.
struct Pool2d {
  Shape input;
  Windows rows, columns;

  int64_t height() const { return input[input.size() - 2]; }
  int64_t width() const { return input.back(); }
  int64_t out_plane() const { return static_cast<int64_t>(rows.size() * columns.size()); }
  int64_t plane() const { return height() * width(); }
  int64_t planes() const { return Numel(Shape(input.begin(), input.end() - 2)); }
  Shape out() const {
    Shape shape = input;
    shape[shape.size() - 2] = static_cast<int64_t>(rows.size());
    shape.back() = static_cast<int64_t>(columns.size());
    return shape;
  }
  // f(plane, output index, row window, column window) over all outputs, in their order.
  template <typename F>
  void ForEachOutput(F&& f) const {
    int64_t at = 0;
    for (int64_t p = 0; p < planes(); ++p) {
      for (const Window& row : rows) {
        for (const Window& column : columns) f(p, at++, row, column);
      }
    }
  }
  // f(index of the input element) over a window of a plane.
  template <typename F>
  void ForEachInput(int64_t p, const Window& row, const Window& column, F&& f) const {
    for (int64_t h = row.begin; h < row.end; h += row.step) {
      for (int64_t w = column.begin; w < column.end; w += column.step) f(p * plane() + h * width() + w);
    }
  }
};

inline void CheckPoolInput(const Tensor& input) {
  Check(input.rank() == 3 || input.rank() == 4, "expected input of 3 or 4 dimensions, got shape ",
        ShapeText(input.shape()));
}

// An empty stride means the kernel's size, an empty dilation 1.
inline Pool2d PlanPool2d(const Tensor& input, const diopiSize_t& kernel_size, const diopiSize_t& stride,
                         const diopiSize_t& padding, const diopiSize_t& dilation, bool ceil_mode) {
  CheckPoolInput(input);
  const Shape kernel = Sizes(kernel_size), pad = Sizes(padding);
  const Shape step = stride.len > 0 ? Sizes(stride) : kernel;
  const Shape spread = dilation.len > 0 ? Sizes(dilation) : Shape{1};
  const auto windows = [&](size_t axis) {
    const PoolAxis pool{AxisValue(kernel, axis, "kernel_size"), AxisValue(step, axis, "stride"),
                        AxisValue(pad, axis, "padding"), AxisValue(spread, axis, "dilation")};
    return PoolWindows(pool, input.size(static_cast<int64_t>(axis) - 2), ceil_mode);
  };
  return {input.shape(), windows(0), windows(1)};
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_POOLING_POOLING_COMMON_H_
