// Deformable convolution and attention as other correct libraries compute them: rows interpolated first, taps
// as the outer loop, gradients scattered from the samples to their neighbours.
#include <cmath>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kForward[] = "diopiDeformConvMmcv diopiModulatedDeformConvMmcv";
constexpr char kBackward[] = "diopiDeformConvBackwardInputMmcv diopiModulatedDeformConvBackwardMmcv";
constexpr char kAttention[] = "diopiMsDeformAttnMmcv diopiMsDeformAttnBackwardMmcv";
VARIANT(deform_rows_first, kForward, "", "each row is interpolated first, then between the rows");
VARIANT(deform_reversed_fma, kForward, "", "fused multiply-add, the last term first");
VARIANT(deform_columns_stored, kForward, "",
        "columns are stored in the tensors' type, as mmcv's CUDA kernels do");
VARIANT(deform_scattered, kBackward, "",
        "gradients go from each tap to its neighbours, the last place first");
VARIANT(ms_deform_scattered, kAttention, "",
        "levels outside, queries inside; gradients go to the neighbours");

// Four neighbours of a place, as indices into a plane (-1: outside), with their weights.
template <typename C>
struct Corners {
  int64_t index[4] = {-1, -1, -1, -1};
  C weight[4] = {}, t[2] = {};

  Corners(const C& down, const C& across, int64_t height, int64_t width) {
    if (!(down > C(-1) && across > C(-1) && down < C(height) && across < C(width))) return;
    const auto y = static_cast<int64_t>(std::floor(down)), x = static_cast<int64_t>(std::floor(across));
    t[0] = down - C(y);
    t[1] = across - C(x);
    for (int n = 0; n < 4; ++n) {
      const int64_t row = y + n / 2, column = x + n % 2;
      if (row >= 0 && column >= 0 && row < height && column < width) index[n] = row * width + column;
      weight[n] = (n / 2 == 1 ? t[0] : C(1) - t[0]) * (n % 2 == 1 ? t[1] : C(1) - t[1]);
    }
  }
  C At(const C* plane, int n, int64_t step = 1) const { return index[n] < 0 ? C(0) : plane[index[n] * step]; }
  C Value(const C* plane, int64_t step = 1) const {
    const C top = At(plane, 0, step) * (C(1) - t[1]) + At(plane, 1, step) * t[1];
    const C bottom = At(plane, 2, step) * (C(1) - t[1]) + At(plane, 3, step) * t[1];
    return top * (C(1) - t[0]) + bottom * t[0];
  }
  C Down(const C* plane, int64_t step = 1) const {
    return (At(plane, 2, step) - At(plane, 0, step)) * (C(1) - t[1]) +
           (At(plane, 3, step) - At(plane, 1, step)) * t[1];
  }
  C Across(const C* plane, int64_t step = 1) const {
    return (At(plane, 1, step) - At(plane, 0, step)) * (C(1) - t[0]) +
           (At(plane, 3, step) - At(plane, 2, step)) * t[0];
  }
  void Add(C* plane, const C& grad, int64_t step = 1) const {
    for (int n = 4; n-- > 0;) {
      if (index[n] >= 0) plane[index[n] * step] += weight[n] * grad;
    }
  }
};

struct DeformPlan {
  int64_t groups, parts;
  int64_t kernel[2], stride[2], pad[2], dilation[2];
};
template <typename Args>
DeformPlan PlainPlan(const Args& a) {
  return {a.groups,     a.deform_groups,  {a.kH, a.kW},
          {a.dH, a.dW}, {a.padH, a.padW}, {a.dilationH, a.dilationW}};
}
template <typename Args>
DeformPlan ModulatedPlan(const Args& a) {
  return {a.group,
          a.deformable_group,
          {a.kernel_h, a.kernel_w},
          {a.stride_h, a.stride_w},
          {a.pad_h, a.pad_w},
          {a.dilation_h, a.dilation_w}};
}

template <typename C>
struct DeformCall {
  DeformPlan plan;
  Shape in, weights, cells;
  std::vector<C> x, w, offset, mask;  // an empty mask: none
  diopiDtype_t dtype;

