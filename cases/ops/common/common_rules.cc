// Shape rules that several families share. A rule finds arguments by the ABI's names.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

using Sizes = std::vector<int64_t>;

// `shape` without the dimensions `dims` (all of them when there is none), or with ones there.
absl::StatusOr<Sizes> Reduced(const Sizes& shape, const Sizes& dims, bool keep) {
  std::vector<bool> gone(shape.size(), dims.empty());
  // PyTorch lets 0 and -1 name the only "dimension" of a scalar.
  if (shape.empty()) return Sizes{};
  for (int64_t dim : dims) {
    ASSIGN_OR_RETURN(int64_t normal, NormalizeDim(dim, static_cast<int64_t>(shape.size())));
    gone[static_cast<size_t>(normal)] = true;
  }
  Sizes result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!gone[i]) result.push_back(shape[i]);
    if (gone[i] && keep) result.push_back(1);
  }
  return result;
}

// The argument `keepdim`, false where the function has none.
bool KeepDim(const RuleArgs& args) {
  return args.Has("keepdim") && args.Bool("keepdim").value_or(false);
}

absl::StatusOr<Shapes> ReducedByOne(const RuleArgs& args) {
  ASSIGN_OR_RETURN(Sizes shape, args.Shape("input"));
  Sizes dims;
  if (args.Has("dim")) {
    ASSIGN_OR_RETURN(int64_t dim, args.Int("dim"));
    dims = {dim};
  }
  ASSIGN_OR_RETURN(Sizes result, Reduced(shape, dims, KeepDim(args)));
  return Shapes{result};
}

}  // namespace

// sum, mean, std, norm: `input` reduced over the sizes `dim` (none: everything); `keepdim` where it is given.
// Where the function has no keepdim and the point wants one, the point gives `out` itself.
DIOPI_SHAPE_RULE(reduce_dims, args) {
  ASSIGN_OR_RETURN(Sizes shape, args.Shape("input"));
  Sizes dims;
  if (args.Has("dim")) {
    ASSIGN_OR_RETURN(Sizes given, args.Sizes("dim"));
    dims = given;
  }
  ASSIGN_OR_RETURN(Sizes result, Reduced(shape, dims, KeepDim(args)));
  return Shapes{result};
}

// argmax, max with indices, any, all, prod: `input` reduced over one `dim` (null: everything).
DIOPI_SHAPE_RULE(reduce_dim, args) {
  return ReducedByOne(args);
}

// The same, where the ABI hands `dim` over by pointer.
DIOPI_SHAPE_RULE(reduce_dim_pointer, args) {
  return ReducedByOne(args);
}

// A single number.
DIOPI_SHAPE_RULE(scalar, args) {
  static_cast<void>(args);
  return Shapes{Sizes{}};
}

// torch.matmul of `input` and `other` (or `mat2`): vectors, matrices, broadcast batches.
DIOPI_SHAPE_RULE(matmul, args) {
  ASSIGN_OR_RETURN(Sizes a, args.Shape("input"));
  ASSIGN_OR_RETURN(Sizes b, args.Shape(args.Has("other") ? "other" : "mat2"));
  if (a.empty() || b.empty()) return absl::InvalidArgumentError("matmul of a 0-d tensor");
  const bool a_is_vector = a.size() == 1;
  const bool b_is_vector = b.size() == 1;
  if (a_is_vector) a.insert(a.begin(), 1);
  if (b_is_vector) b.push_back(1);
  const int64_t inner = a.back();
  const int64_t other_inner = b[b.size() - 2];
  if (inner != other_inner) {
    return absl::InvalidArgumentError(absl::StrCat("inner sizes ", inner, " and ", other_inner, " differ"));
  }
  const size_t batch = std::max(a.size(), b.size()) - 2;
  Sizes result(batch, 1);
  for (const Sizes& shape : {a, b}) {
    const size_t skip = batch + 2 - shape.size();
    for (size_t i = skip; i < batch; ++i) {
      const int64_t size = shape[i - skip];
      if (size == 1 || size == result[i]) continue;
      if (result[i] != 1) return absl::InvalidArgumentError("the batches do not broadcast");
      result[i] = size;
    }
  }
  if (!a_is_vector) result.push_back(a[a.size() - 2]);
  if (!b_is_vector) result.push_back(b.back());
  return Shapes{result};
}

// The channels of `input`: dimension 1.
DIOPI_SHAPE_RULE(channels, args) {
  ASSIGN_OR_RETURN(Sizes shape, args.Shape("input"));
  if (shape.size() < 2) return absl::InvalidArgumentError("`input` has no channel dimension");
  return Shapes{Sizes{shape[1]}};
}

}  // namespace diopi::cases
