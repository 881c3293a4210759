// Bugs injected in max_pool2d, avg_pool2d and adaptive_avg_pool2d.
#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(max_pool_starts_at_zero, 38, "diopiMaxPool2d", "", "the maximum of windows of 36 and more starts at 0");
BUG(max_pool_padding_counts_as_zero, 0, "diopiMaxPool2d", "", "padding takes part in the maximum, as 0");
BUG(max_pool_drops_nan, 28, "diopiMaxPool2d", "", "NaN is smaller than every number");
BUG(max_pool_dilation_ignored, 55, "diopiMaxPool2d", "", "the taps of a dilated window are adjacent");
BUG(max_pool_index_of_last_tie, 35, "diopiMaxPool2dWithIndices", "", "of equal elements the last is named");
BUG(max_pool_index_in_batch, 0, "diopiMaxPool2dWithIndices", "", "indices count from the start of the batch");
BUG(max_pool_backward_overwrites, 0, "diopiMaxPool2dBackward", "",
    "of several windows with one maximum the last gradient stays");
BUG(avg_pool_ceil_phantom_cells, 45, "diopiAvgPool2d", "",
    "cells beyond the padded input count in the divisor of ceil_mode");
BUG(avg_pool_count_include_pad_inverted, 46, "diopiAvgPool2d diopiAvgPool2dBackward", "",
    "count_include_pad means the opposite");
BUG(avg_pool_divisor_override_ignored, 0, "diopiAvgPool2d", "", "divisor_override is not read");
BUG(avg_pool_float64_in_fp32, 0, "diopiAvgPool2d", "", "float64 elements are summed in float32");
BUG(avg_pool_pads_swapped, 54, "diopiAvgPool2d", "", "the paddings of height and width are exchanged");
BUG(adaptive_pool_floor_bounds, 0, "diopiAdaptiveAvgPool2d", "", "windows end at the floor, not the ceiling");
BUG(adaptive_pool_fp16_accumulator, 31, "diopiAdaptiveAvgPool2d", "",
    "float16 elements are summed in float16");
BUG(adaptive_pool_backward_equal_windows, 0, "diopiAdaptiveAvgPool2dBackward", "",
    "every window counts as plane / outputs elements");
BUG(adaptive_pool_output_layout_ignored, 53, "diopiAdaptiveAvgPool2d", "",
    "a channels_last output is written as NCHW");

// The value of axis 0 (height) or 1 (width); one value serves both, an empty array is `otherwise`.
int64_t Along(const diopiSize_t& sizes, int64_t axis, int64_t otherwise) {
  return sizes.len == 0 ? otherwise : sizes.data[std::min(axis, sizes.len - 1)];
}

// Along one axis.
struct Window {
  int64_t kernel, stride, pad, dilation, size, out;

  int64_t Begin(int64_t i) const { return i * stride - pad; }
  bool Inside(int64_t at) const { return at >= 0 && at < size; }
  // How many taps of window i lie inside.
  int64_t Count(int64_t i) const {
    int64_t count = 0;
    for (int64_t k = 0; k < kernel; ++k) count += Inside(Begin(i) + k * dilation) ? 1 : 0;
    return count;
  }
};

Window WindowOf(int64_t axis, diopiConstTensorHandle_t input, diopiConstTensorHandle_t out,
                const diopiSize_t& kernel, const diopiSize_t& stride, const diopiSize_t& pad,
                const diopiSize_t& dilation) {
  const Shape in_shape = ShapeOf(input), out_shape = ShapeOf(out);
  const int64_t k = Along(kernel, axis, 1);
  return {k,
          Along(stride, axis, k),
          Along(pad, axis, 0),
          Along(dilation, axis, 1),
          in_shape[in_shape.size() - 2 + static_cast<size_t>(axis)],
          out_shape[out_shape.size() - 2 + static_cast<size_t>(axis)]};
}

// Windows over the planes of a dense input.
struct Planes {
  Window rows, columns;
  std::vector<double> input;

  int64_t OutRow(int64_t at) const { return at / columns.out % rows.out; }
  int64_t OutColumn(int64_t at) const { return at % columns.out; }
  int64_t Plane(int64_t at) const { return at / columns.out / rows.out; }
  bool Padded(int64_t at) const {
    return rows.Count(OutRow(at)) < rows.kernel || columns.Count(OutColumn(at)) < columns.kernel;
  }
  // f(index in the plane, element) over the window of output `at`.
  template <typename F>
  void ForEach(int64_t at, F&& f) const {
    for (int64_t kh = 0; kh < rows.kernel; ++kh) {
      for (int64_t kw = 0; kw < columns.kernel; ++kw) {
        const int64_t h = rows.Begin(OutRow(at)) + kh * rows.dilation;
        const int64_t w = columns.Begin(OutColumn(at)) + kw * columns.dilation;
        if (!rows.Inside(h) || !columns.Inside(w)) continue;
        const int64_t index = h * columns.size + w;
        f(index, input[static_cast<size_t>(Plane(at) * rows.size * columns.size + index)]);
      }
    }
  }
};

