// Shapes of the results of functions on matrices and batches of them.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

using Sizes = std::vector<int64_t>;

absl::StatusOr<Sizes> MatrixShape(const RuleArgs& args, const char* name) {
  absl::StatusOr<Sizes> shape = args.Shape(name);
  if (shape.ok() && shape->size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("`", name, "` is not a matrix"));
  }
  return shape;
}

}  // namespace

// cholesky: one number per matrix of `mat`.
DIOPI_SHAPE_RULE(number_each_matrix, args) {
  ASSIGN_OR_RETURN(Sizes shape, MatrixShape(args, "mat"));
  shape.resize(shape.size() - 2);
  return Shapes{shape};
}

// triangular_solve: `b`, and for `cloned_mat` `mat`, as many times as the batches of both broadcast to.
DIOPI_SHAPE_RULE(triangular_solve, args) {
  const absl::StatusOr<Sizes> b = MatrixShape(args, "b"), mat = MatrixShape(args, "mat");
  for (const absl::Status& status : {b.status(), mat.status()}) {
    if (!status.ok()) return status;
  }
  const Sizes& matrix = args.output() == "cloned_mat" ? *mat : *b;
  const size_t rank = std::max(b->size(), mat->size());
  Sizes result(rank, 1);
  for (const Sizes* shape : {&*b, &*mat}) {
    const size_t skip = rank - shape->size();
    for (size_t i = skip; i + 2 < rank; ++i) {
      if ((*shape)[i - skip] != 1) result[i] = (*shape)[i - skip];
    }
  }
  std::copy(matrix.end() - 2, matrix.end(), result.end() - 2);
  return Shapes{result};
}

// linalg_qr: Q is empty where only R is requested.
DIOPI_SHAPE_RULE(linalg_qr, args) {
  ASSIGN_OR_RETURN(Sizes shape, MatrixShape(args, "A"));
  ASSIGN_OR_RETURN(const std::string mode, args.String("mode"));
  if (mode != "reduced" && mode != "complete" && mode != "r") {
    return absl::InvalidArgumentError(absl::StrCat("`mode` is '", mode, "', not reduced, complete or r"));
  }
  const bool is_q = args.output() == "Q";
  if (is_q && mode == "r") return Shapes{Sizes{0}};
  int64_t& rows = shape[shape.size() - 2];
  int64_t& columns = shape.back();
  (is_q ? columns : rows) = mode == "complete" ? rows : std::min(rows, columns);
  return Shapes{shape};
}

}  // namespace diopi::cases
