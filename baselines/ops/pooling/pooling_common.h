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
};

// An output beyond the last input row or its left padding would be empty, so ceil_mode does not make it.
inline PoolAxis PlanAxis(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                         bool ceil_mode) {
  Check(kernel > 0 && stride > 0 && dilation > 0, "kernel_size, stride and dilation must be positive");
  Check(pad >= 0 && pad <= kernel / 2, "pad should be at most half of kernel size, but got pad=", pad,
        " and kernel_size=", kernel);
  const int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0);
  Check(room >= 0, "a window is larger than the padded input of size ", size + 2 * pad);
  int64_t count = room / stride + 1;
  if (ceil_mode && (count - 1) * stride >= size + pad) --count;
  const PoolAxis axis{size, count, false, kernel, stride, pad, dilation};
  // Dilation may step over the whole input: the maximum of nothing has no index.
  for (int64_t i = 0; i < count && i * stride < pad; ++i)
    Check(axis.At(i).size() > 0, "window ", i, " lies in the padding of an input of size ", size);
  return axis;
}

// The windows that make one output, along each axis.
struct Windows {
  Window depth, row, column;

  DIOPI_HD int64_t size() const { return depth.size() * row.size() * column.size(); }
  DIOPI_HD int64_t padded_size() const { return depth.padded_size * row.padded_size * column.padded_size; }
};

// All windows of a plane, which is what kernels see of a pool. "Plane" means the elements of one channel,
// which are a line or a volume where there is one spatial dimension or three. Missing dimensions have one
// window of one element.
struct PoolGrid {
  PoolAxis depth, rows, columns;

  DIOPI_HD bool adaptive() const { return columns.adaptive; }
  DIOPI_HD int64_t plane() const { return depth.size * rows.size * columns.size; }
  DIOPI_HD int64_t out_plane() const { return depth.count * rows.count * columns.count; }
  DIOPI_HD int64_t IndexOf(int64_t d, int64_t h, int64_t w) const {
    return (d * rows.size + h) * columns.size + w;
  }
  DIOPI_HD int64_t First(const Windows& windows) const {
    return IndexOf(windows.depth.begin, windows.row.begin, windows.column.begin);
  }
  DIOPI_HD Windows At(int64_t output) const {
    return {depth.At(output / columns.count / rows.count % depth.count),
            rows.At(output / columns.count % rows.count), columns.At(output % columns.count)};
  }
};

// The task of a pooling operator, over the planes of a [N,] C, [[D,] H,] W tensor.
struct Pool : PoolGrid {
  Shape input;
  int64_t dims = 2;  // spatial ones

  int64_t width() const { return columns.size; }
  int64_t planes() const { return Numel(Shape(input.begin(), input.end() - dims)); }
  Shape out() const {
    Shape shape = input;
    shape.back() = columns.count;
    if (dims > 1) shape[shape.size() - 2] = rows.count;
    if (dims > 2) shape[shape.size() - 3] = depth.count;
    return shape;
  }
  // f(plane, output index, windows) over all outputs, in their order.
  template <typename F>
  void ForEachOutput(F&& f) const {
    const std::vector<Window> depth_windows = All(depth), row_windows = All(rows),
                              column_windows = All(columns);
    int64_t at = 0;
    for (int64_t p = 0; p < planes(); ++p) {
      for (const Window& d : depth_windows) {
        for (const Window& row : row_windows) {
          for (const Window& column : column_windows) f(p, at++, Windows{d, row, column});
        }
      }
    }
  }
  // f(index of the input element) over the window of an output.
  template <typename F>
  void ForEachInput(int64_t p, const Windows& windows, F&& f) const {
    const Window &depths = windows.depth, &row = windows.row, &column = windows.column;
    for (int64_t d = depths.begin; d < depths.end; d += depths.step) {
      for (int64_t h = row.begin; h < row.end; h += row.step) {
        for (int64_t w = column.begin; w < column.end; w += column.step) f(p * plane() + IndexOf(d, h, w));
      }
    }
  }

 private:
  static std::vector<Window> All(const PoolAxis& axis) {
    std::vector<Window> windows;
    windows.reserve(static_cast<size_t>(axis.count));
    for (int64_t i = 0; i < axis.count; ++i) windows.push_back(axis.At(i));
    return windows;
  }
};

inline void CheckPoolInput(const Tensor& input, int64_t dims) {
  Check(input.rank() == dims + 1 || input.rank() == dims + 2, "expected input of ", dims + 1, " or ",
        dims + 2, " dimensions, got shape ", ShapeText(input.shape()));
}

