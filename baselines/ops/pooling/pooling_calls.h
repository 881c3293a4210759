// The functions of the ABI, built on the pooling kernels of each reference: pooling_cpu.cc, pooling_cuda.cu.
#ifndef BASELINES_OPS_POOLING_POOLING_CALLS_H_
#define BASELINES_OPS_POOLING_POOLING_CALLS_H_

#include <string_view>

#include "baselines/ops/both.h"
#include "baselines/ops/pooling/pooling_common.h"

namespace diopi::ops::both {

// The greatest element of each window and, unless `indices` is null, its index in the plane; the first of
// equal ones, NaN above all. An index outside its plane is an error on the CPU and counts nowhere on a
// device.
void MaxPool(const Queue& queue, const Tensor& out, const Tensor& indices, const Tensor& x, const Pool& pool);
void MaxPoolBackward(const Queue& queue, const Tensor& dx, const Tensor& grad, const Tensor& x,
                     const Tensor& indices, const Pool& pool);
// The sum of each window over its number of elements, as `divisor` counts them.
void AveragePool(const Queue& queue, const Tensor& out, const Tensor& x, const Pool& pool,
                 const Divisor& divisor);
void AveragePoolBackward(const Queue& queue, const Tensor& dx, const Tensor& grad, const Tensor& x,
                         const Pool& pool, const Divisor& divisor);

template <int64_t kDims>
struct PoolingCalls {
  // The divisor of avg_pool and of the functions with a mode.
  template <typename Args>
  static Divisor DivisorOf(const Args& a) {
    if constexpr (requires { a.exclusive; })
      return ReadDivisor(!a.exclusive, nullptr);
    else if constexpr (requires { a.divisor_override; })
      return ReadDivisor(a.count_include_pad, a.divisor_override);
    else
      return ReadDivisor(a.count_include_pad, nullptr);
  }

  template <typename Args>
  static void Avg(const Args& a) {
    AveragePool(Queue(a.ctx), Tensor(a.out), Tensor(a.input), PlanPool<kDims>(a), DivisorOf(a));
  }
  template <typename Args>
  static void AvgBackward(const Args& a) {
    AveragePoolBackward(Queue(a.ctx), Tensor(a.grad_input), Tensor(a.grad_output), Tensor(a.input),
                        PlanPool<kDims>(a), DivisorOf(a));
  }
  template <typename Args>
  static void Max(const Args& a) {
    MaxPool(Queue(a.ctx), Tensor(a.out), IndicesOf(a), Tensor(a.input), PlanPool<kDims>(a, a.dilation));
  }
  template <typename Args>
  static void MaxBackward(const Args& a) {
    MaxPoolBackward(Queue(a.ctx), Tensor(a.grad_input), Tensor(a.grad_output), Tensor(a.input), IndicesOf(a),
                    PlanPool<kDims>(a, a.dilation));
  }

  template <typename Args>
  static void AdaptiveAvg(const Args& a) {
    const Tensor x(a.input);
    AveragePool(Queue(a.ctx), Tensor(a.out), x, PlanAdaptive<kDims>(x, a.output_size), Divisor());
  }
  template <typename Args>
  static void AdaptiveAvgBackward(const Args& a) {
    const Tensor x(a.input), grad(a.grad_output);
    AveragePoolBackward(Queue(a.ctx), Tensor(a.grad_input), grad, x, PlanAdaptiveOf<kDims>(x, grad),
                        Divisor());
  }
  template <typename Args>
  static void AdaptiveMax(const Args& a) {
    const Tensor x(a.input);
    MaxPool(Queue(a.ctx), Tensor(a.out), IndicesOf(a), x, PlanAdaptive<kDims>(x, a.output_size));
  }
  template <typename Args>
  static void AdaptiveMaxBackward(const Args& a) {
    const Tensor x(a.input), grad(a.grad_output);
    MaxPoolBackward(Queue(a.ctx), Tensor(a.grad_input), grad, x, IndicesOf(a),
                    PlanAdaptiveOf<kDims>(x, grad));
  }

  static bool TakesMaximum(const char* mode) {
    const std::string_view name = mode;
    Check(name == "max" || name == "avg", "expected mode max or avg, got ", name);
    return name == "max";
  }
  // Any of the above, by `mode` and `adaptive`. Averages read neither `dilation` nor `indices`.
  template <typename Args>
  static void Any(const Args& a) {
    if (TakesMaximum(a.mode)) return a.adaptive ? AdaptiveMax(a) : Max(a);
    return a.adaptive ? AdaptiveAvg(a) : Avg(a);
  }
  template <typename Args>
  static void AnyBackward(const Args& a) {
    if (TakesMaximum(a.mode)) return a.adaptive ? AdaptiveMaxBackward(a) : MaxBackward(a);
    return a.adaptive ? AdaptiveAvgBackward(a) : AvgBackward(a);
  }
};

using Pool1d = PoolingCalls<1>;
using Pool2d = PoolingCalls<2>;
using Pool3d = PoolingCalls<3>;

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_POOLING_POOLING_CALLS_H_