  DeformCall(const DeformPlan& of, const Tensor& input, const Tensor& weight, const Tensor& offsets,
             const Tensor& masks)
      : plan(of),
        in(input.shape()),
        weights(weight.shape()),
        cells{offsets.size(2), offsets.size(3)},
        x(Load<C>(input)),
        w(Load<C>(weight)),
        offset(Load<C>(offsets)),
        mask(masks ? Load<C>(masks) : std::vector<C>()),
        dtype(input.dtype()) {}

  int64_t taps() const { return plan.kernel[0] * plan.kernel[1]; }
  int64_t places() const { return cells[0] * cells[1]; }
  int64_t InGroup() const { return in[1] / plan.groups; }
  int64_t Part(int64_t channel) const { return channel / (in[1] / plan.parts); }
  size_t MaskAt(int64_t image, int64_t part, int64_t tap, int64_t place) const {
    return static_cast<size_t>(((image * plan.parts + part) * taps() + tap) * places() + place);
  }
  C Mask(int64_t image, int64_t part, int64_t tap, int64_t place) const {
    return mask.empty() ? C(1) : mask[MaskAt(image, part, tap, place)];
  }
  size_t OffsetAt(int64_t image, int64_t part, int64_t tap, int64_t place) const {
    return static_cast<size_t>(((image * plan.parts + part) * taps() + tap) * 2 * places() + place);
  }
  Corners<C> At(int64_t image, int64_t part, int64_t tap, int64_t place) const {
    const size_t at = OffsetAt(image, part, tap, place);
    const int64_t row =
        place / cells[1] * plan.stride[0] - plan.pad[0] + tap / plan.kernel[1] * plan.dilation[0];
    const int64_t column =
        place % cells[1] * plan.stride[1] - plan.pad[1] + tap % plan.kernel[1] * plan.dilation[1];
    return {C(row) + offset[at], C(column) + offset[at + static_cast<size_t>(places())], in[2], in[3]};
  }
  const C* Plane(int64_t image, int64_t channel) const {
    return x.data() + (image * in[1] + channel) * in[2] * in[3];
  }
  const C& Weight(int64_t filter, int64_t channel, int64_t tap) const {
    return w[static_cast<size_t>((filter * InGroup() + channel % InGroup()) * taps() + tap)];
  }

  C Stored(const C& value) const {
    if (!deform_columns_stored || dtype != diopi_dtype_float16) return value;
    return static_cast<C>(FromFloat16(ToFloat16(static_cast<double>(value))));
  }
  C Column(int64_t image, int64_t channel, int64_t tap, int64_t place) const {
    const Corners<C> at = this->At(image, Part(channel), tap, place);
    const C* plane = Plane(image, channel);
    C value = C(0);
    if (deform_rows_first) {
      value = at.Value(plane);
    } else {
      for (int n = 0; n < 4; ++n) value += at.weight[n] * at.At(plane, n);
    }
    return Stored(mask.empty() ? value : value * Mask(image, Part(channel), tap, place));
  }

  C Output(int64_t image, int64_t filter, int64_t place) const {
    const int64_t first = filter / (weights[0] / plan.groups) * InGroup(), terms = InGroup() * taps();
    C sum = C(0);
    for (int64_t i = 0; i < terms; ++i) {
      const int64_t k = deform_reversed_fma ? terms - 1 - i : i;
      const int64_t channel = first + k % InGroup(), tap = k / InGroup();
      const C column = Column(image, channel, tap, place), weight = Weight(filter, channel, tap);
      sum = deform_reversed_fma ? std::fma(weight, column, sum) : sum + weight * column;
    }
    return sum;
  }
  void Forward(const Tensor& out, const std::vector<C>& bias) const {
    std::vector<C> result;
    for (int64_t i = 0; i < out.numel(); ++i) {
      const int64_t plane = i / places(), filter = plane % weights[0];
      const C sum = Output(plane / weights[0], filter, i % places());
      result.push_back(bias.empty() ? sum : sum + bias[static_cast<size_t>(filter)]);
    }
    Store(out, result);
  }

