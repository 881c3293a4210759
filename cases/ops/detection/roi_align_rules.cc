#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A grid of pooled cells of every channel for each region.
DIOPI_SHAPE_RULE(roi_align, args) {
  const absl::StatusOr<std::vector<int64_t>> input = args.Shape("input"), rois = args.Shape("rois");
  for (const absl::Status& status : {input.status(), rois.status()}) {
    if (!status.ok()) return status;
  }
  const absl::StatusOr<int64_t> height = args.Int("pooled_height"), width = args.Int("pooled_width");
  for (const absl::Status& status : {height.status(), width.status()}) {
    if (!status.ok()) return status;
  }
  if (input->size() != 4 || rois->size() != 2) {
    return absl::InvalidArgumentError("`input` needs 4 dimensions, `rois` 2");
  }
  return Shapes{{(*rois)[0], (*input)[1], *height, *width}};
}

// The gradient of the images, whose sizes are attributes.
DIOPI_SHAPE_RULE(roi_align_images, args) {
  std::vector<int64_t> shape;
  for (const char* name : {"batch_size", "channels", "height", "width"}) {
    ASSIGN_OR_RETURN(const int64_t size, args.Int(name));
    shape.push_back(size);
  }
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
