// Images or volumes sampled at the places that a grid names, -1 and 1 being the outer edges: the nearest
// element, or the neighbours weighted by their distance in each dimension. Outside is zero.
#include <cmath>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

constexpr int kMostDims = 3;

struct Images {
  int dims = 0;  // without batch and channels
  int64_t channels = 1, places = 1;
  int64_t sizes[kMostDims] = {1, 1, 1};

  Images(const Tensor& x, const Tensor& grid) : dims(static_cast<int>(x.rank()) - 2) {
    Check((dims == 2 || dims == 3) && grid.rank() == x.rank(),
          "expected input and grid of 4 or 5 dimensions, got shapes ", ShapeText(x.shape()), " and ",
          ShapeText(grid.shape()));
    Check(grid.size(0) == x.size(0) && grid.size(-1) == dims, "expected a grid of ", x.size(0), " times ",
          dims, " coordinates, got shape ", ShapeText(grid.shape()));
    channels = x.size(1);
    for (int d = 0; d < dims; ++d) {
      sizes[d] = x.size(d + 2);
      places *= grid.size(d + 1);
    }
  }
  Shape OutShape(const Tensor& grid) const {
    Shape shape(grid.shape().begin(), grid.shape().end() - 1);
    shape.insert(shape.begin() + 1, channels);
    return shape;
  }
};

template <typename C>
struct Sample {
  Out<C> out;
  In<C> x, grid;
  Images of;
  bool nearest;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t plane = i / of.places, place = plane / of.channels * of.places + i % of.places;
    C at[kMostDims];
    bool inside = true;
    for (int d = 0; d < of.dims; ++d) {  // the last dimension has the grid's first component
      at[d] = ((grid[place * of.dims + of.dims - 1 - d] + C(1)) * C(of.sizes[d]) - C(1)) / C(2);
      inside = inside && at[d] > C(-1) && at[d] < C(of.sizes[d]);
    }
    out.Set(i, !inside ? C(0) : nearest ? Nearest(plane, at) : Weighted(plane, at));
  }

 private:
  DIOPI_HD C Nearest(int64_t plane, const C* at) const {
    using std::nearbyint;
    int64_t index = plane;
    for (int d = 0; d < of.dims; ++d) {
      const auto k = static_cast<int64_t>(nearbyint(at[d]));
      if (k < 0 || k >= of.sizes[d]) return C(0);
      index = index * of.sizes[d] + k;
    }
    return x[index];
  }
  DIOPI_HD C Weighted(int64_t plane, const C* at) const {
    using std::floor;
    C sum = C(0);
    for (int corner = 0; corner < 1 << of.dims; ++corner) {
      int64_t index = plane;
      C weight = C(1);
      bool inside = true;
      for (int d = 0; d < of.dims; ++d) {
        const C below = floor(at[d]);
        const int upper = corner >> d & 1;
        const int64_t k = static_cast<int64_t>(below) + upper;
        inside = inside && k >= 0 && k < of.sizes[d];
        index = index * of.sizes[d] + k;
        const C distance = upper == 1 ? at[d] - below : below + C(1) - at[d];
        weight = d == 0 ? distance : weight * distance;
      }
      if (inside) sum += x[index] * weight;
    }
    return sum;
  }
};

}  // namespace

DIOPI_KERNEL(diopiGridSample, a) {
  const Tensor out(a.out), x(a.input), grid(a.grid);
  const Images images(x, grid);
  const std::string mode = a.mode;
  Check(mode == "bilinear" || mode == "nearest", "unknown mode '", mode, "'");
  CheckShape(out, images.OutShape(grid), "out");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Sample<C> sample{Out<C>(out), In<C>(x), In<C>(grid), images, mode == "nearest"};
    ForEach(Queue(a.ctx), out.numel(), sample);
  });
}

}  // namespace diopi::ops::both
