// Shapes of cat's result and split's pieces.
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The sum of the sizes along `dim`; 1-d empty tensors are skipped where the others have more dimensions.
DIOPI_SHAPE_RULE(cat, args) {
  ASSIGN_OR_RETURN(Shapes shapes, args.Shapes("tensors"));
  ASSIGN_OR_RETURN(int64_t given, args.Int("dim"));
  const std::vector<int64_t> skipped = {0};
  std::vector<int64_t> result = skipped;
  bool first = true;
  size_t dim = 0;
  for (std::vector<int64_t> shape : shapes) {
    if (shape == skipped) continue;
    if (first) {
      ASSIGN_OR_RETURN(int64_t normal, NormalizeDim(given, static_cast<int64_t>(shape.size())));
      dim = static_cast<size_t>(normal);
      result = shape;
      first = false;
      continue;
    }
    const int64_t size = shape.size() == result.size() ? shape[dim] : 0;
    std::vector<int64_t> grown = result;
    grown[dim] += size;
    if (shape.size() == result.size()) shape[dim] = result[dim];
    if (shape != result) {
      return absl::InvalidArgumentError(
          absl::StrCat("shapes ", ShapeText(shape), " and ", ShapeText(result), " do not join"));
    }
    result = grown;
  }
  return Shapes{result};
}

// One piece for each of `splitSizes` along `dim`.
DIOPI_SHAPE_RULE(split_with_sizes, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(std::vector<int64_t> sizes, args.Sizes("splitSizes"));
  ASSIGN_OR_RETURN(int64_t given, args.Int("dim"));
  ASSIGN_OR_RETURN(int64_t dim, NormalizeDim(given, static_cast<int64_t>(shape.size())));
  Shapes pieces;
  int64_t total = 0;
  for (int64_t size : sizes) {
    total += size;
    pieces.push_back(shape);
    pieces.back()[static_cast<size_t>(dim)] = size;
  }
  const int64_t whole = shape[static_cast<size_t>(dim)];
  if (total != whole) {
    return absl::InvalidArgumentError(absl::StrCat("the sizes add up to ", total, ", not to ", whole));
  }
  return pieces;
}

}  // namespace diopi::cases
