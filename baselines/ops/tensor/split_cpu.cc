// split_with_sizes: consecutive pieces along a dimension, into tensors that the caller allocated.
#include "baselines/ops/tensor/join.h"

DIOPI_KERNEL(diopiSplitWithSizes, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  const Shape sizes = Sizes(a.splitSizes);
  Check(static_cast<int64_t>(sizes.size()) == a.num_outs, "expected ", a.num_outs, " split sizes, got ",
        sizes.size());
  const int64_t wrapped = WrapDim(a.dim, x.rank());
  const Axis axis = SplitAxis(x.shape(), wrapped);
  DispatchAny(x.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    int64_t start = 0;
    for (int64_t i = 0; i < a.num_outs; ++i) {
      const int64_t size = sizes[static_cast<size_t>(i)];
      Check(size >= 0 && start + size <= axis.size, "the split sizes exceed dimension ", wrapped);
      Shape shape = x.shape();
      shape[static_cast<size_t>(wrapped)] = size;
      CheckShape(Tensor(a.outs[i]), shape, "outs");
      std::vector<C> part(static_cast<size_t>(Numel(shape)));
      ForEachInPiece(axis, start, size, [&](size_t from, size_t to) { part[to] = values[from]; });
      Store(Tensor(a.outs[i]), part);
      start += size;
    }
    Check(start == axis.size, "the split sizes add up to ", start, ", not to ", axis.size);
  });
}
