// Shapes of flip, transpose, repeat, select, slice, one_hot, linspace, meshgrid, im2col and col2im. As
// PyTorch, dimensions and indices count from the end when negative, and an argument out of range is refused,
// except the ends of a slice, which are clamped.
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

using Sizes = std::vector<int64_t>;

struct Dimension {
  Sizes shape;  // of `input`
  size_t dim = 0;
};

// `input` and its dimension that the argument `name` gives.
absl::StatusOr<Dimension> DimensionOf(const RuleArgs& args, std::string_view name) {
  ASSIGN_OR_RETURN(Sizes shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const int64_t dim, args.Int(name));
  ASSIGN_OR_RETURN(const int64_t at, NormalizeDim(dim, static_cast<int64_t>(shape.size())));
  return Dimension{std::move(shape), static_cast<size_t>(at)};
}

// A list of sizes for height and width.
absl::StatusOr<Sizes> PairOf(const RuleArgs& args, std::string_view name) {
  absl::StatusOr<Sizes> sizes = args.Sizes(name);
  if (sizes.ok() && sizes->size() != 2) return absl::InvalidArgumentError("two sizes are needed");
  return sizes;
}

// How many windows an image of `size` has, along each of its two dimensions.
absl::StatusOr<Sizes> Windows(const RuleArgs& args, const Sizes& size) {
  const absl::StatusOr<Sizes> kernel = PairOf(args, "kernel_size"), dilation = PairOf(args, "dilation"),
                              padding = PairOf(args, "padding"), stride = PairOf(args, "stride");
  for (const absl::Status& status : {kernel.status(), dilation.status(), padding.status(), stride.status()}) {
    if (!status.ok()) return status;
  }
  Sizes windows;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t room = size[d] + 2 * (*padding)[d] - (*dilation)[d] * ((*kernel)[d] - 1) - 1;
    if (room < 0 || (*kernel)[d] < 1 || (*stride)[d] < 1) return absl::InvalidArgumentError("no window fits");
    windows.push_back(room / (*stride)[d] + 1);
  }
  return windows;
}

}  // namespace

// `dims` names each dimension once.
DIOPI_SHAPE_RULE(flip, args) {
  ASSIGN_OR_RETURN(Sizes shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const Sizes dims, args.Sizes("dims"));
  std::vector<bool> flipped(std::max<size_t>(shape.size(), 1));
  for (const int64_t dim : dims) {
    ASSIGN_OR_RETURN(const int64_t at, NormalizeDim(dim, static_cast<int64_t>(flipped.size())));
    if (flipped[static_cast<size_t>(at)]) return absl::InvalidArgumentError("`dims` names a dimension twice");
    flipped[static_cast<size_t>(at)] = true;
  }
  return Shapes{std::move(shape)};
}

// A 0-d tensor stays unchanged.
DIOPI_SHAPE_RULE(transpose, args) {
  const absl::StatusOr<Sizes> shape = args.Shape("input");
  if (shape.ok() && shape->empty()) return Shapes{{}};
  ASSIGN_OR_RETURN(Dimension first, DimensionOf(args, "dim0"));
  ASSIGN_OR_RETURN(const Dimension second, DimensionOf(args, "dim1"));
  std::swap(first.shape[first.dim], first.shape[second.dim]);
  return Shapes{std::move(first.shape)};
}

// `repeats_size` may have more entries than the input has dimensions: new ones in front.
DIOPI_SHAPE_RULE(repeat, args) {
  ASSIGN_OR_RETURN(const Sizes shape, args.Shape("input"));
  ASSIGN_OR_RETURN(Sizes repeats, args.Sizes("repeats_size"));
  if (repeats.size() < shape.size()) return absl::InvalidArgumentError("fewer repeats than dimensions");
  const size_t more = repeats.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) repeats[more + d] *= shape[d];
  return Shapes{std::move(repeats)};
}

