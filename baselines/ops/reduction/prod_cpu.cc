// The product along one dimension, or of everything when dim is null. Integers and bool multiply modulo 2^64
// into an integer output.
#include "baselines/ops/reduction/reduction_common.h"

DIOPI_KERNEL(diopiProd, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  const Rows rows = RowsOver(x.shape(), WrapDims(a.dim == nullptr ? Shape{} : Shape{*a.dim}, x.rank()));
  CheckReduced(result, rows);
  DispatchAny(IsFloating(x.dtype()) ? x.dtype() : result.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
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
