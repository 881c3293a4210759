// Shapes of functions that look at windows of an image.
#include <string>

#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// Several integer attributes, in this order.
absl::StatusOr<std::vector<int64_t>> WindowInts(const RuleArgs& args, const std::vector<std::string>& names) {
  std::vector<int64_t> values;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const int64_t value, args.Int(name));
    values.push_back(value);
  }
  return values;
}

}  // namespace

DIOPI_SHAPE_RULE(carafe, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> features, args.Shape("features"));
  ASSIGN_OR_RETURN(const int64_t scale, args.Int("scale_factor"));
  if (features.size() != 4) return absl::InvalidArgumentError("`features` needs 4 dimensions");
  ASSIGN_OR_RETURN(const std::vector<int64_t> masks, args.Shape("masks"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> v, WindowInts(args, {"kernel_size", "group_size"}));
  const std::vector<int64_t>& f = features;
  if (masks != std::vector<int64_t>{f[0], v[0] * v[0] * v[1], f[2] * scale, f[3] * scale})
    return absl::InvalidArgumentError("`masks` has no window for each place of the output");
  return Shapes{{f[0], f[1], f[2] * scale, f[3] * scale}};
}

// The gradient of features of which the function gets the copy whose channels come last.
DIOPI_SHAPE_RULE(carafe_features, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> features, args.Shape("rfeatures"));
  if (features.size() != 4) return absl::InvalidArgumentError("`rfeatures` needs 4 dimensions");
  const std::vector<int64_t>& f = features;
  return Shapes{{f[0], f[3], f[1], f[2]}};
}

DIOPI_SHAPE_RULE(correlation, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> input, args.Shape("input1"));
  if (input.size() != 4) return absl::InvalidArgumentError("`input1` needs 4 dimensions");
  std::vector<int64_t> shape = {input[0]}, cells;
  for (const std::string side : {"H", "W"}) {
    ASSIGN_OR_RETURN(
        const std::vector<int64_t> values,
        WindowInts(args, {"k" + side, "patch" + side, "pad" + side, "dilation" + side, "d" + side}));
    const std::vector<int64_t>& v = values;
    const int64_t room = input[side == "H" ? 2 : 3] + 2 * v[2] - v[3] * (v[0] - 1) - 1;
    if (room < 0 || v[4] <= 0)
      return absl::InvalidArgumentError("the kernel is larger than the padded images");
    shape.push_back(v[1]);
    cells.push_back(room / v[4] + 1);
  }
  shape.insert(shape.end(), cells.begin(), cells.end());
  return Shapes{shape};
}

// A map of the image for each of its places, or the gradient of the masks.
DIOPI_SHAPE_RULE(psamask, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> v,
                   WindowInts(args, {"num_", "h_feature", "w_feature", "h_mask", "w_mask"}));
  const int64_t planes = args.output() == "output" ? v[1] * v[2] : v[3] * v[4];
  return Shapes{{v[0], planes, v[1], v[2]}};
}

DIOPI_SHAPE_RULE(masked_columns, args) {
  const absl::StatusOr<std::vector<int64_t>> im = args.Shape("im"), places = args.Shape("mask_h_idx");
  for (const absl::Status& status : {im.status(), places.status()}) {
    if (!status.ok()) return status;
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> kernel, WindowInts(args, {"kernel_h", "kernel_w"}));
  if (im->size() != 4 || places->size() != 1)
    return absl::InvalidArgumentError("`im` needs 4 dimensions, `mask_h_idx` one");
  return Shapes{{(*im)[1] * kernel[0] * kernel[1], (*places)[0]}};
}

}  // namespace diopi::cases
