// Element-wise functions except for their formulas, which are functors as both.h describes them.
#ifndef BASELINES_OPS_SUPPORT_CUDA_MAP_H_
#define BASELINES_OPS_SUPPORT_CUDA_MAP_H_

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"

namespace diopi::ops::cuda {

template <typename C, typename F, typename X>
struct MapOne {
  Out<C> out;
  F f;
  X x;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, f(x[i])); }
};
template <typename C, typename F, typename X, typename Y>
struct MapTwo {
  Out<C> out;
  F f;
  X x;
  Y y;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, f(x[i], y[i])); }
};
template <typename C, typename F, typename X, typename Y, typename Z>
struct MapThree {
  Out<C> out;
  F f;
  X x;
  Y y;
  Z z;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, f(x[i], y[i], z[i])); }
};

// out[i] = f(x[i], ...) for i below n; x, y and z are In of any compute type.
template <typename C, typename F, typename X>
void Map(const Queue& queue, int64_t n, const Out<C>& out, const F& f, const X& x) {
  ForEach(queue, n, MapOne<C, F, X>{out, f, x});
}
template <typename C, typename F, typename X, typename Y>
void Map(const Queue& queue, int64_t n, const Out<C>& out, const F& f, const X& x, const Y& y) {
  ForEach(queue, n, MapTwo<C, F, X, Y>{out, f, x, y});
}
template <typename C, typename F, typename X, typename Y, typename Z>
void Map(const Queue& queue, int64_t n, const Out<C>& out, const F& f, const X& x, const Y& y, const Z& z) {
  ForEach(queue, n, MapThree<C, F, X, Y, Z>{out, f, x, y, z});
}

struct Same {
  template <typename C>
  DIOPI_HD C operator()(C x) const {
    return x;
  }
};
// Copies `n` elements in row-major order, converted.
template <typename C>
void Copy(const Queue& queue, int64_t n, const Out<C>& out, const In<C>& in) {
  Map(queue, n, out, Same(), in);
}

// A GPU cannot report a division by zero, and PyTorch's result is arbitrary there: all bits set.
DIOPI_HD inline int64_t IntegerDividedByZero() {
  return -1;
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_MAP_H_
