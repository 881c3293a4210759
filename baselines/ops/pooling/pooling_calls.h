// The functions of the ABI over the kernels of one reference, which are static functions of K:
//   Max(ctx, out, indices or a null tensor, x, pool)    MaxBackward(ctx, dx, grad, x, indices, pool)
//   Average(ctx, out, x, pool, divisor)                 AverageBackward(ctx, dx, grad, x, pool, divisor)
#ifndef BASELINES_OPS_POOLING_POOLING_CALLS_H_
#define BASELINES_OPS_POOLING_POOLING_CALLS_H_

#include <string_view>

#include "baselines/ops/pooling/pooling_common.h"

namespace diopi::ops {

template <typename K, int64_t kDims>
struct PoolingCalls {
  // Of avg_pool, and of the functions with a mode.
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
    K::Average(a.ctx, Tensor(a.out), Tensor(a.input), PlanPool<kDims>(a), DivisorOf(a));
  }
  template <typename Args>
  static void AvgBackward(const Args& a) {
    K::AverageBackward(a.ctx, Tensor(a.grad_input), Tensor(a.grad_output), Tensor(a.input),
                       PlanPool<kDims>(a), DivisorOf(a));
  }
  template <typename Args>
  static void Max(const Args& a) {
    K::Max(a.ctx, Tensor(a.out), IndicesOf(a), Tensor(a.input), PlanPool<kDims>(a, a.dilation));
  }
  template <typename Args>
  static void MaxBackward(const Args& a) {
    K::MaxBackward(a.ctx, Tensor(a.grad_input), Tensor(a.grad_output), Tensor(a.input), IndicesOf(a),
                   PlanPool<kDims>(a, a.dilation));
  }

  template <typename Args>
  static void AdaptiveAvg(const Args& a) {
    const Tensor x(a.input);
    K::Average(a.ctx, Tensor(a.out), x, PlanAdaptive<kDims>(x, a.output_size), Divisor());
  }
  template <typename Args>
  static void AdaptiveAvgBackward(const Args& a) {
    const Tensor x(a.input), grad(a.grad_output);
    K::AverageBackward(a.ctx, Tensor(a.grad_input), grad, x, PlanAdaptiveOf<kDims>(x, grad), Divisor());
  }
  template <typename Args>
  static void AdaptiveMax(const Args& a) {
    const Tensor x(a.input);
    K::Max(a.ctx, Tensor(a.out), IndicesOf(a), x, PlanAdaptive<kDims>(x, a.output_size));
  }
  template <typename Args>
  static void AdaptiveMaxBackward(const Args& a) {
    const Tensor x(a.input), grad(a.grad_output);
    K::MaxBackward(a.ctx, Tensor(a.grad_input), grad, x, IndicesOf(a), PlanAdaptiveOf<kDims>(x, grad));
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

}  // namespace diopi::ops

#endif  // BASELINES_OPS_POOLING_POOLING_CALLS_H_
