// Shapes of what the functions around a language model's sampling write.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

DIOPI_SHAPE_RULE(one_number, args) {
  static_cast<void>(args);
  return Shapes{{1}};
}

// [dim1, dim0, dim2]
DIOPI_SHAPE_RULE(transposed_axis01, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  if (shape.size() != 3) return absl::InvalidArgumentError("`input` needs 3 dimensions");
  return Shapes{{shape[1], shape[0], shape[2]}};
}

// A row of the table for each sequence, or for each token.
DIOPI_SHAPE_RULE(looked_up, args) {
  ASSIGN_OR_RETURN(const int64_t rows, args.Int(args.Has("batch_size") ? "batch_size" : "input_lengths"));
  ASSIGN_OR_RETURN(const int64_t hidden, args.Int("hidden_units"));
  return Shapes{{rows, hidden}};
}

// A number for each sequence.
DIOPI_SHAPE_RULE(sequences, args) {
  ASSIGN_OR_RETURN(const int64_t batch, args.Int("batch_size"));
  return Shapes{{batch}};
}

// The tokens of all sequences up to the present step; after an odd step there is room for another.
DIOPI_SHAPE_RULE(sampled_ids, args) {
  ASSIGN_OR_RETURN(const int64_t batch, args.Int("batch_size"));
  ASSIGN_OR_RETURN(const int64_t step, args.Int("step"));
  return Shapes{{step + 1 + step % 2, batch}};
}

}  // namespace diopi::cases