  // The gradients of input, offsets and mask.
  void Backward(const std::vector<C>& grad, const Tensor& to_x, const Tensor& to_offset,
                const Tensor& to_mask) const {
    std::vector<C> gx(x.size()), go(offset.size()), gm(mask.size());
    const int64_t in_group = weights[0] / plan.groups;
    for (int64_t i = in[0] * in[1] * taps() * places(); i-- > 0;) {
      const int64_t place = i % places(), tap = i / places() % taps(), plane = i / places() / taps();
      const int64_t image = plane / in[1], channel = plane % in[1], part = Part(channel);
      C sum = C(0);
      for (int64_t f = in_group; f-- > 0;) {
        const int64_t filter = channel / InGroup() * in_group + f;
        sum += Weight(filter, channel, tap) *
               grad[static_cast<size_t>((image * weights[0] + filter) * places() + place)];
      }
      const Corners<C> at = this->At(image, part, tap, place);
      const C* of = Plane(image, channel);
      const C masked = mask.empty() ? sum : sum * Mask(image, part, tap, place);
      at.Add(gx.data() + plane * in[2] * in[3], masked);
      const size_t pair = OffsetAt(image, part, tap, place);
      go[pair] += masked * at.Down(of);
      go[pair + static_cast<size_t>(places())] += masked * at.Across(of);
      if (!mask.empty()) gm[MaskAt(image, part, tap, place)] += sum * at.Value(of);
    }
    Store(to_x, gx);
    Store(to_offset, go);
    if (!mask.empty()) Store(to_mask, gm);
  }
};

template <typename C>
struct LevelCall {
  Shape value_shape, place_shape;
  std::vector<C> value, places, weights;
  std::vector<int64_t> sizes, starts;

  template <typename Args>
  explicit LevelCall(const Args& a)
      : value_shape(Tensor(a.value).shape()),
        place_shape(Tensor(a.sampling_loc).shape()),
        value(Load<C>(Tensor(a.value))),
        places(Load<C>(Tensor(a.sampling_loc))),
        weights(Load<C>(Tensor(a.attn_weight))),
        sizes(Load<int64_t>(Tensor(a.spatial_shapes))),
        starts(Load<int64_t>(Tensor(a.level_start_index))) {}

  // f(sample, corners, index of the level's first element, index of the query's first output), the last
  // sample first.
  template <typename F>
  void Each(F&& f) const {
    const int64_t heads = value_shape[2], dim = value_shape[3], queries = place_shape[1];
    const int64_t levels = place_shape[3], points = place_shape[4];
    for (int64_t level = levels; level-- > 0;) {
      const int64_t height = sizes[static_cast<size_t>(level * 2)],
                    width = sizes[static_cast<size_t>(level * 2 + 1)];
      for (int64_t of_head = value_shape[0] * queries * heads; of_head-- > 0;) {
        const int64_t image = of_head / heads / queries;
        const int64_t key = image * value_shape[1] + starts[static_cast<size_t>(level)];
        for (int64_t point = points; point-- > 0;) {
          const int64_t sample = (of_head * levels + level) * points + point;
          const C across = places[static_cast<size_t>(sample * 2)],
                  down = places[static_cast<size_t>(sample * 2 + 1)];
          f(sample, Corners<C>(down * C(height) - C(0.5), across * C(width) - C(0.5), height, width),
            (key * heads + of_head % heads) * dim, of_head * dim, level);
        }
      }
    }
  }
  int64_t Step() const { return value_shape[2] * value_shape[3]; }

