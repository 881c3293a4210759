// Element-wise functions: everything but the formula.
//
// A formula is a functor over the compute type, the same struct for all of them:
//   struct Exp {
//     template <typename C>
//     DIOPI_HD C operator()(C x) const { using std::exp; return exp(x); }
//   };
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

// The same on tensors: broadcast against each other, all in compute type C.
template <typename C, typename F>
void MapTo(const Queue& queue, const Tensor& out, const F& f, const Tensor& x) {
  CheckShape(out, x.shape(), "out");
  Map(queue, out.numel(), Out<C>(out), f, In<C>(x));
}
template <typename C, typename F>
void MapTo(const Queue& queue, const Tensor& out, const F& f, const Tensor& x, const Tensor& y) {
  const Shape shape = BroadcastShapes(x.shape(), y.shape());
  CheckShape(out, shape, "out");
  Map(queue, out.numel(), Out<C>(out), f, In<C>(x, shape), In<C>(y, shape));
}

struct Same {
  template <typename C>
  DIOPI_HD C operator()(C x) const {
    return x;
  }
};
// Element for element in row-major order, converted: `n` of each.
template <typename C>
void Copy(const Queue& queue, int64_t n, const Out<C>& out, const In<C>& in) {
  Map(queue, n, out, Same(), in);
}

// A whole kernel: out = f(input), where the result is a floating number whatever the input is (exp of
// an int64 is a float32).
template <typename F>
void FloatUnary(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                const F& f) {
  const Tensor result(out), x(input);
  const diopiDtype_t dtype = FloatResultType(result, {x});
  CheckStorable(dtype, result);
  DispatchFloating(dtype, [&]<typename C>() { MapTo<C>(Queue(ctx), result, f, x); });
}

// The same for functions that keep the input's kind of number (neg, abs, relu); not for bool.
template <typename F>
void NumericUnary(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                  const F& f) {
  const Tensor result(out), x(input);
  DispatchNumeric(ResultType(result, {x}), [&]<typename C>() { MapTo<C>(Queue(ctx), result, f, x); });
}

// out = f(a, b) of floating tensors, as in gradients: f(grad_output, saved).
template <typename F>
void FloatBinary(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t a,
                 diopiConstTensorHandle_t b, const F& f) {
  const Tensor result(out), x(a), y(b);
  DispatchFloating(ResultType(result, {x, y}), [&]<typename C>() { MapTo<C>(Queue(ctx), result, f, x, y); });
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_MAP_H_
