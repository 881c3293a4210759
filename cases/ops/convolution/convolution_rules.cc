// Output shapes of convolution.
#include "absl/strings/str_cat.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// conv2d: `input` [N, C, H, W], `weight` [filters, C / groups, kernel height, kernel width].
DIOPI_SHAPE_RULE(conv2d, args) {
  absl::StatusOr<std::vector<int64_t>> input = args.Shape("input");
  if (!input.ok()) return input.status();
  absl::StatusOr<std::vector<int64_t>> weight = args.Shape("weight");
  if (!weight.ok()) return weight.status();
  if (input->size() != 4 || weight->size() != 4) {
    return absl::InvalidArgumentError("conv2d needs `input` and `weight` of 4 dimensions");
  }
  std::vector<std::vector<int64_t>> attributes;
  for (const char* name : {"stride", "padding", "dilation"}) {
    absl::StatusOr<std::vector<int64_t>> sizes = args.Sizes(name);
    if (!sizes.ok()) return sizes.status();
    if (sizes->size() != 2) return absl::InvalidArgumentError(absl::StrCat("`", name, "` needs two values"));
    attributes.push_back(*sizes);
  }
  std::vector<int64_t> out = {(*input)[0], (*weight)[0]};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t stride = attributes[0][i], pad = attributes[1][i], dilation = attributes[2][i];
    const int64_t room = (*input)[2 + i] + 2 * pad - dilation * ((*weight)[2 + i] - 1) - 1;
    if (room < 0 || stride <= 0)
      return absl::InvalidArgumentError("the kernel is larger than the padded input");
    out.push_back(room / stride + 1);
  }
  return Shapes{out};
}

}  // namespace diopi::cases