// The input without `dim`.
DIOPI_SHAPE_RULE(select, args) {
  ASSIGN_OR_RETURN(Dimension input, DimensionOf(args, "dim"));
  ASSIGN_OR_RETURN(const int64_t index, args.Int("index"));
  const int64_t size = input.shape[input.dim];
  if (index < -size || index >= size) return absl::InvalidArgumentError("`index` is out of range");
  input.shape.erase(input.shape.begin() + static_cast<int64_t>(input.dim));
  return Shapes{std::move(input.shape)};
}

// Every `step`-th element from `start` up to, without, `end`; both count from the end when negative, and are
// clamped to the input's size.
DIOPI_SHAPE_RULE(slice, args) {
  ASSIGN_OR_RETURN(Dimension input, DimensionOf(args, "dim"));
  const absl::StatusOr<int64_t> start = args.Int("start"), end = args.Int("end"), step = args.Int("step");
  for (const absl::Status& status : {start.status(), end.status(), step.status()}) {
    if (!status.ok()) return status;
  }
  if (*step < 1) return absl::InvalidArgumentError("`step` must be positive");
  int64_t& size = input.shape[input.dim];
  const int64_t from = std::clamp<int64_t>(*start < 0 ? *start + size : *start, 0, size);
  const int64_t to = std::clamp<int64_t>(*end < 0 ? *end + size : *end, from, size);
  size = (to - from) / *step + ((to - from) % *step != 0 ? 1 : 0);
  return Shapes{std::move(input.shape)};
}

// The classes, then a row of `num_classes`; where that is -1, the point gives the output.
DIOPI_SHAPE_RULE(one_hot, args) {
  ASSIGN_OR_RETURN(Sizes shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const int64_t classes, args.Int("num_classes"));
  if (classes < 1) return absl::InvalidArgumentError("the number of classes is unknown");
  shape.push_back(classes);
  return Shapes{std::move(shape)};
}

DIOPI_SHAPE_RULE(linspace, args) {
  ASSIGN_OR_RETURN(const int64_t steps, args.Int("steps"));
  return Shapes{{steps}};
}

// As many grids as vectors, each of all their sizes.
DIOPI_SHAPE_RULE(meshgrid, args) {
  ASSIGN_OR_RETURN(const Shapes shapes, args.Shapes("inputs"));
  Sizes grid;
  for (const Sizes& shape : shapes) {
    if (shape.size() > 1) return absl::InvalidArgumentError("meshgrid takes vectors");
    grid.push_back(NumElements(shape));
  }
  return Shapes(shapes.size(), grid);
}

// The windows of images, one per column: (channels * height * width of the kernel, number of windows).
DIOPI_SHAPE_RULE(im2col, args) {
  ASSIGN_OR_RETURN(Sizes shape, args.Shape("input"));
  if (shape.size() != 3 && shape.size() != 4) return absl::InvalidArgumentError("images are 3-d or 4-d");
  ASSIGN_OR_RETURN(const Sizes windows, Windows(args, Sizes(shape.end() - 2, shape.end())));
  const absl::StatusOr<Sizes> kernel = args.Sizes("kernel_size");
  shape.pop_back();
  shape.pop_back();
  shape.back() *= (*kernel)[0] * (*kernel)[1];
  shape.push_back(windows[0] * windows[1]);
  return Shapes{std::move(shape)};
}

// The images, of `output_size`, that have such columns.
DIOPI_SHAPE_RULE(col2im, args) {
  ASSIGN_OR_RETURN(Sizes shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const Sizes size, PairOf(args, "output_size"));
  ASSIGN_OR_RETURN(const Sizes kernel, PairOf(args, "kernel_size"));
  ASSIGN_OR_RETURN(const Sizes windows, Windows(args, size));
  const int64_t elements = kernel[0] * kernel[1];
  if (shape.size() < 2 || shape.back() != windows[0] * windows[1] ||
      shape[shape.size() - 2] % elements != 0) {
    return absl::InvalidArgumentError("the columns do not match `output_size`");
  }
  shape.pop_back();
  shape.back() /= elements;
  shape.insert(shape.end(), size.begin(), size.end());
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
