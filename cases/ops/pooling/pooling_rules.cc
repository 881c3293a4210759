// Output shapes of pooling, from the last two dimensions of `input`.
#include "absl/strings/str_cat.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

using Pair = std::vector<int64_t>;

// A list of sizes for height and width: one value serves both, none or no such argument means `fallback`.
absl::StatusOr<Pair> PairOf(const RuleArgs& args, std::string_view name, const Pair& fallback) {
  if (!args.Has(name)) return fallback;
  absl::StatusOr<Pair> sizes = args.Sizes(name);
  if (!sizes.ok() || sizes->size() == 2) return sizes;
  if (sizes->empty()) return fallback;
  return Pair{(*sizes)[0], (*sizes)[0]};
}

absl::StatusOr<std::vector<int64_t>> Planes(const RuleArgs& args) {
  absl::StatusOr<std::vector<int64_t>> shape = args.Shape("input");
  if (shape.ok() && (shape->size() < 3 || shape->size() > 4)) {
    return absl::InvalidArgumentError("pooling needs an input of 3 or 4 dimensions");
  }
  return shape;
}

// Windows along one dimension; with ceil_mode none that begins beyond the input and its left padding.
int64_t Count(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation, bool ceil_mode) {
  const int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0);
  if (room < 0) return 0;
  int64_t count = room / stride + 1;
  if (ceil_mode && (count - 1) * stride >= size + pad) --count;
  return count;
}

}  // namespace

// max_pool2d, avg_pool2d: kernel_size, stride (empty: kernel_size), padding, dilation, ceil_mode.
DIOPI_SHAPE_RULE(pool2d, args) {
  absl::StatusOr<std::vector<int64_t>> shape = Planes(args);
  if (!shape.ok()) return shape.status();
  absl::StatusOr<Pair> kernel = PairOf(args, "kernel_size", {});
  if (!kernel.ok()) return kernel.status();
  if (kernel->size() != 2) return absl::InvalidArgumentError("`kernel_size` needs one or two values");
  absl::StatusOr<Pair> stride = PairOf(args, "stride", *kernel);
  if (!stride.ok()) return stride.status();
  absl::StatusOr<Pair> pad = PairOf(args, "padding", {0, 0});
  if (!pad.ok()) return pad.status();
  absl::StatusOr<Pair> dilation = PairOf(args, "dilation", {1, 1});
  if (!dilation.ok()) return dilation.status();
  const bool ceil_mode = args.Bool("ceil_mode").value_or(false);
  for (size_t i = 0; i < 2; ++i) {
    int64_t& size = (*shape)[shape->size() - 2 + i];
    if ((*stride)[i] <= 0) return absl::InvalidArgumentError("`stride` must be positive");
    size = Count(size, (*kernel)[i], (*stride)[i], (*pad)[i], (*dilation)[i], ceil_mode);
    if (size <= 0) return absl::InvalidArgumentError("a window is larger than the padded input");
  }
  return Shapes{*shape};
}

// adaptive_avg_pool2d: `output_size`.
DIOPI_SHAPE_RULE(adaptive_pool2d, args) {
  absl::StatusOr<std::vector<int64_t>> shape = Planes(args);
  if (!shape.ok()) return shape.status();
  absl::StatusOr<Pair> size = PairOf(args, "output_size", {});
  if (!size.ok()) return size.status();
  if (size->size() != 2) return absl::InvalidArgumentError("`output_size` needs one or two values");
  (*shape)[shape->size() - 2] = (*size)[0];
  shape->back() = (*size)[1];
  return Shapes{*shape};
}

}  // namespace diopi::cases
