// Bugs injected in deformable convolution and attention.
#include <algorithm>
#include <cmath>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

constexpr char kPlain[] = "diopiDeformConvMmcv";
constexpr char kPlainInput[] = "diopiDeformConvBackwardInputMmcv";
constexpr char kPlainWeight[] = "diopiDeformConvBackwardParametersMmcv";
constexpr char kModulated[] = "diopiModulatedDeformConvMmcv";
constexpr char kModulatedGrad[] = "diopiModulatedDeformConvBackwardMmcv";
constexpr char kSampling[] =
    "diopiDeformConvMmcv diopiDeformConvBackwardInputMmcv diopiDeformConvBackwardParametersMmcv "
    "diopiModulatedDeformConvMmcv diopiModulatedDeformConvBackwardMmcv";
constexpr char kBoth[] = "diopiDeformConvMmcv diopiModulatedDeformConvMmcv";
constexpr char kLevels[] = "diopiMsDeformAttnMmcv diopiMsDeformAttnBackwardMmcv";
constexpr char kLevelsGrad[] = "diopiMsDeformAttnBackwardMmcv";

BUG(deform_offsets_swapped, 0, kSampling, "",
    "the first of two offsets moves the column, the second the row");
BUG(deform_first_part, 0, kSampling, "", "the offsets of the first group of channels serve all");
BUG(deform_nearest, 0, kSampling, "", "the nearest element instead of the four neighbours");
BUG(deform_border_clamped, 0, kBoth, "", "places outside take the border's element");
BUG(deform_fractions_outside_lost, 0, kBoth, "", "places within one element of the image count as zero");
BUG(deform_steps_not_transposed, 0, kPlain, "", "images of one im2col_step are written filter by filter");
BUG(deform_grad_offset_swapped, 0, kPlainInput, "", "the gradients of a tap's two offsets are exchanged");
BUG(deform_grad_input_in_bfloat16, 0, kPlainInput, "", "the gradient of the input is rounded to bfloat16");
BUG(deform_scale_ignored, 0, kPlainWeight, "", "scale is taken as 1");
BUG(deform_last_image_lost, 0, kPlainWeight, "", "the last image adds nothing to the gradient of the weight");
BUG(modulated_mask_ignored, 0, kModulated, "", "every tap counts in full");
BUG(modulated_bias_ignored, 0, kModulated, "", "the bias is left out");
BUG(modulated_grad_mask_masked, 0, kModulatedGrad, "", "the gradient of the mask is multiplied by the mask");
BUG(modulated_grad_offset_unmasked, 0, kModulatedGrad, "",
    "the gradients of offsets and input are those without the mask");
BUG(modulated_grad_bias_of_first_image, 0, kModulatedGrad, "",
    "the gradient of the bias sums the first image");
BUG(ms_deform_places_swapped, 0, kLevels, "", "a place is (y, x)");
BUG(ms_deform_half_pixel_forgotten, 0, kLevels, "", "a place lies at x * width, without the half element");
BUG(ms_deform_starts_ignored, 0, kLevels, "", "every level begins at the first element");
BUG(ms_deform_first_level_size, 0, kLevels, "", "every level has the size of the first");
BUG(ms_deform_grad_not_scaled, 0, kLevelsGrad, "",
    "the gradient of a place is not multiplied by the level's size");
BUG(ms_deform_grad_value_first_point, 0, kLevelsGrad, "",
    "the gradient of the value takes the first point of each level only");

// Two offsets for each tap: `moved(value, other, index of the pair's plane, place)`.
template <typename F>
diopiTensorHandle_t Pairs(diopiContextHandle_t ctx, diopiConstTensorHandle_t offset, F&& f) {
  const Tensor view(offset);
  const int64_t places = view.size(2) * view.size(3);
  const std::vector<double> all = Load<double>(view);
  return Replaced(ctx, offset, [&](double x, int64_t i) {
    const int64_t plane = i / places;
    return f(x, all[static_cast<size_t>((plane ^ 1) * places + i % places)], plane, i % places);
  });
}

// The geometry by which places are computed, whatever the function names it.
struct Window {
  int64_t parts;
  int64_t kernel[2], stride[2], pad[2], dilation[2];
};
template <typename Args>
Window PlainWindow(const Args& a) {
  return {a.deform_groups, {a.kH, a.kW}, {a.dH, a.dW}, {a.padH, a.padW}, {a.dilationH, a.dilationW}};
}
template <typename Args>
Window ModulatedWindow(const Args& a) {
  return {a.deformable_group,
          {a.kernel_h, a.kernel_w},
          {a.stride_h, a.stride_w},
          {a.pad_h, a.pad_w},
          {a.dilation_h, a.dilation_w}};
}