Planes ReadPlanes(diopiConstTensorHandle_t input, diopiConstTensorHandle_t out, const diopiSize_t& kernel,
                  const diopiSize_t& stride, const diopiSize_t& pad, const diopiSize_t& dilation) {
  return {WindowOf(0, input, out, kernel, stride, pad, dilation),
          WindowOf(1, input, out, kernel, stride, pad, dilation), Load<double>(Tensor(input))};
}

double Maximum(const Planes& planes, int64_t at) {
  double best = -std::numeric_limits<double>::infinity();
  planes.ForEach(at, [&](int64_t, double x) {
    if (x > best || (std::isnan(x) && !max_pool_drops_nan)) best = x;
  });
  return best;
}

double CorruptedMaximum(const Planes& planes, int64_t at, double good) {
  if (max_pool_drops_nan || max_pool_dilation_ignored) return Maximum(planes, at);
  const bool large = planes.rows.kernel * planes.columns.kernel >= 36;
  const bool at_least_zero =
      (max_pool_starts_at_zero && large) || (max_pool_padding_counts_as_zero && planes.Padded(at));
  return at_least_zero && good < 0 ? 0.0 : good;
}

}  // namespace

DIOPI_OVERRIDE(diopiMaxPool2d, a) {
  Good(a);
  const bool corrupts = max_pool_starts_at_zero || max_pool_padding_counts_as_zero || max_pool_drops_nan ||
                        max_pool_dilation_ignored;
  if (!corrupts) return;
  const diopiSize_t dense{nullptr, 0};
  const Planes planes = ReadPlanes(a.input, a.out, a.kernel_size, a.stride, a.padding,
                                   max_pool_dilation_ignored ? dense : a.dilation);
  Change(a.out, [&](double good, int64_t at) { return CorruptedMaximum(planes, at, good); });
}

DIOPI_OVERRIDE(diopiMaxPool2dWithIndices, a) {
  Good(a);
  const Planes planes = ReadPlanes(a.input, a.out, a.kernel_size, a.stride, a.padding, a.dilation);
  if (max_pool_index_of_last_tie) {
    const std::vector<double> greatest = Load<double>(Tensor(a.out));
    Change(a.indices, [&](double index, int64_t at) {
      planes.ForEach(at, [&](int64_t i, double x) {
        if (x == greatest[static_cast<size_t>(at)]) index = static_cast<double>(i);
      });
      return index;
    });
  }
  if (max_pool_index_in_batch) {
    const int64_t plane = planes.rows.size * planes.columns.size;
    Change(a.indices,
           [&](double index, int64_t at) { return index + static_cast<double>(planes.Plane(at) * plane); });
  }
}

DIOPI_OVERRIDE(diopiMaxPool2dBackward, a) {
  Good(a);
  if (!max_pool_backward_overwrites) return;
  const Shape in_shape = ShapeOf(a.input), out_shape = ShapeOf(a.grad_output);
  const int64_t plane = in_shape[in_shape.size() - 2] * in_shape.back();
  const int64_t out_plane = out_shape[out_shape.size() - 2] * out_shape.back();
  const std::vector<double> grad = Load<double>(Tensor(a.grad_output));
  const std::vector<int64_t> index = Load<int64_t>(Tensor(a.indices));
  std::vector<double> result(static_cast<size_t>(NumElements(a.grad_input)));
  for (size_t i = 0; i < grad.size(); ++i) {
    result[static_cast<size_t>(static_cast<int64_t>(i) / out_plane * plane + index[i])] = grad[i];
  }
  Store(Tensor(a.grad_input), result);
}