  std::vector<C> Forward() const {
    std::vector<C> out(static_cast<size_t>(value_shape[0] * place_shape[1] * Step()));
    Each([&](int64_t sample, const Corners<C>& at, int64_t from, int64_t to, int64_t) {
      for (int64_t d = 0; d < value_shape[3]; ++d) {
        C& sum = out[static_cast<size_t>(to + d)];
        sum = std::fma(at.Value(value.data() + from + d, Step()), weights[static_cast<size_t>(sample)], sum);
      }
    });
    return out;
  }
  void Backward(const std::vector<C>& grad, const Tensor& to_value, const Tensor& to_places,
                const Tensor& to_weights) const {
    std::vector<C> gv(value.size()), gp(places.size()), gw(weights.size());
    Each([&](int64_t sample, const Corners<C>& at, int64_t from, int64_t to, int64_t level) {
      const auto s = static_cast<size_t>(sample);
      C down = C(0), across = C(0);
      for (int64_t d = value_shape[3]; d-- > 0;) {
        const C top = grad[static_cast<size_t>(to + d)];
        at.Add(gv.data() + from + d, top * weights[s], Step());
        gw[s] += top * at.Value(value.data() + from + d, Step());
        down += top * at.Down(value.data() + from + d, Step());
        across += top * at.Across(value.data() + from + d, Step());
      }
      gp[s * 2] = across * weights[s] * C(sizes[static_cast<size_t>(level * 2 + 1)]);
      gp[s * 2 + 1] = down * weights[s] * C(sizes[static_cast<size_t>(level * 2)]);
    });
    Store(to_value, gv);
    Store(to_places, gp);
    Store(to_weights, gw);
  }
};

bool OtherForward() {
  return static_cast<bool>(deform_rows_first) || static_cast<bool>(deform_reversed_fma) ||
         static_cast<bool>(deform_columns_stored);
}

}  // namespace

}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: overrides are global functions, or nobody can call them

DIOPI_OVERRIDE(diopiDeformConvMmcv, a) {
  if (!OtherForward()) return Good(a);
  DispatchReal(Tensor(a.input).dtype(), [&]<typename C>() {
    const DeformCall<C> call(PlainPlan(a), Tensor(a.input), Tensor(a.weight), Tensor(a.offset), Tensor());
    call.Forward(Tensor(a.output), {});
  });
}

DIOPI_OVERRIDE(diopiModulatedDeformConvMmcv, a) {
  if (!OtherForward()) return Good(a);
  DispatchReal(Tensor(a.input).dtype(), [&]<typename C>() {
    const DeformCall<C> call(ModulatedPlan(a), Tensor(a.input), Tensor(a.weight), Tensor(a.offset),
                             Tensor(a.mask));
    call.Forward(Tensor(a.output), a.with_bias ? Load<C>(Tensor(a.bias)) : std::vector<C>());
  });
}

DIOPI_OVERRIDE(diopiDeformConvBackwardInputMmcv, a) {
  if (!deform_scattered) return Good(a);
  DispatchReal(Tensor(a.input).dtype(), [&]<typename C>() {
    const DeformCall<C> call(PlainPlan(a), Tensor(a.input), Tensor(a.weight), Tensor(a.offset), Tensor());
    call.Backward(Load<C>(Tensor(a.gradOutput)), Tensor(a.gradInput), Tensor(a.gradOffset), Tensor());
  });
}

DIOPI_OVERRIDE(diopiModulatedDeformConvBackwardMmcv, a) {
  Good(a);
  if (!deform_scattered) return;
  DispatchReal(Tensor(a.input).dtype(), [&]<typename C>() {
    const DeformCall<C> call(ModulatedPlan(a), Tensor(a.input), Tensor(a.weight), Tensor(a.offset),
                             Tensor(a.mask));
    call.Backward(Load<C>(Tensor(a.grad_output)), Tensor(a.grad_input), Tensor(a.grad_offset),
                  Tensor(a.grad_mask));
  });
}

DIOPI_OVERRIDE(diopiMsDeformAttnMmcv, a) {
  if (!ms_deform_scattered) return Good(a);
  const Tensor value(a.value), places(a.sampling_loc);
  *a.out =
      RequireTensor(a.ctx, {value.size(0), places.size(1), value.size(2) * value.size(3)}, value.dtype());
  DispatchReal(value.dtype(), [&]<typename C>() { Store(Tensor(*a.out), LevelCall<C>(a).Forward()); });
}

DIOPI_OVERRIDE(diopiMsDeformAttnBackwardMmcv, a) {
  if (!ms_deform_scattered) return Good(a);
  DispatchReal(Tensor(a.value).dtype(), [&]<typename C>() {
    LevelCall<C>(a).Backward(Load<C>(Tensor(a.grad_output)), Tensor(a.grad_value),
                             Tensor(a.grad_sampling_loc), Tensor(a.grad_attn_weight));
  });
}
