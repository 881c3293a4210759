// embedding: rows of a weight matrix by index; its backward adds the rows' gradients up.
#include "baselines/ops/index/index_common.h"

DIOPI_KERNEL(diopiEmbedding, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), table(a.weight), at(a.indices);
  Check(table.rank() == 2, "weight must be a matrix, got shape ", ShapeText(table.shape()));
  Shape shape = at.shape();
  shape.push_back(table.size(1));
  CheckShape(result, shape, "out");
  const std::vector<int64_t> rows = Load<int64_t>(at);
  const size_t width = static_cast<size_t>(table.size(1));
  DispatchFloating(table.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(table);
    std::vector<C> picked(rows.size() * width);
    for (size_t i = 0; i < rows.size(); ++i) {
      Check(rows[i] >= 0 && rows[i] < table.size(0), "index ", rows[i], " is out of range [0, ",
            table.size(0), ")");
      for (size_t j = 0; j < width; ++j)
        picked[i * width + j] = values[static_cast<size_t>(rows[i]) * width + j];
    }
    Store(result, picked);
  });
}

// Rows at padding_idx get no gradient; with scale_grad_byfreq each row's is divided by how often it was used.
DIOPI_KERNEL(diopiEmbeddingBackward, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), gradient(a.grad), at(a.indices);
  Check(gradient.rank() >= 1, "grad must have the embedding's dimension last");
  const int64_t width = gradient.size(-1);
  CheckShape(result, Shape{a.num_weights, width}, "out");
  const std::vector<int64_t> rows = Load<int64_t>(at);
  std::vector<int64_t> uses(static_cast<size_t>(a.num_weights), 0);
  for (const int64_t row : rows) {
    Check(row >= 0 && row < a.num_weights, "index ", row, " is out of range [0, ", a.num_weights, ")");
    ++uses[static_cast<size_t>(row)];
  }
  DispatchFloating(ResultType(result, {gradient}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(gradient);
    std::vector<C> sums(static_cast<size_t>(result.numel()), Exact<C>(0));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] == a.padding_idx) continue;
      const C scale = Exact<C>(a.scale_grad_byfreq ? uses[static_cast<size_t>(rows[i])] : 1);
      for (int64_t j = 0; j < width; ++j) {
        const C& share = g[i * static_cast<size_t>(width) + static_cast<size_t>(j)];
        C& sum = sums[static_cast<size_t>(rows[i] * width + j)];
        sum += a.scale_grad_byfreq ? share / scale : share;
      }
    }
    Store(result, sums);
  });
}

// Rows that are used and whose norm exceeds max_norm are scaled to it, once each.
DIOPI_KERNEL(diopiEmbeddingRenorm_, a) {
  using namespace diopi::ops;
  const Tensor table(a.inout);
  Check(table.rank() == 2, "the embedding must be a matrix, got shape ", ShapeText(table.shape()));
  const std::vector<int64_t> rows = Load<int64_t>(a.indices);
  std::vector<bool> used(static_cast<size_t>(table.size(0)), false);
  for (const int64_t row : rows) used[static_cast<size_t>(WrapIndex(row, table.size(0)))] = true;
  const size_t width = static_cast<size_t>(table.size(1));
  DispatchFloating(table.dtype(), [&]<typename C>() {
    using std::abs;
    using std::pow;
    using std::sqrt;
    std::vector<C> values = Load<C>(table);
    for (size_t row = 0; row < used.size(); ++row) {
      if (!used[row]) continue;
      C sum = Exact<C>(0);
      for (size_t j = row * width; j < (row + 1) * width; ++j) {
        sum += a.norm_type == 2.0 ? values[j] * values[j] : pow(abs(values[j]), Rounded<C>(a.norm_type));
      }
      const C norm = a.norm_type == 2.0 ? sqrt(sum) : pow(sum, Rounded<C>(1.0 / a.norm_type));
      if (ToDouble(norm) <= a.max_norm) continue;
      const C scale = Rounded<C>(a.max_norm) / (norm + Rounded<C>(1e-7));
      for (size_t j = row * width; j < (row + 1) * width; ++j) values[j] = values[j] * scale;
    }
    Store(table, values);
  });
}
