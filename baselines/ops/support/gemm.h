// Matrix products: OpenBLAS on one thread for float and double, plain loops for every other compute type.
#ifndef BASELINES_OPS_SUPPORT_GEMM_H_
#define BASELINES_OPS_SUPPORT_GEMM_H_

#include <cstdint>

#include "baselines/ops/support/dtype.h"

namespace diopi::ops {

enum class Trans { kNo, kYes };

// c[m,n] = op(a)[m,k] * op(b)[k,n], added to c when `accumulate`. All row-major without gaps: a is [m,k], or
// [k,m] when transposed; b is [k,n], or [n,k]. Deterministic. Sizes may be 0. C: float, double,
// Noise<double>, Noise<long double>, int64_t (modulo 2^64).
template <typename C>
void Gemm(Trans trans_a, Trans trans_b, int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* c,
          bool accumulate = false);

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_GEMM_H_
