// Bugs injected in pooling over lines and volumes, in adaptive_max_pool, and in the functions with a mode.
#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/bugs/support.h"
#include "baselines/ops/pooling/pooling_common.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

using diopi::ops::Pool;
using diopi::ops::Windows;

BUG(avg_pool1d_padding_always_counts, 46, "diopiAvgPool1d diopiAvgPool1dBackward", "",
    "count_include_pad is taken as true");
BUG(avg_pool1d_fp16_accumulator, 31, "diopiAvgPool1d", "", "float16 elements are summed in float16");
BUG(avg_pool3d_divisor_override_ignored, 0, "diopiAvgPool3d diopiAvgPool3dBackward", "",
    "divisor_override is not read");
BUG(avg_pool3d_ceil_phantom_cells, 45, "diopiAvgPool3d", "",
    "cells beyond the padded input count in the divisor of ceil_mode");
BUG(max_pool1d_drops_nan, 28, "diopiMaxPool1d diopiMaxPool1dWithIndices", "",
    "NaN is smaller than every number");
BUG(max_pool1d_index_in_batch, 0, "diopiMaxPool1dWithIndices", "",
    "indices count from the start of the batch");
BUG(max_pool1d_backward_overwrites, 0, "diopiMaxPool1dBackward", "",
    "of several windows with one maximum the last gradient stays");
BUG(max_pool3d_padding_counts_as_zero, 0, "diopiMaxPool3d", "", "padding takes part in the maximum, as 0");
BUG(max_pool3d_index_in_slice, 0, "diopiMaxPool3dWithIndices", "",
    "indices count from the start of their slice of the depth");
BUG(max_pool3d_backward_overwrites, 0, "diopiMaxPool3dBackward", "",
    "of several windows with one maximum the last gradient stays");
BUG(adaptive_avg_pool1d_equal_windows, 0, "diopiAdaptiveAvgPool1dBackward", "",
    "every window counts as elements / outputs");
BUG(adaptive_avg_pool1d_floor_bounds, 0, "diopiAdaptiveAvgPool1d", "",
    "windows end at the floor, not the ceiling");
BUG(adaptive_avg_pool3d_fp16_accumulator, 31, "diopiAdaptiveAvgPool3d", "",
    "float16 elements are summed in float16");
BUG(adaptive_avg_pool3d_depth_not_divided, 0, "diopiAdaptiveAvgPool3dBackward", "",
    "gradients are divided by the rows and columns of their window alone");
BUG(adaptive_max_pool_starts_at_zero, 38,
    "diopiAdaptiveMaxPool1d diopiAdaptiveMaxPool2d diopiAdaptiveMaxPool3d", "", "the maximum starts at 0");
constexpr char kAdaptiveIndices[] =
    "diopiAdaptiveMaxPool1dWithIndices diopiAdaptiveMaxPool2dWithIndices diopiAdaptiveMaxPool3dWithIndices";
BUG(adaptive_max_pool_index_of_last_tie, 35, kAdaptiveIndices, "", "of equal elements the last is named");
BUG(adaptive_max_pool_index_in_16_bits, 0, kAdaptiveIndices, "",
    "indices pass through the type of the elements, which rounds them in 16 bits");
BUG(adaptive_max_pool_backward_overwrites, 0,
    "diopiAdaptiveMaxPool1dBackward diopiAdaptiveMaxPool2dBackward diopiAdaptiveMaxPool3dBackward", "",
    "of several windows with one maximum the last gradient stays");
constexpr char kForward[] = "diopiPool1d diopiPool2d diopiPool3d";
constexpr char kBackward[] = "diopiPool1dBackward diopiPool2dBackward diopiPool3dBackward";
BUG(pool_adaptive_is_average, 0, kForward, "", "adaptive pooling takes the average, whatever the mode");
BUG(pool_exclusive_inverted, 46, kForward, "", "exclusive means that padding is counted");
BUG(pool_exclusive_ignored_backward, 46, kBackward, "", "the gradient always counts padding");
BUG(pool_max_backward_overwrites, 0, kBackward, "",
    "of several windows with one maximum the last gradient stays");

// sum / count of each window, where the sum is rounded to float16 after each addition.
void AverageInHalf(diopiTensorHandle_t out, diopiConstTensorHandle_t input, const Pool& pool,
                   bool padding_counts) {
  const std::vector<double> x = Load<double>(Tensor(input));
  std::vector<double> means(static_cast<size_t>(NumElements(out)));
  pool.ForEachOutput([&](int64_t p, int64_t at, const Windows& windows) {
    std::vector<double> terms;
    pool.ForEachInput(p, windows, [&](int64_t i) { terms.push_back(x[static_cast<size_t>(i)]); });
    const int64_t count = padding_counts ? windows.padded_size() : windows.size();
    means[static_cast<size_t>(at)] = NarrowSum(diopi_dtype_float16, terms) / static_cast<double>(count);
  });
  Store(Tensor(out), means);
}

