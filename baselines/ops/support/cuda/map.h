// Element-wise functions except for their formulas, which are functors as both.h describes them.
#ifndef BASELINES_OPS_SUPPORT_CUDA_MAP_H_
#define BASELINES_OPS_SUPPORT_CUDA_MAP_H_

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"

namespace diopi::ops::cuda {

// A formula that takes the element's index before the operands.
template <typename F>
struct AtIndex {
  F f;
};
template <typename F, typename... X>
DIOPI_HD auto Apply(const F& f, int64_t, const X&... x) {
  return f(x...);
}
template <typename F, typename... X>
DIOPI_HD auto Apply(const AtIndex<F>& f, int64_t i, const X&... x) {
  return f.f(i, x...);
}

template <typename C, typename F, typename X>
struct MapOne {
  Out<C> out;
  F f;
  X x;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, Apply(f, i, x[i])); }
  bool Quads() const { return out.Quads() && x.Quads(); }
  DIOPI_HD void Quad(int64_t quad) const {
    const auto a = x.QuadAt(quad);
    Four<C> result;
    for (int k = 0; k < 4; ++k) result.at[k] = Apply(f, 4 * quad + k, a.at[k]);
    out.SetQuad(quad, result);
  }
};
template <typename C, typename F, typename X, typename Y>
struct MapTwo {
  Out<C> out;
  F f;
  X x;
  Y y;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, Apply(f, i, x[i], y[i])); }
  bool Quads() const { return out.Quads() && x.Quads() && y.Quads(); }
  DIOPI_HD void Quad(int64_t quad) const {
    const auto a = x.QuadAt(quad);
    const auto b = y.QuadAt(quad);
    Four<C> result;
    for (int k = 0; k < 4; ++k) result.at[k] = Apply(f, 4 * quad + k, a.at[k], b.at[k]);
    out.SetQuad(quad, result);
  }
};
template <typename C, typename F, typename X, typename Y, typename Z>
struct MapThree {
  Out<C> out;
  F f;
  X x;
  Y y;
  Z z;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, Apply(f, i, x[i], y[i], z[i])); }
  bool Quads() const { return out.Quads() && x.Quads() && y.Quads() && z.Quads(); }
  DIOPI_HD void Quad(int64_t quad) const {
    const auto a = x.QuadAt(quad);
    const auto b = y.QuadAt(quad);
    const auto c = z.QuadAt(quad);
    Four<C> result;
    for (int k = 0; k < 4; ++k) result.at[k] = Apply(f, 4 * quad + k, a.at[k], b.at[k], c.at[k]);
    out.SetQuad(quad, result);
  }
};

// Four elements of a map per call, and what is left over one by one.
template <typename M>
struct MapQuads {
  M map;
  int64_t n;
  DIOPI_HD void operator()(int64_t quad) const {
    if (4 * quad + 4 <= n) return map.Quad(quad);
    for (int64_t i = 4 * quad; i < n; ++i) map(i);
  }
};
template <typename M>
void MapElements(const Queue& queue, int64_t n, const M& map) {
  if (map.Quads()) return ForEach(queue, (n + 3) / 4, MapQuads<M>{map, n});
  ForEach(queue, n, map);
}

// out[i] = f(x[i], ...) for i below n, or f(i, x[i], ...) with AtIndex; x, y and z are In of any compute
// type.
template <typename C, typename F, typename X>
void Map(const Queue& queue, int64_t n, const Out<C>& out, const F& f, const X& x) {
  MapElements(queue, n, MapOne<C, F, X>{out, f, x});
}
template <typename C, typename F, typename X, typename Y>
void Map(const Queue& queue, int64_t n, const Out<C>& out, const F& f, const X& x, const Y& y) {
  MapElements(queue, n, MapTwo<C, F, X, Y>{out, f, x, y});
}
template <typename C, typename F, typename X, typename Y, typename Z>
void Map(const Queue& queue, int64_t n, const Out<C>& out, const F& f, const X& x, const Y& y, const Z& z) {
  MapElements(queue, n, MapThree<C, F, X, Y, Z>{out, f, x, y, z});
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