diopiTensorHandle_t MovedInto(diopiContextHandle_t ctx, diopiConstTensorHandle_t input,
                              diopiConstTensorHandle_t offset, const Window& w) {
  const Tensor x(input), view(offset);
  const int64_t columns = view.size(3);
  return Pairs(ctx, offset, [&](double moved, double, int64_t plane, int64_t place) {
    const int64_t d = plane % 2, tap = plane / 2 % (w.kernel[0] * w.kernel[1]);
    const int64_t cell = d == 0 ? place / columns : place % columns;
    const int64_t along = d == 0 ? tap / w.kernel[1] : tap % w.kernel[1];
    const auto base = static_cast<double>(cell * w.stride[d] - w.pad[d] + along * w.dilation[d]);
    const auto last = static_cast<double>(x.size(d + 2) - 1);
    if (deform_border_clamped) return std::clamp(base + moved, 0.0, last) - base;
    const bool partly =
        (base + moved < 0 && base + moved > -1) || (base + moved > last && base + moved < last + 1);
    return partly ? -5.0 - base : moved;
  });
}

diopiConstTensorHandle_t WrongOffsets(diopiContextHandle_t ctx, diopiConstTensorHandle_t input,
                                      diopiConstTensorHandle_t offset, const Window& w) {
  if (deform_offsets_swapped)
    return Pairs(ctx, offset, [](double, double other, int64_t, int64_t) { return other; });
  if (deform_nearest)
    return Pairs(ctx, offset, [](double x, double, int64_t, int64_t) { return std::nearbyint(x); });
  if (deform_first_part) {
    const Tensor view(offset);
    const int64_t image = view.size(1) * view.size(2) * view.size(3), part = image / w.parts;
    const std::vector<double> all = Load<double>(view);
    return Replaced(ctx, offset, [&](double, int64_t i) {
      return all[static_cast<size_t>(i / image * image + i % part)];
    });
  }
  if (deform_border_clamped || deform_fractions_outside_lost) return MovedInto(ctx, input, offset, w);
  return offset;
}

// The elements of the images of one step, which follow each other filter by filter.
void NotTransposed(diopiTensorHandle_t out, int64_t step) {
  const Tensor view(out);
  const int64_t filters = view.size(1), places = view.size(2) * view.size(3);
  const std::vector<double> all = Load<double>(view);
  Change(out, [&](double, int64_t i) {
    const int64_t block = i / (step * filters * places), in = i % (step * filters * places);
    const int64_t filter = in / (step * places), image = in / places % step;
    return all[static_cast<size_t>(((block * step + image) * filters + filter) * places + in % places)];
  });
}

// What a place is on its level, by the number of the sample.
struct Levels {
  int64_t count, points;
  std::vector<int64_t> sizes;
  int64_t Size(int64_t place) const {  // of the width for x, the height for y
    const int64_t level = place / 2 / points % count;
    return sizes[static_cast<size_t>(level * 2 + 1 - place % 2)];
  }
};
template <typename Args>
Levels LevelsOf(const Args& a) {
  return {Tensor(a.spatial_shapes).size(0), Tensor(a.sampling_loc).size(4),
          Load<int64_t>(Tensor(a.spatial_shapes))};
}

template <typename Args>
void WrongLevels(Args& a) {
  const Levels levels = LevelsOf(a);
  if (ms_deform_places_swapped) {
    const std::vector<double> all = Load<double>(Tensor(a.sampling_loc));
    a.sampling_loc =
        Replaced(a.ctx, a.sampling_loc, [&](double, int64_t i) { return all[static_cast<size_t>(i ^ 1)]; });
  }
  if (ms_deform_half_pixel_forgotten) {
    a.sampling_loc = Replaced(a.ctx, a.sampling_loc, [&](double x, int64_t i) {
      return x + 0.5 / static_cast<double>(levels.Size(i));
    });
  }
  if (ms_deform_starts_ignored)
    a.level_start_index = Replaced(a.ctx, a.level_start_index, [](double, int64_t) { return 0.0; });
  if (ms_deform_first_level_size) {
    // Places keep their elements where sizes agree; levels that are smaller than the first stay as they are.
    a.spatial_shapes = Replaced(a.ctx, a.spatial_shapes, [&](double x, int64_t i) {
      return std::min(x, static_cast<double>(levels.sizes[static_cast<size_t>(1 - i % 2)]));
    });
  }
}

}  // namespace

