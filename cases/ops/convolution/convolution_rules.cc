// Output shapes of convolution.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// Shared by all convolutions: images, kernels, and attributes with a size per spatial dimension.
struct Geometry {
  std::vector<int64_t> input;
  std::vector<int64_t> weight;
  std::vector<std::vector<int64_t>> attributes;
};

absl::StatusOr<Geometry> GeometryOf(const RuleArgs& args, const std::vector<std::string>& names) {
  ASSIGN_OR_RETURN(std::vector<int64_t> input, args.Shape("input"));
  ASSIGN_OR_RETURN(std::vector<int64_t> weight, args.Shape("weight"));
  if ((input.size() != 4 && input.size() != 5) || weight.size() != input.size()) {
    return absl::InvalidArgumentError("convolution needs `input` and `weight` of 4 or 5 dimensions");
  }
  Geometry geometry{input, weight, {}};
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, args.Sizes(name));
    if (sizes.size() != input.size() - 2) {
      return absl::InvalidArgumentError(absl::StrCat("`", name, "` needs ", input.size() - 2, " values"));
    }
    geometry.attributes.push_back(sizes);
  }
  return geometry;
}

}  // namespace

// conv2d, conv3d: `input` [N, C, (D,) H, W], `weight` [filters, C / groups, kernel (depth,) height, width].
DIOPI_SHAPE_RULE(convolution, args) {
  ASSIGN_OR_RETURN(Geometry g, GeometryOf(args, {"stride", "padding", "dilation"}));
  ASSIGN_OR_RETURN(const int64_t groups, args.Int("groups"));
  if (g.weight[1] * groups != g.input[1]) {
    return absl::InvalidArgumentError(absl::StrCat("`input` has ", g.input[1], " channels, `weight` ",
                                                   g.weight[1], " for each of ", groups, " groups"));
  }
  std::vector<int64_t> out = {g.input[0], g.weight[0]};
  for (size_t i = 0; i < g.input.size() - 2; ++i) {
    const int64_t stride = g.attributes[0][i], pad = g.attributes[1][i], dilation = g.attributes[2][i];
    const int64_t room = g.input[2 + i] + 2 * pad - dilation * (g.weight[2 + i] - 1) - 1;
    if (room < 0 || stride <= 0)
      return absl::InvalidArgumentError("the kernel is larger than the padded input");
    out.push_back(room / stride + 1);
  }
  return Shapes{out};
}

// conv_transpose2d and 3d: `input` [N, channels, (D,) H, W], `weight` [channels, filters / groups, kernel
// (depth,) height, width].
DIOPI_SHAPE_RULE(transposed_convolution, args) {
  ASSIGN_OR_RETURN(Geometry g, GeometryOf(args, {"stride", "padding", "dilation", "output_padding"}));
  ASSIGN_OR_RETURN(int64_t groups, args.Int("groups"));
  std::vector<int64_t> out = {g.input[0], g.weight[1] * groups};
  for (size_t i = 0; i < g.input.size() - 2; ++i) {
    const int64_t stride = g.attributes[0][i], pad = g.attributes[1][i], dilation = g.attributes[2][i];
    const int64_t size =
        (g.input[2 + i] - 1) * stride - 2 * pad + dilation * (g.weight[2 + i] - 1) + g.attributes[3][i] + 1;
    if (size <= 0) return absl::InvalidArgumentError("the padding leaves no output");
    if (g.attributes[3][i] >= std::max(stride, dilation))
      return absl::InvalidArgumentError("`output_padding` is not below `stride` or `dilation`");
    out.push_back(size);
  }
  return Shapes{out};
}

// conv_transpose: one for each filter of each group.
DIOPI_SHAPE_RULE(bias_of_transposed_weight, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> weight, args.Shape("weight"));
  ASSIGN_OR_RETURN(int64_t groups, args.Int("groups"));
  if (weight.size() < 2) return absl::InvalidArgumentError("`weight` has fewer than 2 dimensions");
  return Shapes{{weight[1] * groups}};
}

}  // namespace diopi::cases
