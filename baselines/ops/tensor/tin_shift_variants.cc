// Moved frames and turned filters as other correct libraries compute them.
#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(tin_shift_gathered, "diopiTinShiftMmcv diopiTinShiftBackwardMmcv", "",
        "every frame is written, from where it comes or as zero; the gradient moves back");
VARIANT(filter_gradient_reversed, "diopiActiveRotatedFilterBackwardMmcv", "",
        "added to zeros, the last rotation first");

void GatherFrames(const Tensor& out, const Tensor& in, const Tensor& shift, int64_t sign) {
  const std::vector<double> frames = Load<double>(in);
  const std::vector<int64_t> by = Load<int64_t>(shift);
  const int64_t plane = in.size(3), channels = in.size(2), count = in.size(1), groups = shift.size(1);
  std::vector<double> moved(frames.size());
  for (size_t i = 0; i < moved.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const int64_t clip = place / plane / channels / count, frame = place / plane / channels % count;
    const int64_t group = place / plane % channels * groups / channels;
    const int64_t step = sign * by[static_cast<size_t>(clip * groups + group)];
    if (frame - step < 0 || frame - step >= count) continue;
    moved[i] = frames[static_cast<size_t>(place - step * channels * plane)];
  }
  Store(out, moved);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiTinShiftMmcv, a) {
  if (!tin_shift_gathered) return Good(a);
  GatherFrames(Tensor(a.output), Tensor(a.input), Tensor(a.shift), 1);
}
DIOPI_OVERRIDE(diopiTinShiftBackwardMmcv, a) {
  if (!tin_shift_gathered) return Good(a);
  GatherFrames(Tensor(a.grad_input), Tensor(a.grad_output), Tensor(a.shift), -1);
}
DIOPI_OVERRIDE(diopiActiveRotatedFilterBackwardMmcv, a) {
  if (!filter_gradient_reversed) return Good(a);
  const Tensor out(a.grad_in), grad(a.grad_out), indices(a.indices);
  const std::vector<double> given = Load<double>(grad);
  const std::vector<int64_t> places = Load<int64_t>(indices);
  const auto rotations = static_cast<size_t>(indices.size(3)), planes = static_cast<size_t>(out.size(1));
  const size_t entries = places.size() / rotations;
  std::vector<float> sums(static_cast<size_t>(out.numel()));
  for (size_t k = rotations; k-- > 0;) {
    for (size_t i = 0; i < sums.size(); ++i) {
      const size_t plane = i / entries % planes, filter = i / entries / planes;
      const size_t at = ((filter * rotations + k) * planes + plane) * entries +
                        static_cast<size_t>(places[i % entries * rotations + k]) - 1;
      sums[i] += static_cast<float>(given[at]);
    }
  }
  Store(out, sums);
}
