// The product along one dimension, or of everything when dim is null, in the output's type, into which the
// factors are converted first: integers modulo 2^64, bool whether all are not zero.
#include "baselines/ops/reduction/reduction_common.h"

DIOPI_KERNEL(diopiProd, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  const Rows rows = RowsOver(x.shape(), WrapDims(a.dim == nullptr ? Shape{} : Shape{*a.dim}, x.rank()));
  CheckReduced(result, rows);
  const bool truth = IsBool(result.dtype());
  DispatchAny(truth ? x.dtype() : result.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(x);
    if (truth) {
      for (C& value : values) value = Exact<C>(value != Exact<C>(0) ? 1 : 0);
    }
    std::vector<C> products(static_cast<size_t>(rows.count()), Exact<C>(1));
    for (size_t row = 0; row < products.size(); ++row) {
      C product = Exact<C>(1);
      for (const int64_t offset : rows.offset) {
        product = WrapMul(product, values[static_cast<size_t>(rows.base[row] + offset)]);
      }
      products[row] = product;
    }
    Store(result, products);
  });
}
