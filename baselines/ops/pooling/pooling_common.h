// Windows of pooling operators: which input rows or columns make one output.
#ifndef BASELINES_OPS_POOLING_POOLING_COMMON_H_
#define BASELINES_OPS_POOLING_POOLING_COMMON_H_

#include <cstdint>
#include <vector>

#include "baselines/ops/support/hd.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// Along one axis: [begin, end) inside the input, in steps of the dilation.
struct Window {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t step = 1;
  int64_t padded_size = 0;  // as count_include_pad counts it

  DIOPI_HD int64_t size() const { return end > begin ? end - begin : 0; }
};

// All windows of one axis.
struct PoolAxis {
  int64_t size = 0;   // of the input
  int64_t count = 0;  // of windows
  bool adaptive = false;
  int64_t kernel = 1, stride = 1, pad = 0, dilation = 1;  // unless adaptive

  DIOPI_HD Window At(int64_t i) const {
    // Adaptive: from floor(i * size / count) up to ceil((i + 1) * size / count). Windows may overlap.
    if (adaptive) return {i * size / count, ((i + 1) * size + count - 1) / count, 1, 0};
    Window w;
    w.step = dilation;
    w.begin = i * stride - pad;
    w.end = w.begin + (kernel - 1) * dilation + 1;
    w.padded_size = (w.end < size + pad ? w.end : size + pad) - w.begin;
    while (w.begin < 0) w.begin += dilation;
    if (w.end > size) w.end = size;
    return w;
  }

  // The windows that element h may belong to, from first to last, and whether it does belong to one of them.
  DIOPI_HD int64_t FirstWith(int64_t h) const {
    if (adaptive) return h * count / size;
    const int64_t beyond = h + pad - (kernel - 1) * dilation;
    return beyond > 0 ? (beyond + stride - 1) / stride : 0;
  }
  DIOPI_HD int64_t LastWith(int64_t h) const {
    const int64_t last = adaptive ? ((h + 1) * count - 1) / size : (h + pad) / stride;
    return last < count ? last : count - 1;
  }
  DIOPI_HD bool Has(int64_t i, int64_t h) const { return adaptive || (h + pad - i * stride) % dilation == 0; }
};

// An output beyond the last input row or its left padding would be empty: ceil_mode does not make it.
inline PoolAxis PlanAxis(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                         bool ceil_mode) {
  Check(kernel > 0 && stride > 0 && dilation > 0, "kernel_size, stride and dilation must be positive");
  Check(pad >= 0 && pad <= kernel / 2, "pad should be at most half of kernel size, but got pad=", pad,
        " and kernel_size=", kernel);
  const int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0);
  Check(room >= 0, "a window is larger than the padded input of size ", size + 2 * pad);
  int64_t count = room / stride + 1;
  if (ceil_mode && (count - 1) * stride >= size + pad) --count;
  return {size, count, false, kernel, stride, pad, dilation};
}

// The value of axis 0 (height) or 1 (width); one value serves both.
inline int64_t AxisValue(const Shape& pair, size_t axis, const char* name) {
  Check(pair.size() == 1 || pair.size() == 2, "expected ", name, " of 1 or 2 values, got ", pair.size());
  return pair.size() == 1 ? pair[0] : pair[axis];
}

// What a pooling operator is asked to do, over the planes of a [N,] C, H, W tensor.
struct Pool2d {
  Shape input;
  PoolAxis rows, columns;

  int64_t height() const { return input[input.size() - 2]; }
  int64_t width() const { return input.back(); }
  int64_t out_plane() const { return rows.count * columns.count; }
  int64_t plane() const { return height() * width(); }
  int64_t planes() const { return Numel(Shape(input.begin(), input.end() - 2)); }
  Shape out() const {
    Shape shape = input;
    shape[shape.size() - 2] = rows.count;
    shape.back() = columns.count;
    return shape;
  }
  // f(plane, output index, row window, column window) over all outputs, in their order.
  template <typename F>
  void ForEachOutput(F&& f) const {
    const std::vector<Window> row_windows = All(rows), column_windows = All(columns);
    int64_t at = 0;
    for (int64_t p = 0; p < planes(); ++p) {
      for (const Window& row : row_windows) {
        for (const Window& column : column_windows) f(p, at++, row, column);
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

 private:
  static std::vector<Window> All(const PoolAxis& axis) {
    std::vector<Window> windows;
    for (int64_t i = 0; i < axis.count; ++i) windows.push_back(axis.At(i));
    return windows;
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
    return PlanAxis(input.size(static_cast<int64_t>(axis) - 2), AxisValue(kernel, axis, "kernel_size"),
                    AxisValue(step, axis, "stride"), AxisValue(pad, axis, "padding"),
                    AxisValue(spread, axis, "dilation"), ceil_mode);
  };
  return {input.shape(), windows(0), windows(1)};
}

// Windows that divide the plane into output_size rows and columns.
inline Pool2d PlanAdaptive(const Tensor& input, const Shape& output_size) {
  CheckPoolInput(input);
  Check(output_size.size() == 2 && output_size[0] >= 0 && output_size[1] >= 0,
        "expected output_size of 2 values, got ", ShapeText(output_size));
  Check(output_size[0] * output_size[1] == 0 || input.size(-1) * input.size(-2) > 0,
        "expected planes with elements, got shape ", ShapeText(input.shape()));
  return {input.shape(), {input.size(-2), output_size[0], true}, {input.size(-1), output_size[1], true}};
}

// By what an average's sum is divided.
struct Divisor {
  bool include_pad;
  int64_t override_value;  // 0: none

  template <typename C>
  DIOPI_HD C Of(const Window& row, const Window& column) const {
    if (override_value != 0) return Rounded<C>(static_cast<long double>(override_value));
    return C(include_pad ? row.padded_size * column.padded_size : row.size() * column.size());
  }
};

inline Divisor ReadDivisor(bool count_include_pad, const int64_t* divisor_override) {
  Check(divisor_override == nullptr || *divisor_override != 0, "divisor must be not zero");
  return {count_include_pad, divisor_override == nullptr ? 0 : *divisor_override};
}

inline constexpr diopiSize_t kNoDilation{nullptr, 0};

// The average of each window; divide(sum, row window, column window) says by what its sum is divided.
template <typename Divide>
void AverageWindows(const Tensor& out, const Tensor& x, const Pool2d& pool, Divide&& divide) {
  CheckShape(out, pool.out(), "out");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> mean(static_cast<size_t>(out.numel()));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      C sum = C(0);
      pool.ForEachInput(p, row, column, [&](int64_t i) { sum += values[i]; });
      mean[at] = divide(sum, row, column);
    });
    Store(out, mean);
  });
}

// Its gradient: every element of a window gets what divide makes of the window's gradient.
template <typename Divide>
void AverageWindowsBackward(const Tensor& dx, const Tensor& grad, const Tensor& x, const Pool2d& pool,
                            Divide&& divide) {
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    std::vector<C> d(static_cast<size_t>(x.numel()), C(0));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      const C share = divide(g[at], row, column);
      pool.ForEachInput(p, row, column, [&](int64_t i) { d[i] += share; });
    });
    Store(dx, d);
  });
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_POOLING_POOLING_COMMON_H_
