// Shapes of what the functions around a language model's sampling write.
#include "cases/core/shape_rules.h"

namespace diopi::cases {

DIOPI_SHAPE_RULE(one_number, args) {
  static_cast<void>(args);
  return Shapes{{1}};
}

// [dim1, dim0, dim2]
DIOPI_SHAPE_RULE(transposed_axis01, args) {
  absl::StatusOr<std::vector<int64_t>> shape = args.Shape("input");
  if (!shape.ok()) return shape.status();
  if (shape->size() != 3) return absl::InvalidArgumentError("`input` needs 3 dimensions");
  return Shapes{{(*shape)[1], (*shape)[0], (*shape)[2]}};
}

// A row of the table for each sequence, or for each token.
DIOPI_SHAPE_RULE(looked_up, args) {
  const absl::StatusOr<int64_t> rows = args.Int(args.Has("batch_size") ? "batch_size" : "input_lengths");
  if (!rows.ok()) return rows.status();
  const absl::StatusOr<int64_t> hidden = args.Int("hidden_units");
  if (!hidden.ok()) return hidden.status();
  return Shapes{{*rows, *hidden}};
}

// A number for each sequence.
DIOPI_SHAPE_RULE(sequences, args) {
  const absl::StatusOr<int64_t> batch = args.Int("batch_size");
  if (!batch.ok()) return batch.status();
  return Shapes{{*batch}};
}

// The tokens of all sequences up to the present step; after an odd step there is room for another.
DIOPI_SHAPE_RULE(sampled_ids, args) {
  const absl::StatusOr<int64_t> batch = args.Int("batch_size");
  if (!batch.ok()) return batch.status();
  const absl::StatusOr<int64_t> step = args.Int("step");
  if (!step.ok()) return step.status();
  return Shapes{{*step + 1 + *step % 2, *batch}};
}

}  // namespace diopi::cases
