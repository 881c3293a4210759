// The first points in each turned box, in turn where there are fewer than samples.
#include "baselines/ops/roi3d/turned_boxes.h"

namespace diopi::ops::both {
namespace {

// One box: which points are in it, then copies. Outputs of a box without points stay, except its flag.
template <typename C>
struct PointsOfBox {
  Out<C> out;
  Out<int64_t> flags;
  Scratch<int64_t> chosen;  // of each box and sample
  In<C> points, boxes, features;
  int64_t boxes_of_batch, points_of_batch, samples, channels;

  DIOPI_HD void operator()(int64_t box) const {
    const int64_t first = box / boxes_of_batch * points_of_batch;
    int64_t count = 0;
    for (int64_t k = 0; k < points_of_batch && count < samples; ++k) {
      if (PlaceInBox<C>(boxes, 7 * box, points, 3 * (first + k)).inside)
        chosen[box * samples + count++] = first + k;
    }
    if (count == 0) return flags.Set(box, 1);
    for (int64_t sample = 0; sample < samples; ++sample) {
      const int64_t point = chosen[box * samples + sample % count],
                    to = (box * samples + sample) * (3 + channels);
      for (int64_t d = 0; d < 3; ++d) out.Set(to + d, points[3 * point + d]);
      for (int64_t c = 0; c < channels; ++c) out.Set(to + 3 + c, features[point * channels + c]);
    }
  }
};

}  // namespace

DIOPI_KERNEL(diopiRoipointPool3dMmcv, a) {
  const Tensor out(a.pooled_features), flags(a.pooled_empty_flag), points(a.xyz), boxes(a.boxes3d),
      features(a.pts_feature);
  Check(points.rank() == 3 && boxes.rank() == 3 && features.rank() == 3 && out.rank() == 4,
        "expected xyz, boxes3d and pts_feature of 3 dimensions and pooled_features of 4");
  const int64_t batch = points.size(0), count = points.size(1), boxes_of_batch = boxes.size(1),
                channels = features.size(2), samples = out.size(2);
  CheckShape(points, {batch, count, 3}, "xyz");
  CheckShape(boxes, {batch, boxes_of_batch, 7}, "boxes3d");
  CheckShape(features, {batch, count, channels}, "pts_feature");
  CheckShape(out, {batch, boxes_of_batch, samples, 3 + channels}, "pooled_features");
  CheckShape(flags, {batch, boxes_of_batch}, "pooled_empty_flag");
  DispatchFloating(ResultType(out, {points, boxes, features}), [&]<typename C>() {
    const Queue queue(a.ctx);
    ForEach(queue, batch * boxes_of_batch,
            PointsOfBox<C>{Out<C>(out), Out<int64_t>(flags),
                           Scratch<int64_t>(queue, batch * boxes_of_batch * samples), In<C>(points),
                           In<C>(boxes), In<C>(features), boxes_of_batch, count, samples, channels});
  });
}

}  // namespace diopi::ops::both
