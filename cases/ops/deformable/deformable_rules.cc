// Shapes of deformable convolution and attention.
#include <array>
#include <string>

#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// The two functions name the same attributes differently: height and width of kernel, stride, padding and
// dilation.
struct DeformNames {
  std::array<const char*, 2> kernel, stride, pad, dilation;
};
constexpr DeformNames kDeformPlainNames{
    {"kH", "kW"}, {"dH", "dW"}, {"padH", "padW"}, {"dilationH", "dilationW"}};
constexpr DeformNames kDeformModulatedNames{
    {"kernel_h", "kernel_w"}, {"stride_h", "stride_w"}, {"pad_h", "pad_w"}, {"dilation_h", "dilation_w"}};

// The output's height and width, or for `taps` the kernel's.
struct DeformSizes {
  std::vector<int64_t> input, cells, kernel;
};

absl::StatusOr<DeformSizes> DeformSizesOf(const RuleArgs& args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> input, args.Shape("input"));
  if (input.size() != 4) return absl::InvalidArgumentError("`input` needs 4 dimensions");
  const DeformNames& names = args.Int("kH").ok() ? kDeformPlainNames : kDeformModulatedNames;
  DeformSizes sizes{input, {}, {}};
  for (size_t d = 0; d < 2; ++d) {
    const absl::StatusOr<int64_t> kernel = args.Int(names.kernel[d]), stride = args.Int(names.stride[d]),
                                  pad = args.Int(names.pad[d]), dilation = args.Int(names.dilation[d]);
    for (const absl::Status& status : {kernel.status(), stride.status(), pad.status(), dilation.status()}) {
      if (!status.ok()) return status;
    }
    const int64_t room = input[d + 2] + 2 * *pad - *dilation * (*kernel - 1) - 1;
    if (room < 0 || *stride <= 0)
      return absl::InvalidArgumentError("the kernel is larger than the padded input");
    sizes.cells.push_back(room / *stride + 1);
    sizes.kernel.push_back(*kernel);
  }
  return sizes;
}

}  // namespace

DIOPI_SHAPE_RULE(deform_conv, args) {
  ASSIGN_OR_RETURN(const DeformSizes sizes, DeformSizesOf(args));
  ASSIGN_OR_RETURN(const std::vector<int64_t> weight, args.Shape("weight"));
  if (weight.size() != 4) return absl::InvalidArgumentError("`weight` needs 4 dimensions");
  ASSIGN_OR_RETURN(const std::vector<int64_t> offset, args.Shape("offset"));
  const bool plain = args.Int("kH").ok();
  ASSIGN_OR_RETURN(const int64_t groups, args.Int(plain ? "groups" : "group"));
  ASSIGN_OR_RETURN(const int64_t parts, args.Int(plain ? "deform_groups" : "deformable_group"));
  if (groups < 1 || parts < 1 || weight[1] * groups != sizes.input[1] || weight[0] % groups != 0 ||
      sizes.input[1] % parts != 0 || offset.size() != 4 ||
      offset[1] != 2 * parts * sizes.kernel[0] * sizes.kernel[1]) {
    return absl::InvalidArgumentError("the groups do not fit `weight` or `offset`");
  }
  return Shapes{{sizes.input[0], weight[0], sizes.cells[0], sizes.cells[1]}};
}

// Scratch: a matrix with a row for each tap of each channel and a column for each place of the images that
// are processed at a time (one, where there is no im2col_step), or one element per place.
DIOPI_SHAPE_RULE(deform_conv_columns, args) {
  ASSIGN_OR_RETURN(const DeformSizes sizes, DeformSizesOf(args));
  const int64_t step = args.Int("im2col_step").value_or(1);
  return Shapes{{sizes.input[1] * sizes.kernel[0] * sizes.kernel[1], step * sizes.cells[0] * sizes.cells[1]}};
}
DIOPI_SHAPE_RULE(deform_conv_ones, args) {
  ASSIGN_OR_RETURN(const DeformSizes sizes, DeformSizesOf(args));
  return Shapes{sizes.cells};
}

// Two numbers for each tap of each group of channels at each place, and one in the mask.
DIOPI_SHAPE_RULE(deform_conv_offset, args) {
  ASSIGN_OR_RETURN(const DeformSizes sizes, DeformSizesOf(args));
  ASSIGN_OR_RETURN(const int64_t parts,
                   args.Int(args.Int("deform_groups").ok() ? "deform_groups" : "deformable_group"));
  const int64_t numbers = args.output() == "offset" ? 2 : 1;
  return Shapes{
      {sizes.input[0], numbers * parts * sizes.kernel[0] * sizes.kernel[1], sizes.cells[0], sizes.cells[1]}};
}

// mmcv passes an empty tensor where there is no bias.
DIOPI_SHAPE_RULE(deform_conv_bias, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> weight, args.Shape("weight"));
  ASSIGN_OR_RETURN(const bool with_bias, args.Bool("with_bias"));
  if (weight.empty()) return absl::InvalidArgumentError("`weight` needs 4 dimensions");
  return Shapes{{with_bias ? weight[0] : 0}};
}

// The heads of each query side by side.
DIOPI_SHAPE_RULE(ms_deform_attn, args) {
  const absl::StatusOr<std::vector<int64_t>> value = args.Shape("value"), places = args.Shape("sampling_loc");
  for (const absl::Status& status : {value.status(), places.status()}) {
    if (!status.ok()) return status;
  }
  if (value->size() != 4 || places->size() != 6)
    return absl::InvalidArgumentError("`value` needs 4 dimensions, `sampling_loc` 6");
  return Shapes{{(*value)[0], (*places)[1], (*value)[2] * (*value)[3]}};
}

}  // namespace diopi::cases
