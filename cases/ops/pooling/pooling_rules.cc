// Output shapes of pooling, from the last one, two or three dimensions of `input`.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// A list of sizes for the spatial dimensions: one value serves all, none or no such argument means
// `fallback`.
absl::StatusOr<std::vector<int64_t>> SpatialOf(const RuleArgs& args, std::string_view name, size_t dims,
                                               const std::vector<int64_t>& fallback) {
  if (!args.Has(name)) return fallback;
  absl::StatusOr<std::vector<int64_t>> sizes = args.Sizes(name);
  if (!sizes.ok() || sizes->size() == dims) return sizes;
  if (sizes->empty()) return fallback;
  return std::vector<int64_t>(dims, (*sizes)[0]);
}

absl::StatusOr<std::vector<int64_t>> Planes(const RuleArgs& args, size_t dims) {
  absl::StatusOr<std::vector<int64_t>> shape = args.Shape("input");
  if (shape.ok() && (shape->size() < dims + 1 || shape->size() > dims + 2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("pooling needs an input of ", dims + 1, " or ", dims + 2, " dimensions"));
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

// kernel_size (or `ksize`), stride (empty: kernel_size), padding, ceil_mode and, where there is one,
// dilation.
absl::StatusOr<Shapes> Pooled(const RuleArgs& args, size_t dims, bool dilated = true) {
  const char* const name = args.Has("ksize") ? "ksize" : "kernel_size";
  absl::StatusOr<std::vector<int64_t>> shape = Planes(args, dims);
  const auto kernel = SpatialOf(args, name, dims, {});
  if (!shape.ok()) return shape.status();
  if (!kernel.ok()) return kernel.status();
  if (kernel->size() != dims) {
    return absl::InvalidArgumentError(absl::StrCat("`", name, "` needs one or ", dims, " values"));
  }
  const auto stride = SpatialOf(args, "stride", dims, *kernel);
  const auto pad = SpatialOf(args, "padding", dims, std::vector<int64_t>(dims, 0));
  const std::vector<int64_t> ones(dims, 1);
  const auto dilation = dilated ? SpatialOf(args, "dilation", dims, ones) : ones;
  for (const absl::Status& status : {stride.status(), pad.status(), dilation.status()}) {
    if (!status.ok()) return status;
  }
  const bool ceil_mode = args.Bool("ceil_mode").value_or(false);
  const bool averages = !dilated || !args.Has("dilation");
  for (size_t i = 0; i < dims; ++i) {
    int64_t& size = (*shape)[shape->size() - dims + i];
    if ((*stride)[i] <= 0 || (*dilation)[i] <= 0)
      return absl::InvalidArgumentError("`stride` and `dilation` must be positive");
    if (2 * (*pad)[i] > (*kernel)[i])
      return absl::InvalidArgumentError("the padding is more than half of the window");
    if (averages && dims == 3 && size < (*kernel)[i])  // PyTorch refuses it in three dimensions alone
      return absl::InvalidArgumentError("a window is larger than the input");
    for (int64_t before = (*pad)[i]; before > 0; before -= (*stride)[i]) {
      const int64_t step = (*dilation)[i], first = (step - before % step) % step;  // inside the input
      if (first >= size) return absl::InvalidArgumentError("a window lies in the padding alone");
    }
    size = Count(size, (*kernel)[i], (*stride)[i], (*pad)[i], (*dilation)[i], ceil_mode);
    if (size <= 0) return absl::InvalidArgumentError("a window is larger than the padded input");
  }
  return Shapes{*std::move(shape)};
}

// `output_size`.
absl::StatusOr<Shapes> AdaptivelyPooled(const RuleArgs& args, size_t dims) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, Planes(args, dims));
  ASSIGN_OR_RETURN(const auto size, SpatialOf(args, "output_size", dims, {}));
  if (size.size() != dims) {
    return absl::InvalidArgumentError(absl::StrCat("`output_size` needs one or ", dims, " values"));
  }
  std::copy(size.begin(), size.end(), shape.end() - static_cast<std::ptrdiff_t>(dims));
  return Shapes{std::move(shape)};
}

// Adaptive or not, by `adaptive`; averages are not dilated.
absl::StatusOr<Shapes> PooledByMode(const RuleArgs& args, size_t dims) {
  const absl::StatusOr<bool> adaptive = args.Bool("adaptive");
  const absl::StatusOr<std::string> mode = args.String("mode");
  if (!adaptive.ok()) return adaptive.status();
  if (!mode.ok()) return mode.status();
  return *adaptive ? AdaptivelyPooled(args, dims) : Pooled(args, dims, *mode == "max");
}

}  // namespace

// max_pool, avg_pool.
DIOPI_SHAPE_RULE(pool1d, args) {
  return Pooled(args, 1);
}
DIOPI_SHAPE_RULE(pool2d, args) {
  return Pooled(args, 2);
}
DIOPI_SHAPE_RULE(pool3d, args) {
  return Pooled(args, 3);
}

// adaptive_avg_pool, adaptive_max_pool.
DIOPI_SHAPE_RULE(adaptive_pool1d, args) {
  return AdaptivelyPooled(args, 1);
}
DIOPI_SHAPE_RULE(adaptive_pool2d, args) {
  return AdaptivelyPooled(args, 2);
}
DIOPI_SHAPE_RULE(adaptive_pool3d, args) {
  return AdaptivelyPooled(args, 3);
}

// pool1d, pool2d, pool3d: all of the above.
DIOPI_SHAPE_RULE(pool1d_by_mode, args) {
  return PooledByMode(args, 1);
}
DIOPI_SHAPE_RULE(pool2d_by_mode, args) {
  return PooledByMode(args, 2);
}
DIOPI_SHAPE_RULE(pool3d_by_mode, args) {
  return PooledByMode(args, 3);
}

}  // namespace diopi::cases