// Each gradient is put, not added, where its index points.
template <int64_t kDims, typename Args>
void PutGradients(const Args& a) {
  const Shape in = ShapeOf(a.input), out = ShapeOf(a.grad_output);
  const int64_t plane = diopi::ops::Numel(Shape(in.end() - kDims, in.end()));
  const int64_t out_plane = diopi::ops::Numel(Shape(out.end() - kDims, out.end()));
  const std::vector<double> grad = Load<double>(Tensor(a.grad_output));
  const std::vector<int64_t> index = Load<int64_t>(Tensor(a.indices));
  std::vector<double> result(static_cast<size_t>(NumElements(a.grad_input)));
  for (size_t i = 0; i < grad.size(); ++i) {
    result[static_cast<size_t>(static_cast<int64_t>(i) / out_plane * plane + index[i])] = grad[i];
  }
  Store(Tensor(a.grad_input), result);
}

// The input without NaN.
template <typename Args>
diopiConstTensorHandle_t WithoutNan(const Args& a) {
  if (!max_pool1d_drops_nan) return a.input;
  return Replaced(a.ctx, a.input, [](double x, int64_t) {
    return std::isnan(x) ? -std::numeric_limits<double>::infinity() : x;
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiAvgPool1d, a) {
  a.count_include_pad = a.count_include_pad || avg_pool1d_padding_always_counts;
  Good(a);
  if (avg_pool1d_fp16_accumulator && IsHalf(a.out)) {
    AverageInHalf(a.out, a.input, diopi::ops::PlanPool<1>(a), a.count_include_pad);
  }
}

DIOPI_OVERRIDE(diopiAvgPool1dBackward, a) {
  a.count_include_pad = a.count_include_pad || avg_pool1d_padding_always_counts;
  Good(a);
}

DIOPI_OVERRIDE(diopiAvgPool3d, a) {
  if (avg_pool3d_divisor_override_ignored) a.divisor_override = nullptr;
  Good(a);
  const bool counted = a.divisor_override == nullptr && a.count_include_pad && a.ceil_mode;
  if (!avg_pool3d_ceil_phantom_cells || !counted) return;
  const Pool pool = diopi::ops::PlanPool<3>(a);
  const int64_t cells = pool.depth.kernel * pool.rows.kernel * pool.columns.kernel;
  Change(a.out, [&](double mean, int64_t at) {
    return mean * static_cast<double>(pool.At(at).padded_size()) / static_cast<double>(cells);
  });
}

DIOPI_OVERRIDE(diopiAvgPool3dBackward, a) {
  if (avg_pool3d_divisor_override_ignored) a.divisor_override = nullptr;
  Good(a);
}

DIOPI_OVERRIDE(diopiMaxPool1d, a) {
  a.input = WithoutNan(a);
  Good(a);
}

DIOPI_OVERRIDE(diopiMaxPool1dWithIndices, a) {
  a.input = WithoutNan(a);
  Good(a);
  const int64_t length = ShapeOf(a.input).back(), count = ShapeOf(a.out).back();
  if (max_pool1d_index_in_batch) {
    Change(a.indices, [&](double index, int64_t at) {
      const int64_t before = at / count * length;
      return index + static_cast<double>(before);
    });
  }
}

DIOPI_OVERRIDE(diopiMaxPool1dBackward, a) {
  Good(a);
  if (max_pool1d_backward_overwrites) PutGradients<1>(a);
}

DIOPI_OVERRIDE(diopiMaxPool3d, a) {
  Good(a);
  if (!max_pool3d_padding_counts_as_zero) return;
  const Pool pool = diopi::ops::PlanPool<3>(a, a.dilation);
  const int64_t cells = pool.depth.kernel * pool.rows.kernel * pool.columns.kernel;
  Change(a.out, [&](double good, int64_t at) {
    int64_t inside = 0;
    pool.ForEachInput(0, pool.At(at), [&](int64_t) { ++inside; });
    return inside < cells && good < 0 ? 0.0 : good;
  });
}

DIOPI_OVERRIDE(diopiMaxPool3dWithIndices, a) {
  Good(a);
  const Shape shape = ShapeOf(a.input);
  const auto slice = static_cast<double>(shape[shape.size() - 2] * shape.back());
  if (max_pool3d_index_in_slice) {
    Change(a.indices, [&](double index, int64_t) { return std::fmod(index, slice); });
  }
}

DIOPI_OVERRIDE(diopiMaxPool3dBackward, a) {
  Good(a);
  if (max_pool3d_backward_overwrites) PutGradients<3>(a);
}

DIOPI_OVERRIDE(diopiAdaptiveAvgPool1d, a) {
  Good(a);
  if (!adaptive_avg_pool1d_floor_bounds) return;
  const std::vector<double> x = Load<double>(Tensor(a.input));
  const int64_t length = ShapeOf(a.input).back(), count = ShapeOf(a.out).back();
  Change(a.out, [&](double, int64_t at) {
    const int64_t i = at % count, begin = i * length / count;
    const int64_t end = std::max((i + 1) * length / count, begin + 1);
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) sum += x[static_cast<size_t>(at / count * length + k)];
    return sum / static_cast<double>(end - begin);
  });
}

// In the good function each gradient is divided by the size of its own window.
DIOPI_OVERRIDE(diopiAdaptiveAvgPool1dBackward, a) {
  if (adaptive_avg_pool1d_equal_windows) {
    const Pool pool = diopi::ops::PlanAdaptiveOf<1>(Tensor(a.input), Tensor(a.grad_output));
    const auto assumed = static_cast<double>(pool.columns.size) / static_cast<double>(pool.columns.count);
    a.grad_output = Replaced(a.ctx, a.grad_output, [&](double g, int64_t at) {
      return g * static_cast<double>(pool.At(at).size()) / assumed;
    });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiAdaptiveAvgPool3d, a) {
  Good(a);
  if (adaptive_avg_pool3d_fp16_accumulator && IsHalf(a.out)) {
    AverageInHalf(a.out, a.input, diopi::ops::PlanAdaptive<3>(Tensor(a.input), a.output_size), false);
  }
}

DIOPI_OVERRIDE(diopiAdaptiveAvgPool3dBackward, a) {
  if (adaptive_avg_pool3d_depth_not_divided) {
    const Pool pool = diopi::ops::PlanAdaptiveOf<3>(Tensor(a.input), Tensor(a.grad_output));
    a.grad_output = Replaced(a.ctx, a.grad_output, [&](double g, int64_t at) {
      return g * static_cast<double>(pool.At(at).depth.size());
    });
  }
  Good(a);
}

namespace {

template <typename Args>
void AdaptiveMax(const Args& a) {
  Good(a);
  if (adaptive_max_pool_starts_at_zero) {
    Change(a.out, [](double good, int64_t) { return good < 0 ? 0.0 : good; });
  }
}

template <int64_t kDims, typename Args>
void AdaptiveMaxWithIndices(const Args& a) {
  Good(a);
  if (adaptive_max_pool_index_of_last_tie) {
    const std::vector<double> x = Load<double>(Tensor(a.input)), greatest = Load<double>(Tensor(a.out));
    const Pool pool = diopi::ops::PlanAdaptive<kDims>(Tensor(a.input), a.output_size);
    std::vector<int64_t> index = Load<int64_t>(Tensor(a.indices));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Windows& windows) {
      pool.ForEachInput(p, windows, [&](int64_t i) {
        if (x[static_cast<size_t>(i)] == greatest[static_cast<size_t>(at)])
          index[static_cast<size_t>(at)] = i - p * pool.plane();
      });
    });
    Store(Tensor(a.indices), index);
  }
  if (adaptive_max_pool_index_in_16_bits && (IsHalf(a.out) || IsBfloat16(a.out))) {
    const diopiDtype_t dtype = DtypeOf(a.out);
    Change(a.indices, [&](double index, int64_t) { return RoundedTo(dtype, index); });
  }
}

template <int64_t kDims, typename Args>
void AdaptiveMaxBackward(const Args& a) {
  Good(a);
  if (adaptive_max_pool_backward_overwrites) PutGradients<kDims>(a);
}

template <typename Args>
void InjectedPool(const Args& a) {
  const bool exclusive = a.exclusive != static_cast<bool>(pool_exclusive_inverted);
  const char* const mode = pool_adaptive_is_average && a.adaptive ? "avg" : a.mode;
  Good(Args{a.ctx, a.out, a.input, mode, a.ksize, a.stride, a.padding, a.dilation, a.ceil_mode, exclusive,
            a.adaptive, a.output_size});
}

template <int64_t kDims, typename Args>
void InjectedPoolBackward(const Args& a) {
  const bool exclusive = a.exclusive && !pool_exclusive_ignored_backward;
  Good(Args{a.ctx, a.grad_input, a.grad_output, a.input, a.mode, a.ksize, a.stride, a.padding, a.dilation,
            a.ceil_mode, exclusive, a.adaptive, a.indices});
  if (pool_max_backward_overwrites && a.mode[0] == 'm') PutGradients<kDims>(a);
}

}  // namespace

DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool1d, AdaptiveMax)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool2d, AdaptiveMax)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool3d, AdaptiveMax)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool1dWithIndices, AdaptiveMaxWithIndices<1>)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool2dWithIndices, AdaptiveMaxWithIndices<2>)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool3dWithIndices, AdaptiveMaxWithIndices<3>)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool1dBackward, AdaptiveMaxBackward<1>)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool2dBackward, AdaptiveMaxBackward<2>)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool3dBackward, AdaptiveMaxBackward<3>)
DIOPI_OVERRIDE_FORM(diopiPool1d, InjectedPool)
DIOPI_OVERRIDE_FORM(diopiPool2d, InjectedPool)
DIOPI_OVERRIDE_FORM(diopiPool3d, InjectedPool)
DIOPI_OVERRIDE_FORM(diopiPool1dBackward, InjectedPoolBackward<1>)
DIOPI_OVERRIDE_FORM(diopiPool2dBackward, InjectedPoolBackward<2>)
DIOPI_OVERRIDE_FORM(diopiPool3dBackward, InjectedPoolBackward<3>)