// The value of spatial dimension `axis`; one value serves all.
inline int64_t AxisValue(const Shape& values, int64_t axis, int64_t dims, const char* name) {
  const auto count = static_cast<int64_t>(values.size());
  Check(count == 1 || count == dims, "expected ", name, " of 1 ",
        dims > 1 ? Text("or ", dims, " values") : "value", ", got ", count);
  return values[count == 1 ? 0 : static_cast<size_t>(axis)];
}

// make(spatial dimension) gives the windows of that dimension.
template <typename Make>
Pool PoolOf(const Tensor& input, int64_t dims, Make&& make) {
  const PoolAxis single = {1, 1};
  const PoolAxis depth = dims > 2 ? make(dims - 3) : single;
  const PoolAxis rows = dims > 1 ? make(dims - 2) : single;
  return {{depth, rows, make(dims - 1)}, input.shape(), dims};
}

template <typename Args>
diopiSize_t KernelOf(const Args& a) {
  if constexpr (requires { a.ksize; })
    return a.ksize;
  else
    return a.kernel_size;
}

inline constexpr diopiSize_t kNoDilation{nullptr, 0};

// Windows of the size that a function's arguments give. An empty stride means the kernel's size, an empty
// dilation 1.
template <int64_t kDims, typename Args>
Pool PlanPool(const Args& a, const diopiSize_t& spread = kNoDilation) {
  const Tensor input(a.input);
  CheckPoolInput(input, kDims);
  const Shape kernel = Sizes(KernelOf(a)), pad = Sizes(a.padding);
  const Shape stride = a.stride.len > 0 ? Sizes(a.stride) : kernel;
  const Shape dilation = spread.len > 0 ? Sizes(spread) : Shape{1};
  return PoolOf(input, kDims, [&](int64_t axis) {
    return PlanAxis(input.size(axis - kDims), AxisValue(kernel, axis, kDims, "kernel_size"),
                    AxisValue(stride, axis, kDims, "stride"), AxisValue(pad, axis, kDims, "padding"),
                    AxisValue(dilation, axis, kDims, "dilation"), a.ceil_mode);
  });
}

// Windows that divide the plane into `output_size` parts along each dimension.
inline Pool PlanAdaptive(const Tensor& input, const Shape& output_size) {
  const auto dims = static_cast<int64_t>(output_size.size());
  for (const int64_t size : output_size) {
    Check(size >= 0, "expected sizes of 0 and more in output_size, got ", ShapeText(output_size));
  }
  CheckPoolInput(input, dims);
  const Shape plane(input.shape().end() - dims, input.shape().end());
  Check(Numel(output_size) == 0 || Numel(plane) > 0, "expected planes with elements, got shape ",
        ShapeText(input.shape()));
  return PoolOf(input, dims, [&](int64_t axis) {
    return PoolAxis{plane[static_cast<size_t>(axis)], output_size[static_cast<size_t>(axis)], true};
  });
}

template <int64_t kDims>
Pool PlanAdaptive(const Tensor& input, const diopiSize_t& output_size) {
  Check(output_size.len == kDims, "expected output_size of ", kDims, " values, got ", output_size.len);
  return PlanAdaptive(input, Sizes(output_size));
}

// The windows of an adaptive function's gradient, which knows the output's size only from its gradient.
template <int64_t kDims>
Pool PlanAdaptiveOf(const Tensor& input, const Tensor& grad_output) {
  CheckPoolInput(grad_output, kDims);
  return PlanAdaptive(input, Shape(grad_output.shape().end() - kDims, grad_output.shape().end()));
}

// The divisor of an average's sum. Adaptive windows have no padding: their sums are divided by their size
// along each dimension in turn.
struct Divisor {
  bool include_pad = true;
  int64_t override_value = 0;  // 0: none

  template <typename C>
  DIOPI_HD C Divide(C sum, const PoolGrid& grid, const Windows& windows) const {
    if (grid.adaptive()) {
      if (grid.depth.adaptive) sum = sum / C(windows.depth.size());
      if (grid.rows.adaptive) sum = sum / C(windows.row.size());
      return sum / C(windows.column.size());
    }
    if (override_value != 0) return sum / Rounded<C>(static_cast<long double>(override_value));
    return sum / C(include_pad ? windows.padded_size() : windows.size());
  }
};

// The indices of a function that has some; otherwise a null tensor.
template <typename Args>
Tensor IndicesOf(const Args& a) {
  if constexpr (requires { a.indices; })
    return Tensor(a.indices);
  else
    return Tensor();
}

inline Divisor ReadDivisor(bool count_include_pad, const int64_t* divisor_override) {
  Check(divisor_override == nullptr || *divisor_override != 0, "divisor must be not zero");
  return {count_include_pad, divisor_override == nullptr ? 0 : *divisor_override};
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_POOLING_POOLING_COMMON_H_
