// The product along one dimension, or of everything when dim is null, in the output's type, into which the
// factors are converted first: integers modulo 2^64, bool whether all are not zero.
#include <algorithm>
#include <cmath>

#include "baselines/ops/reduction/reduction_common.h"

namespace diopi::ops {
namespace {

// Where factors are equal, so are the partial products of a tree or of lanes, and they are off by the same
// error: m of them make m/2 squares, m/4 fourth powers and so on, whose errors have the variance of m^2/3
// roundings in all, and not of m. Powers of two round nothing.
template <typename V>
Noise<V> WithEqualFactors(const Noise<V>& product, std::vector<V> factors) {
  std::sort(factors.begin(), factors.end());
  V roundings = 0;
  for (auto first = factors.begin(); first != factors.end();) {
    const auto last = std::upper_bound(first, factors.end(), *first);
    const V count = static_cast<V>(last - first);
    int exponent = 0;
    if (std::frexp(*first, &exponent) != V(0.5)) roundings += std::max(V(0), count * count / 3 - count);
    first = last;
  }
  const V unit = Noise<V>::kUnit * product.v;
  return Noise<V>::Clean(product.v, product.s2 + roundings * unit * unit / 3);
}

template <typename C>
C Product(const std::vector<C>& values, int64_t base, const std::vector<int64_t>& offsets) {
  C product = Exact<C>(1);
  for (const int64_t offset : offsets) product = WrapMul(product, values[static_cast<size_t>(base + offset)]);
  if constexpr (kIsNoise<C>) {
    if (!isfinite(product)) return product;
    std::vector<decltype(product.v)> factors;
    factors.reserve(offsets.size());
    for (const int64_t offset : offsets)
      factors.push_back(std::fabs(values[static_cast<size_t>(base + offset)].v));
    return WithEqualFactors(product, std::move(factors));
  } else {
    return product;
  }
}

}  // namespace
}  // namespace diopi::ops

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
      products[row] = Product(values, rows.base[row], rows.offset);
    }
    Store(result, products);
  });
}
