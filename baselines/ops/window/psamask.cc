// Point-wise spatial attention: the mask of each place, a window around it, is moved into a map of the whole
// image. "Collect" (0) keeps the place's position in the last dimensions, "distribute" (1) the seen
// element's.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

struct PsaGeometry {
  int64_t height, width, mask_height, mask_width, half_height, half_width;
  bool distribute;

  DIOPI_HD int64_t Places() const { return height * width; }
  // The mask's element that place (y, x) holds for the element (to_y, to_x), or -1.
  DIOPI_HD int64_t Seen(int64_t place, int64_t element) const {
    const int64_t down = element / width - place / width + half_height;
    const int64_t across = element % width - place % width + half_width;
    if (down < 0 || across < 0 || down >= mask_height || across >= mask_width) return -1;
    return down * mask_width + across;
  }
  // Where the map has what `place` holds for `element`.
  DIOPI_HD int64_t MapAt(int64_t image, int64_t place, int64_t element) const {
    const int64_t first = distribute ? place : element, last = distribute ? element : place;
    return (image * Places() + first) * Places() + last;
  }
};

template <typename C>
struct PsaMap {
  Out<C> out;
  In<C> masks;
  PsaGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t last = i % g.Places(), first = i / g.Places() % g.Places(),
                  image = i / g.Places() / g.Places();
    const int64_t place = g.distribute ? first : last, seen = g.Seen(place, g.distribute ? last : first);
    const int64_t count = g.mask_height * g.mask_width;
    out.Set(i, seen < 0 ? C(0) : masks[(image * count + seen) * g.Places() + place]);
  }
};

template <typename C>
struct PsaGrad {
  Out<C> out;
  In<C> grad;
  PsaGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t place = i % g.Places(), count = g.mask_height * g.mask_width;
    const int64_t seen = i / g.Places() % count, image = i / g.Places() / count;
    const int64_t y = place / g.width + seen / g.mask_width - g.half_height;
    const int64_t x = place % g.width + seen % g.mask_width - g.half_width;
    const bool inside = y >= 0 && x >= 0 && y < g.height && x < g.width;
    out.Set(i, inside ? grad[g.MapAt(image, place, y * g.width + x)] : C(0));
  }
};

template <typename Args>
PsaGeometry PsaSizes(const Args& a, const Tensor& masks, const Tensor& map) {
  const PsaGeometry g{a.h_feature,   a.w_feature,   a.h_mask,       a.w_mask,
                      a.half_h_mask, a.half_w_mask, a.psa_type != 0};
  Check(a.psa_type == 0 || a.psa_type == 1, "unknown psa_type ", a.psa_type);
  CheckShape(masks, {a.num_, g.mask_height * g.mask_width, g.height, g.width}, "the masks");
  CheckShape(map, {a.num_, g.Places(), g.height, g.width}, "the map");
  return g;
}

}  // namespace

DIOPI_KERNEL(diopiPsamaskMmcv, a) {
  const Tensor out(a.output), masks(a.input);
  const PsaGeometry g = PsaSizes(a, masks, out);
  DispatchFloating(ResultType(out, {masks}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), PsaMap<C>{Out<C>(out), In<C>(masks), g});
  });
}

DIOPI_KERNEL(diopiPsamaskBackwardMmcv, a) {
  const Tensor out(a.grad_input), grad(a.grad_output);
  const PsaGeometry g = PsaSizes(a, out, grad);
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), PsaGrad<C>{Out<C>(out), In<C>(grad), g});
  });
}

}  // namespace diopi::ops::both
