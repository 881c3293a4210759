// scatter: out = input, then out[index[i][j][k]][j][k] = src[i][j][k] for dim 0, and so on; with reduce "add"
// or "multiply" the source is combined with the present element.
#include "baselines/ops/index/index_common.h"

namespace diopi::ops {
namespace {

// The sources of the scattered elements: a tensor at least as large as the index, or one number.
template <typename C>
std::vector<C> Sources(const Tensor& src, const diopiScalar_t* value, const Shape& index_shape) {
  if (!src) return std::vector<C>(static_cast<size_t>(Numel(index_shape)), ScalarAs<C>(value));
  std::vector<C> all = Load<C>(src);
  if (src.shape() == index_shape) return all;
  Check(src.shape().size() == index_shape.size(), "index must have as many dimensions as src");
  for (size_t d = 0; d < index_shape.size(); ++d)
    Check(index_shape[d] <= src.shape()[d], "index shape exceeds src shape");
  const Shape strides = DenseStrides(src.shape());
  Shape at(index_shape.size(), 0);
  std::vector<C> sources(static_cast<size_t>(Numel(index_shape)));
  for (C& source : sources) {
    int64_t position = 0;
    for (size_t d = 0; d < at.size(); ++d) position += at[d] * strides[d];
    source = all[static_cast<size_t>(position)];
    ToNext(index_shape, &at);
  }
  return sources;
}

void Scatter(const Tensor& out, const Tensor& input, int64_t dim, const Tensor& src,
             const diopiScalar_t* value, const Tensor& index, const char* reduce_name) {
  const ScatterReduce reduce = ParseScatterReduce(reduce_name);
  CheckShape(out, input.shape(), "out");
  const int64_t along = WrapDim(dim, input.rank());
  // An empty index has none, whatever the ranks: PyTorch does not check them then.
  std::vector<int64_t> positions;
  if (index.numel() > 0)
    positions = PositionsAlong(input.shape(), index.shape(), along, Load<int64_t>(index));
  DispatchAny(out.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(input);
    const std::vector<C> sources =
        positions.empty() ? std::vector<C>() : Sources<C>(src, value, index.shape());
    for (size_t i = 0; i < positions.size(); ++i) {
      C& element = values[static_cast<size_t>(positions[i])];
      switch (reduce) {
        case ScatterReduce::kReplace:
          element = sources[i];
          break;
        case ScatterReduce::kAdd:
          element = WrapAdd(element, sources[i]);
          break;
        case ScatterReduce::kMultiply:
          element = WrapMul(element, sources[i]);
          break;
      }
    }
    Store(out, values);
  });
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiScatter, a) {
  using namespace diopi::ops;
  Scatter(a.out, a.input, a.dim, a.src, nullptr, a.index, a.reduce);
}

DIOPI_KERNEL(diopiScatterInp, a) {
  using namespace diopi::ops;
  Scatter(a.input, a.input, a.dim, a.src, nullptr, a.index, a.reduce);
}

DIOPI_KERNEL(diopiScatterScalar, a) {
  using namespace diopi::ops;
  Scatter(a.out, a.input, a.dim, Tensor(), a.value, a.index, a.reduce);
}

DIOPI_KERNEL(diopiScatterInpScalar, a) {
  using namespace diopi::ops;
  Scatter(a.input, a.input, a.dim, Tensor(), a.value, a.index, a.reduce);
}