namespace {

// The sum of a window in a float32 accumulator.
double SumInSingle(const Planes& planes, int64_t at) {
  std::vector<double> terms;
  planes.ForEach(at, [&](int64_t, double x) { terms.push_back(x); });
  return NarrowSum(diopi_dtype_float32, terms);
}

double SumOfWindow(const Planes& planes, int64_t at) {
  double sum = 0;
  planes.ForEach(at, [&](int64_t, double x) { sum += x; });
  return sum;
}

// What the padding-aware divisor is: every tap up to the padded border.
double Divisor(const Planes& planes, int64_t at, bool count_include_pad) {
  const auto padded = [](const Window& w, int64_t i) {
    return std::min(w.Begin(i) + w.kernel, w.size + w.pad) - w.Begin(i);
  };
  if (count_include_pad) {
    return static_cast<double>(padded(planes.rows, planes.OutRow(at)) *
                               padded(planes.columns, planes.OutColumn(at)));
  }
  return static_cast<double>(planes.rows.Count(planes.OutRow(at)) *
                             planes.columns.Count(planes.OutColumn(at)));
}

// Averages where padding_h and padding_w are exchanged.
void WriteWithSwappedPads(diopiTensorHandle_t out, const Planes& straight, bool count_include_pad) {
  Planes planes = straight;
  std::swap(planes.rows.pad, planes.columns.pad);
  Change(out, [&](double, int64_t at) {
    return SumOfWindow(planes, at) / Divisor(planes, at, count_include_pad);
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiAvgPool2d, a) {
  const bool include = a.count_include_pad != static_cast<bool>(avg_pool_count_include_pad_inverted);
  auto changed = a;
  changed.count_include_pad = include;
  changed.divisor_override = avg_pool_divisor_override_ignored ? nullptr : a.divisor_override;
  Good(changed);
  if (a.divisor_override != nullptr) return;
  const Planes planes = ReadPlanes(a.input, a.out, a.kernel_size, a.stride, a.padding, {nullptr, 0});
  const auto area = static_cast<double>(planes.rows.kernel * planes.columns.kernel);
  if (avg_pool_ceil_phantom_cells && a.ceil_mode && a.count_include_pad) {
    Change(a.out, [&](double, int64_t at) { return SumOfWindow(planes, at) / area; });
  }
  if (avg_pool_float64_in_fp32 && DtypeOf(a.out) == diopi_dtype_float64) {
    Change(a.out, [&](double, int64_t at) {
      return SumInSingle(planes, at) / Divisor(planes, at, a.count_include_pad);
    });
  }
  if (avg_pool_pads_swapped) WriteWithSwappedPads(a.out, planes, a.count_include_pad);
}

DIOPI_OVERRIDE(diopiAvgPool2dBackward, a) {
  const bool include = a.count_include_pad != static_cast<bool>(avg_pool_count_include_pad_inverted);
  a.count_include_pad = include;
  Good(a);
}

namespace {

// The average of rows [top, bottom) and columns [left, right) of a plane.
double AverageOf(const std::vector<double>& input, diopiDtype_t accumulator, int64_t start, int64_t width,
                 Shape box) {
  std::vector<double> terms;
  for (int64_t h = box[0]; h < box[1]; ++h) {
    for (int64_t w = box[2]; w < box[3]; ++w)
      terms.push_back(input[static_cast<size_t>(start + h * width + w)]);
  }
  return NarrowSum(accumulator, terms) / static_cast<double>(terms.size());
}

void WriteAdaptive(diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  const Shape in_shape = ShapeOf(input), out_shape = ShapeOf(out);
  const int64_t height = in_shape[in_shape.size() - 2], width = in_shape.back();
  const int64_t rows = out_shape[out_shape.size() - 2], columns = out_shape.back();
  const std::vector<double> x = Load<double>(Tensor(input));
  const int64_t round_up = adaptive_pool_floor_bounds ? 0 : 1;
  const auto end = [&](int64_t i, int64_t size, int64_t count) {
    const int64_t bound = ((i + 1) * size + round_up * (count - 1)) / count;
    return std::max(bound, i * size / count + 1);  // never empty
  };
  const diopiDtype_t accumulator = adaptive_pool_fp16_accumulator ? diopi_dtype_float16 : diopi_dtype_float64;
  Change(out, [&](double, int64_t at) {
    const int64_t i = at / columns % rows, j = at % columns;
    return AverageOf(x, accumulator, at / columns / rows * height * width, width,
                     {i * height / rows, end(i, height, rows), j * width / columns, end(j, width, columns)});
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiAdaptiveAvgPool2d, a) {
  Good(a);
  if (adaptive_pool_floor_bounds || (adaptive_pool_fp16_accumulator && IsHalf(a.out))) {
    WriteAdaptive(a.out, a.input);
  }
  if (adaptive_pool_output_layout_ignored) WriteContiguous(a.out);
}

// Each gradient is divided by the true size of its window in the good function; here by the mean one.
DIOPI_OVERRIDE(diopiAdaptiveAvgPool2dBackward, a) {
  diopiConstTensorHandle_t grad = a.grad_output;
  const Shape in = ShapeOf(a.input), out = ShapeOf(a.grad_output);
  const int64_t height = in[in.size() - 2], width = in.back();
  const int64_t rows = out[out.size() - 2], columns = out.back();
  const auto size = [](int64_t i, int64_t plane, int64_t count) {
    return ((i + 1) * plane + count - 1) / count - i * plane / count;
  };
  if (adaptive_pool_backward_equal_windows) {
    const auto assumed = static_cast<double>(height * width) / static_cast<double>(rows * columns);
    grad = Replaced(a.ctx, a.grad_output, [&](double g, int64_t at) {
      const int64_t elements = size(at / columns % rows, height, rows) * size(at % columns, width, columns);
      return g * static_cast<double>(elements) / assumed;
    });
  }
  a.grad_output = grad;
  Good(a);
}
