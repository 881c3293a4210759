// For kernels that both references share. A file <operator>.cc of namespace diopi::ops::both is compiled into
// the CPU reference, where host.h defines the names it uses and it also runs on the oracle's numbers, and
// into the NVIDIA reference and the emulated one, where cuda/access.h, for_each.h and map.h define them.
//
// A formula is a functor over the compute type, the same struct for all compute types:
//   struct Exp {
//     template <typename C>
//     DIOPI_HD C operator()(const C& x) const { using std::exp; return exp(x); }
//   };
#ifndef BASELINES_OPS_BOTH_H_
#define BASELINES_OPS_BOTH_H_

#include "baselines/ops/support/tensor.h"

#if defined(__CUDACC__) || defined(DIOPI_CUDA_EMULATED)
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/map.h"
namespace diopi::ops::both {
using cuda::DispatchAny;
using cuda::DispatchFloating;
using cuda::DispatchNumeric;
using cuda::ForEach;
using cuda::In;
using cuda::IntegerDividedByZero;
using cuda::Map;
using cuda::Out;
using cuda::Queue;

// Memory that lasts as long as the kernel's work.
template <typename T>
struct Scratch {
  T* elements;
  Scratch(const Queue& queue, int64_t count) : elements(queue.Buffer<T>(count)) {}
  DIOPI_HD T& operator[](int64_t i) const { return elements[i]; }
};
}  // namespace diopi::ops::both
#else
#include "baselines/ops/support/host.h"
namespace diopi::ops::both {
using host::ForEach;
using host::In;
using host::IntegerDividedByZero;
using host::Map;
using host::Out;
using host::Queue;

template <typename T>
struct Scratch {
  std::shared_ptr<std::vector<T> > elements;
  Scratch(const Queue&, int64_t count)
      : elements(std::make_shared<std::vector<T> >(static_cast<size_t>(count))) {}
  T& operator[](int64_t i) const { return (*elements)[static_cast<size_t>(i)]; }
};
}  // namespace diopi::ops::both
#endif

namespace diopi::ops::both {

struct Same {
  template <typename C>
  DIOPI_HD C operator()(const C& x) const {
    return x;
  }
};

// out = f(input, ...) on tensors that are broadcast against each other, in compute type C.
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

// A whole kernel: out = f(input), where the result is floating for every input type (exp of an int64 is a
// float32).
template <typename F>
void FloatUnary(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const F& f) {
  const diopiDtype_t dtype = FloatResultType(out, {x});
  CheckStorable(dtype, out);
  DispatchFloating(dtype, [&]<typename C>() { MapTo<C>(Queue(ctx), out, f, x); });
}

// The same for functions that keep the input's kind of number (neg, abs, relu); not for bool.
template <typename F>
void NumericUnary(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const F& f) {
  DispatchNumeric(ResultType(out, {x}), [&]<typename C>() { MapTo<C>(Queue(ctx), out, f, x); });
}

// out = f(a, b) of floating tensors, as in gradients: f(grad_output, saved).
template <typename F>
void FloatBinary(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Tensor& y, const F& f) {
  DispatchFloating(ResultType(out, {x, y}), [&]<typename C>() { MapTo<C>(Queue(ctx), out, f, x, y); });
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_BOTH_H_
