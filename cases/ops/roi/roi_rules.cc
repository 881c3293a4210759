// Shapes of functions that pool regions of images.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// The first of two names that the function has.
absl::StatusOr<int64_t> RoiInt(const RuleArgs& args, const char* name, const char* other) {
  return args.Has(name) ? args.Int(name) : args.Int(other);
}

absl::StatusOr<Shapes> RoiCells(const RuleArgs& args) {
  const absl::StatusOr<std::vector<int64_t>> images = args.Shape(args.Has("input") ? "input" : "features"),
                                             rois = args.Shape("rois");
  for (const absl::Status& status : {images.status(), rois.status()}) {
    if (!status.ok()) return status;
  }
  const absl::StatusOr<int64_t> height = RoiInt(args, "aligned_height", "pooled_height"),
                                width = RoiInt(args, "aligned_width", "pooled_width");
  for (const absl::Status& status : {height.status(), width.status()}) {
    if (!status.ok()) return status;
  }
  if (images->size() != 4 || rois->size() != 2)
    return absl::InvalidArgumentError("the images need 4 dimensions, `rois` 2");
  return Shapes{{(*rois)[0], (*images)[1], *height, *width}};
}

}  // namespace

// A grid of pooled cells of every channel for each region.
DIOPI_SHAPE_RULE(roi_cells, args) {
  return RoiCells(args);
}

// The places of the largest samples, or nothing where their mean is taken.
DIOPI_SHAPE_RULE(roi_align_places, args) {
  ASSIGN_OR_RETURN(const int64_t mode, args.Int("pool_mode"));
  if (mode != 0) return Shapes{{0}};
  return RoiCells(args);
}

// Four borders for each channel and box.
DIOPI_SHAPE_RULE(border_cells, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> images, args.Shape("input"));
  if (images.size() != 4 || images[1] % 4 != 0)
    return absl::InvalidArgumentError("`input` needs 4 dimensions and four groups of channels");
  return Shapes{{images[0], images[1] / 4, images[2] * images[3], 4}};
}

}  // namespace diopi::cases
