// scatter: out = input, then out[index[i][j][k]][j][k] = src[i][j][k] for dim 0, and so on; with reduce "add"
// or "multiply" the source is combined with the present element. Of several sources for one element the last
// wins.
#include "baselines/ops/index/index_cuda.h"

namespace diopi::ops::cuda {
namespace {

// The sources of the scattered elements: a tensor at least as large as the index, or one number.
template <typename C>
In<C> Sources(const Tensor& src, const diopiScalar_t* value, const Shape& index) {
  if (value != nullptr) return In<C>::Constant(ScalarAs<C>(value));
  if (Numel(index) == 0) return In<C>::Constant(C(0));
  Check(src.shape().size() == index.size(), "index must have as many dimensions as src");
  for (size_t d = 0; d < index.size(); ++d)
    Check(index[d] <= src.shape()[d], "index shape exceeds src shape");
  return In<C>(src.data(), src.dtype(), index, src.strides());
}

void Scatter(diopiContextHandle_t ctx, const Tensor& out, const Tensor& input, int64_t dim, const Tensor& src,
             const diopiScalar_t* value, const Tensor& index, const char* reduce_name) {
  const ScatterReduce reduce = ParseScatterReduce(reduce_name);
  CheckShape(out, input.shape(), "out");
  Check(src || value != nullptr, "a required tensor is null");
  // An empty index changes nothing, whatever the ranks: PyTorch checks nothing then.
  const Shape none(static_cast<size_t>(std::max<int64_t>(input.rank(), 1)), 0);
  const IndexedShapes shapes(input.shape(), index.numel() == 0 ? none : index.shape(),
                             WrapDim(dim, input.rank()));
  const Target target(In<int64_t>(index), shapes, DenseStrides(input.shape()));
  DispatchAny(out.dtype(), [&]<typename C>() {
    ScatterElements(Queue(ctx), out, input, index.numel(), target, Sources<C>(src, value, index.shape()),
                    reduce);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiScatter, a) {
  using namespace diopi::ops;
  cuda::Scatter(a.ctx, a.out, a.input, a.dim, a.src, nullptr, a.index, a.reduce);
}

DIOPI_KERNEL(diopiScatterInp, a) {
  using namespace diopi::ops;
  cuda::Scatter(a.ctx, a.input, a.input, a.dim, a.src, nullptr, a.index, a.reduce);
}

DIOPI_KERNEL(diopiScatterScalar, a) {
  using namespace diopi::ops;
  cuda::Scatter(a.ctx, a.out, a.input, a.dim, Tensor(), a.value, a.index, a.reduce);
}

DIOPI_KERNEL(diopiScatterInpScalar, a) {
  using namespace diopi::ops;
  cuda::Scatter(a.ctx, a.input, a.input, a.dim, Tensor(), a.value, a.index, a.reduce);
}