DIOPI_OVERRIDE(diopiDeformConvMmcv, a) {
  a.offset = WrongOffsets(a.ctx, a.input, a.offset, PlainWindow(a));
  Good(a);
  if (deform_steps_not_transposed) NotTransposed(a.output, a.im2col_step);
}

DIOPI_OVERRIDE(diopiDeformConvBackwardInputMmcv, a) {
  a.offset = WrongOffsets(a.ctx, a.input, a.offset, PlainWindow(a));
  Good(a);
  if (deform_grad_offset_swapped) {
    const diopiTensorHandle_t swapped =
        Pairs(a.ctx, a.gradOffset, [](double, double other, int64_t, int64_t) { return other; });
    Store(Tensor(a.gradOffset), Load<double>(Tensor(swapped)));
  }
  if (deform_grad_input_in_bfloat16) Change(a.gradInput, [](double x, int64_t) { return ToBfloat16(x); });
}

DIOPI_OVERRIDE(diopiDeformConvBackwardParametersMmcv, a) {
  a.offset = WrongOffsets(a.ctx, a.input, a.offset, PlainWindow(a));
  if (deform_scale_ignored) a.scale = 1;
  if (deform_last_image_lost) {
    const Tensor grad(a.gradOutput);
    const int64_t count = grad.numel(), image = count / grad.size(0);
    a.gradOutput = Replaced(a.ctx, a.gradOutput, [&](double x, int64_t i) {
      return grad.size(0) > 1 && i >= count - image ? 0.0 : x;
    });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiModulatedDeformConvMmcv, a) {
  a.offset = WrongOffsets(a.ctx, a.input, a.offset, ModulatedWindow(a));
  if (modulated_mask_ignored) a.mask = Replaced(a.ctx, a.mask, [](double, int64_t) { return 1.0; });
  if (modulated_bias_ignored) a.bias = Replaced(a.ctx, a.bias, [](double, int64_t) { return 0.0; });
  Good(a);
}

DIOPI_OVERRIDE(diopiModulatedDeformConvBackwardMmcv, a) {
  a.offset = WrongOffsets(a.ctx, a.input, a.offset, ModulatedWindow(a));
  const std::vector<double> mask = Load<double>(Tensor(a.mask));
  if (modulated_grad_offset_unmasked) a.mask = Replaced(a.ctx, a.mask, [](double, int64_t) { return 1.0; });
  Good(a);
  if (modulated_grad_mask_masked)
    Change(a.grad_mask, [&](double x, int64_t i) { return x * mask[static_cast<size_t>(i)]; });
  if (modulated_grad_bias_of_first_image && a.with_bias) {
    const Tensor grad(a.grad_output);
    const std::vector<double> all = Load<double>(grad);
    const int64_t places = grad.size(2) * grad.size(3);
    Change(a.grad_bias, [&](double, int64_t i) {
      double sum = 0;
      for (int64_t p = 0; p < places; ++p) sum += all[static_cast<size_t>(i * places + p)];
      return sum;
    });
  }
}

DIOPI_OVERRIDE(diopiMsDeformAttnMmcv, a) {
  WrongLevels(a);
  Good(a);
}

DIOPI_OVERRIDE(diopiMsDeformAttnBackwardMmcv, a) {
  WrongLevels(a);
  Good(a);
  const Levels levels = LevelsOf(a);
  if (ms_deform_grad_not_scaled)
    Change(a.grad_sampling_loc, [&](double x, int64_t i) { return x / static_cast<double>(levels.Size(i)); });
  if (ms_deform_grad_value_first_point) {
    const std::vector<double> weights = Load<double>(Tensor(a.attn_weight));
    auto first = a;
    first.attn_weight =
        Replaced(a.ctx, a.attn_weight, [&](double x, int64_t i) { return i % levels.points == 0 ? x : 0.0; });
    first.grad_sampling_loc =
        NewTensor(a.ctx, Tensor(a.sampling_loc).shape(), Tensor(a.sampling_loc).dtype());
    first.grad_attn_weight = NewTensor(a.ctx, Tensor(a.attn_weight).shape(), Tensor(a.attn_weight).dtype());
    Good(first);
  }
}
