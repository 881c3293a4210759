// Bugs injected in moved frames and turned filters.
#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

constexpr char kFrames[] = "diopiTinShiftMmcv diopiTinShiftBackwardMmcv";
constexpr char kFilters[] = "diopiActiveRotatedFilterMmcv diopiActiveRotatedFilterBackwardMmcv";
BUG(tin_shift_earlier, 0, "diopiTinShiftMmcv", "", "frames move by -shift");
BUG(tin_shift_first_group, 0, kFrames, "", "the first group's shift moves all channels");
BUG(tin_shift_first_clip, 0, kFrames, "", "the first clip's shifts move all clips");
BUG(tin_shift_still, 0, kFrames, "", "nothing moves");
BUG(filter_first_rotation, 0, kFilters, "", "the first rotation's indices serve all");
BUG(filter_indices_from_zero, 0, kFilters, "", "indices are counted from 0: each is one place off");
BUG(filter_last_rotation_lost, 0, "diopiActiveRotatedFilterBackwardMmcv", "",
    "the last rotation adds nothing to the gradient");

// The shifts with each replaced by changed(index, all of them).
template <typename F>
diopiConstTensorHandle_t Shifts(diopiContextHandle_t ctx, diopiConstTensorHandle_t shift, F&& changed) {
  const std::vector<double> all = Load<double>(Tensor(shift));
  return Replaced(ctx, shift, [&](double, int64_t i) { return changed(i, all); });
}

template <typename Args>
void MovedFrames(Args a) {
  const int64_t groups = Tensor(a.shift).size(1);
  const auto at = [](const std::vector<double>& all, int64_t i) { return all[static_cast<size_t>(i)]; };
  if (tin_shift_earlier)
    a.shift = Shifts(a.ctx, a.shift, [&](int64_t i, const auto& all) { return -at(all, i); });
  if (tin_shift_first_group)
    a.shift =
        Shifts(a.ctx, a.shift, [&](int64_t i, const auto& all) { return at(all, i / groups * groups); });
  if (tin_shift_first_clip)
    a.shift = Shifts(a.ctx, a.shift, [&](int64_t i, const auto& all) { return at(all, i % groups); });
  if (tin_shift_still) a.shift = Shifts(a.ctx, a.shift, [](int64_t, const auto&) { return 0.0; });
  Good(a);
}

template <typename Args>
void TurnedFilters(Args a) {
  const Tensor indices(a.indices);
  const int64_t rotations = indices.size(3), entries = indices.numel() / rotations;
  const std::vector<double> all = Load<double>(indices);
  if (filter_first_rotation)
    a.indices = Replaced(a.ctx, a.indices, [&](double, int64_t i) {
      return all[static_cast<size_t>(i / rotations * rotations)];
    });
  if (filter_indices_from_zero)
    a.indices = Replaced(a.ctx, a.indices,
                         [&](double x, int64_t) { return x < static_cast<double>(entries) ? x + 1 : 1; });
  Good(a);
}

}  // namespace

DIOPI_OVERRIDE_FORM(diopiTinShiftMmcv, MovedFrames)
DIOPI_OVERRIDE_FORM(diopiTinShiftBackwardMmcv, MovedFrames)
DIOPI_OVERRIDE_FORM(diopiActiveRotatedFilterMmcv, TurnedFilters)
DIOPI_OVERRIDE(diopiActiveRotatedFilterBackwardMmcv, a) {
  if (filter_last_rotation_lost) {
    const Tensor grad(a.grad_out);
    const int64_t rotations = Tensor(a.indices).size(3), filter = grad.numel() / grad.size(0);
    a.grad_out = Replaced(a.ctx, a.grad_out, [&](double x, int64_t i) {
      return i / filter % rotations == rotations - 1 ? 0 : x;
    });
  }
  TurnedFilters(a);
}
