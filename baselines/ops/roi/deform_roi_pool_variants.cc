// Deformable pooling of regions as other libraries compute it: four weights for each sample, sums from the
// last one on, in the tensors' type, and gradients of offsets sample by sample.
#include <cmath>
#include <vector>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(deform_roi_backwards, "diopiDeformRoiPoolMmcv diopiDeformRoiPoolBackwardMmcv", "",
        "samples and channels from the last to the first, the count divided out of the gradient first");

template <typename C, typename Args, typename Visit>
void EachDeformSample(const Args& a, Visit&& visit) {
  const std::vector<C> rois = Load<C>(Tensor(a.rois)), offset = Load<C>(Tensor(a.offset));
  const int64_t cells = a.pooled_height * a.pooled_width;
  const auto scale = static_cast<C>(a.spatial_scale), gamma = static_cast<C>(a.gamma);
  for (size_t k = 0; k < rois.size() / 5; ++k) {
    const C* roi = &rois[5 * k];
    const C left = roi[1] * scale - C(0.5), top = roi[2] * scale - C(0.5);
    const C width = roi[3] * scale - C(0.5) - left, height = roi[4] * scale - C(0.5) - top;
    const C across = width / static_cast<C>(a.pooled_width), down = height / static_cast<C>(a.pooled_height);
    const int64_t rows = a.sampling_ratio > 0 ? a.sampling_ratio : static_cast<int64_t>(std::ceil(down)),
                  columns = a.sampling_ratio > 0 ? a.sampling_ratio : static_cast<int64_t>(std::ceil(across));
    for (int64_t cell = 0; cell < cells; ++cell) {
      const size_t at = 2 * k * static_cast<size_t>(cells) + static_cast<size_t>(cell);
      const C move_x = offset.empty() ? C(0) : gamma * width * offset[at],
              move_y = offset.empty() ? C(0) : gamma * height * offset[at + static_cast<size_t>(cells)];
      for (int64_t n = rows * columns; n-- > 0;) {
        const C y = top + move_y + static_cast<C>(cell / a.pooled_width) * down +
                    (static_cast<C>(n / columns) + C(0.5)) * down / static_cast<C>(rows);
        const C x = left + move_x + static_cast<C>(cell % a.pooled_width) * across +
                    (static_cast<C>(n % columns) + C(0.5)) * across / static_cast<C>(columns);
        visit(k, static_cast<size_t>(roi[0]), static_cast<size_t>(cell), y, x, static_cast<C>(rows * columns),
              gamma * width, gamma * height);
      }
    }
  }
}

template <typename C>
void PoolBackwards(const diopiDeformRoiPoolMmcvArgs& a) {
  const Tensor image(a.input);
  const std::vector<C> x = Load<C>(image);
  const auto channels = static_cast<size_t>(image.size(1)), height = static_cast<size_t>(image.size(2)),
             width = static_cast<size_t>(image.size(3)),
             cells = static_cast<size_t>(a.pooled_height * a.pooled_width);
  std::vector<C> out(static_cast<size_t>(Tensor(a.output).numel()));
  EachDeformSample<C>(a, [&](size_t k, size_t n, size_t cell, C y, C at, C count, C, C) {
    const auto row = static_cast<size_t>(y), column = static_cast<size_t>(at);
    const C ly = y - static_cast<C>(row), lx = at - static_cast<C>(column), hy = 1 - ly, hx = 1 - lx;
    for (size_t c = 0; c < channels; ++c) {
      const C* p = &x[((n * channels + c) * height + row) * width + column];
      const C value = ly * lx * p[width + 1] + ly * hx * p[width] + hy * lx * p[1] + hy * hx * p[0];
      out[(k * channels + c) * cells + cell] += value / count;
    }
  });
  Store(Tensor(a.output), out);
}

template <typename C>
void GradientsBackwards(const diopiDeformRoiPoolBackwardMmcvArgs& a) {
  const Tensor image(a.input);
  const std::vector<C> x = Load<C>(image), grad = Load<C>(Tensor(a.grad_output));
  const auto channels = static_cast<size_t>(image.size(1)), height = static_cast<size_t>(image.size(2)),
             width = static_cast<size_t>(image.size(3)),
             cells = static_cast<size_t>(a.pooled_height * a.pooled_width);
  std::vector<C> of_images(x.size()), of_offsets(static_cast<size_t>(Tensor(a.grad_offset).numel()));
  EachDeformSample<C>(a, [&](size_t k, size_t n, size_t cell, C y, C at, C count, C reach_x, C reach_y) {
    const auto row = static_cast<size_t>(y), column = static_cast<size_t>(at);
    const C ly = y - static_cast<C>(row), lx = at - static_cast<C>(column), hy = 1 - ly, hx = 1 - lx;
    for (size_t c = channels; c-- > 0;) {
      const size_t first = ((n * channels + c) * height + row) * width + column;
      const C g = grad[(k * channels + c) * cells + cell] / count;
      of_images[first] += g * (hy * hx);
      of_images[first + 1] += g * (hy * lx);
      of_images[first + width] += g * (ly * hx);
      of_images[first + width + 1] += g * (ly * lx);
      if (of_offsets.empty()) continue;
      const C* p = &x[first];
      of_offsets[2 * k * cells + cell] +=
          reach_x * g * (p[width + 1] * ly + p[1] * hy - p[width] * ly - p[0] * hy);
      of_offsets[(2 * k + 1) * cells + cell] +=
          reach_y * g * (p[width + 1] * lx + p[width] * hx - p[1] * lx - p[0] * hx);
    }
  });
  Store(Tensor(a.grad_input), of_images);
  Store(Tensor(a.grad_offset), of_offsets);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiDeformRoiPoolMmcv, a) {
  if (!deform_roi_backwards) return Good(a);
  if (Tensor(a.output).dtype() == diopi_dtype_float64) return PoolBackwards<double>(a);
  PoolBackwards<float>(a);
}

DIOPI_OVERRIDE(diopiDeformRoiPoolBackwardMmcv, a) {
  if (!deform_roi_backwards) return Good(a);
  if (Tensor(a.grad_input).dtype() == diopi_dtype_float64) return GradientsBackwards<double>(a);
  GradientsBackwards<float>(a);
}
