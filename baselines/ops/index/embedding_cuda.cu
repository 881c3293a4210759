// embedding: rows of a weight matrix by index; its backward adds the rows' gradients up.
#include "baselines/ops/index/index_cuda.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {
namespace {

// The row that token i names: -1 for none. Negative indices do not count from the end.
struct TokenRow {
  In<int64_t> index;
  int64_t rows;
  int64_t padding_idx;
  DIOPI_HD int64_t operator()(int64_t i) const {
    const int64_t row = index[i];
    return row >= 0 && row < rows && row != padding_idx ? row : -1;
  }
};
constexpr int64_t kNoPadding = -1;

template <typename C>
struct PickRows {
  TokenRow row;
  In<C> weight;
  int64_t width;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t from = row(i / width);
    out.Set(i, from < 0 ? OutOfBounds<C>() : weight[from * width + i % width]);
  }
  bool Quads() const { return width % 4 == 0 && weight.Quads() && out.Quads(); }
  DIOPI_HD void Quad(int64_t quad) const {
    const int64_t fours = width / 4, from = row(quad / fours);
    const C none = OutOfBounds<C>();
    out.SetQuad(quad,
                from < 0 ? Four<C>{{none, none, none, none}} : weight.QuadAt(from * fours + quad % fours));
  }
};

void Forward(diopiContextHandle_t ctx, const Tensor& out, const Tensor& weight, const Tensor& indices) {
  Check(weight.rank() == 2, "weight must be a matrix, got shape ", ShapeText(weight.shape()));
  Shape shape = indices.shape();
  shape.push_back(weight.size(1));
  CheckShape(out, shape, "out");
  const TokenRow row{In<int64_t>(indices), weight.size(0), kNoPadding};
  DispatchFloating(weight.dtype(), [&]<typename C>() {
    MapElements(Queue(ctx), out.numel(), PickRows<C>{row, In<C>(weight), weight.size(1), Out<C>(out)});
  });
}

// Rows at padding_idx get no gradient; with scale_grad_byfreq each row's is divided by how often it was used.
void Backward(diopiContextHandle_t ctx, const Tensor& out, const Tensor& grad, const Tensor& indices,
              int64_t num_weights, int64_t padding_idx, bool scale_grad_byfreq) {
  Check(grad.rank() >= 1, "grad must have the embedding's dimension last");
  const int64_t width = grad.size(-1), tokens = indices.numel();
  CheckShape(out, Shape{num_weights, width}, "out");
  Check(grad.numel() == tokens * width, "grad of shape ", ShapeText(grad.shape()), " does not match ", tokens,
        " indices");
  const Queue queue(ctx);
  const TokenRow row{In<int64_t>(indices), num_weights, padding_idx};
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const Out<C> sums(out);
    Copy(queue, out.numel(), sums, In<C>::Constant(C(0)));
    const Groups groups = GroupByDestination(queue, tokens, num_weights, row);
    ForEach(queue, grad.numel(),
            SumSlices<C>{groups, In<C>(grad), sums, 1, width, num_weights, scale_grad_byfreq});
  });
}

struct MarkRows {
  Groups groups;
  uint8_t* used;
  DIOPI_HD void operator()(int64_t i) const {
    if (groups.Starts(i)) used[groups.Destination(i)] = 1;
  }
};
struct WrappedRow {
  In<int64_t> index;
  int64_t rows;
  DIOPI_HD int64_t operator()(int64_t i) const { return Wrapped(index[i], rows); }
};

// Writes to scales[row] the factor of a used row whose norm exceeds max_norm.
template <typename C>
struct RowScales {
  using State = C;
  In<C> table;
  int64_t width;
  C p, root;
  double max_norm;
  uint8_t* used;  // cleared for rows that stay
  C* scales;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t row, int64_t j) const {
    using std::abs;
    using std::pow;
    const C x = table[row * width + j];
    return p == C(2) ? x * x : pow(abs(x), p);
  }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const {
    using std::pow;
    using std::sqrt;
    const C norm = p == C(2) ? sqrt(sum) : pow(sum, root);
    if (static_cast<double>(norm) <= max_norm) used[row] = 0;
    scales[row] = static_cast<C>(max_norm) / (norm + C(1e-7));
  }
};
template <typename C>
struct ScaleRows {
  Out<C> table;
  int64_t width;
  const uint8_t* used;
  const C* scales;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / width;
    if (used[row] != 0) table.Set(i, table[i] * scales[row]);
  }
};

// Rows that are used and whose norm exceeds max_norm are scaled to it, once each.
void Renorm(diopiContextHandle_t ctx, const Tensor& table, const Tensor& indices, double max_norm,
            double norm_type) {
  Check(table.rank() == 2, "the embedding must be a matrix, got shape ", ShapeText(table.shape()));
  const int64_t rows = table.size(0), width = table.size(1);
  const Queue queue(ctx);
  uint8_t* const used = queue.Buffer<uint8_t>(rows);
  queue.Zero(used, rows);
  const WrappedRow row{In<int64_t>(indices), rows};
  const Groups groups = GroupByDestination(queue, indices.numel(), rows, row);
  ForEach(queue, groups.n, MarkRows{groups, used});
  DispatchFloating(table.dtype(), [&]<typename C>() {
    C* const scales = queue.Buffer<C>(rows);
    ReduceRows(queue, rows, width,
               RowScales<C>{In<C>(table), width, static_cast<C>(norm_type), static_cast<C>(1.0 / norm_type),
                            max_norm, used, scales});
    ForEach(queue, table.numel(), ScaleRows<C>{Out<C>(table), width, used, scales});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiEmbedding, a) {
  using namespace diopi::ops;
  cuda::Forward(a.ctx, a.out, a.weight, a.indices);
}

DIOPI_KERNEL(diopiEmbeddingBackward, a) {
  using namespace diopi::ops;
  cuda::Backward(a.ctx, a.out, a.grad, a.indices, a.num_weights, a.padding_idx, a.scale_grad_byfreq);
}

DIOPI_KERNEL(diopiEmbeddingRenorm_, a) {
  using namespace diopi::ops;
  cuda::Renorm(a.ctx, a.inout, a.indices, a.max_norm, a.norm_type);
}
