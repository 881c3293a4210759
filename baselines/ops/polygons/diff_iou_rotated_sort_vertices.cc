// The vertices of polygons in order around the origin.
#include "baselines/ops/boxes/rotated_overlap.h"

namespace diopi::ops::both {
namespace {

constexpr int64_t kCandidates = 24, kBoxCorners = 8, kPlaces = 9;

template <typename C>
struct SortVertices {
  Out<int64_t> out;
  In<C> vertices;
  In<int64_t> mask, counts;

  DIOPI_HD void operator()(int64_t polygon) const {
    const int64_t first = polygon * kCandidates;
    int64_t unused = kBoxCorners;
    while (unused + 1 < kCandidates && mask[first + unused] != 0) ++unused;
    int64_t places[kPlaces];
    int64_t count = 0;
    for (int64_t i = 0; i < kCandidates && count + 1 < kPlaces && counts[polygon] > 2; ++i) {
      if (mask[first + i] == 0) continue;
      int64_t at = count++;
      for (; at > 0 && Before(first + i, first + places[at - 1]); --at) places[at] = places[at - 1];
      places[at] = i;
    }
    for (int64_t i = 0; i < kPlaces; ++i) {
      const bool again = i == count && count > 0;
      out.Set(polygon * kPlaces + i, i < count ? places[i] : again ? places[0] : unused);
    }
  }

 private:
  // Anticlockwise from the x axis on.
  DIOPI_HD bool Before(int64_t i, int64_t k) const {
    const Corner<C> a{vertices[2 * i], vertices[2 * i + 1]}, b{vertices[2 * k], vertices[2 * k + 1]};
    const bool a_above = a.y > C(0), b_above = b.y > C(0);
    return a_above != b_above ? a_above : Cross(a, b) > C(0);
  }
};

}  // namespace

DIOPI_KERNEL(diopiDiffIouRotatedSortVerticesMmcv, a) {
  const Tensor vertices(a.vertices), mask(a.mask), counts(a.num_valid);
  Check(vertices.rank() == 4, "expected vertices of 4 dimensions, got shape ", ShapeText(vertices.shape()));
  const int64_t batch = vertices.size(0), count = vertices.size(1);
  CheckShape(vertices, {batch, count, kCandidates, 2}, "vertices");
  CheckShape(mask, {batch, count, kCandidates}, "mask");
  CheckShape(counts, {batch, count}, "num_valid");
  *a.out = RequireTensor(a.ctx, {batch, count, kPlaces}, diopi_dtype_int32);
  const Tensor out(*a.out);
  DispatchFloating(vertices.dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), batch * count,
            SortVertices<C>{Out<int64_t>(out), In<C>(vertices), In<int64_t>(mask), In<int64_t>(counts)});
  });
}

}  // namespace diopi::ops::both
