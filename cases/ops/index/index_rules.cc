// Shapes of the elements that index tensors pick.
#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// The shape of `name`, where the index has a place in `input`, along `dim` any, for each of its elements.
absl::StatusOr<Shapes> IndexedAlong(const RuleArgs& args, const char* name) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(std::vector<int64_t> index, args.Shape("index"));
  ASSIGN_OR_RETURN(const int64_t dim, args.Int("dim"));
  if (shape.empty()) shape.push_back(1);
  if (index.empty()) index.push_back(1);
  ASSIGN_OR_RETURN(const int64_t at, NormalizeDim(dim, static_cast<int64_t>(shape.size())));
  bool fits = shape.size() == index.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = i == static_cast<size_t>(at) || index[i] <= shape[i];
  if (!fits && NumElements(index) > 0) return absl::InvalidArgumentError("the index exceeds `input`");
  ASSIGN_OR_RETURN(std::vector<int64_t> result, args.Shape(name));
  return Shapes{std::move(result)};
}

}  // namespace

DIOPI_SHAPE_RULE(gather, args) {
  return IndexedAlong(args, "index");
}
DIOPI_SHAPE_RULE(scatter, args) {
  return IndexedAlong(args, "input");
}

// The input with as many slices along `dim` as the index has elements.
DIOPI_SHAPE_RULE(index_select, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> index, args.Shape("index"));
  ASSIGN_OR_RETURN(const int64_t dim, args.Int("dim"));
  if (shape.empty()) return Shapes{std::move(shape)};
  ASSIGN_OR_RETURN(const int64_t at, NormalizeDim(dim, static_cast<int64_t>(shape.size())));
  shape[static_cast<size_t>(at)] = NumElements(index);
  return Shapes{std::move(shape)};
}

// The sizes in `input_sizes`.
DIOPI_SHAPE_RULE(input_sizes, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> sizes, args.Sizes("input_sizes"));
  return Shapes{std::move(sizes)};
}

// The shape of the indices, then one row of the weight.
DIOPI_SHAPE_RULE(embedding, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("indices"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> weight, args.Shape("weight"));
  if (weight.empty()) return absl::InvalidArgumentError("`weight` needs at least one dimension");
  shape.push_back(weight.back());
  return Shapes{std::move(shape)};
}

// (num_weights, last dimension of the gradient).
DIOPI_SHAPE_RULE(embedding_weight, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> grad, args.Shape("grad"));
  ASSIGN_OR_RETURN(const int64_t rows, args.Int("num_weights"));
  if (grad.empty()) return absl::InvalidArgumentError("`grad` needs at least one dimension");
  return Shapes{{rows, grad.back()}};
}

}  // namespace diopi::cases
