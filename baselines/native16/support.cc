// The support code's templates for the 16-bit numbers. Products are terms of one sum, as in every
// accumulation.
#include "baselines/ops/support/gemm.h"
#include "baselines/ops/support/tensor.cc"  // NOLINT: its templates, instantiated for two types more

namespace diopi::ops {

DIOPI_INSTANTIATE_TENSOR(Narrow<Format16::kFloat16>)
DIOPI_INSTANTIATE_TENSOR(Narrow<Format16::kBfloat16>)

template <typename C>
void Gemm(Trans trans_a, Trans trans_b, int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* c,
          bool accumulate) {
  const bool ta = trans_a == Trans::kYes, tb = trans_b == Trans::kYes;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      Sum<C> sum;
      if (accumulate) sum += c[i * n + j];
      for (int64_t p = 0; p < k; ++p) sum += a[ta ? p * m + i : i * k + p] * b[tb ? j * k + p : p * n + j];
      c[i * n + j] = sum.total();
    }
  }
}
template void Gemm<>(Trans, Trans, int64_t, int64_t, int64_t, const Narrow<Format16::kFloat16>*,
                     const Narrow<Format16::kFloat16>*, Narrow<Format16::kFloat16>*, bool);
template void Gemm<>(Trans, Trans, int64_t, int64_t, int64_t, const Narrow<Format16::kBfloat16>*,
                     const Narrow<Format16::kBfloat16>*, Narrow<Format16::kBfloat16>*, bool);

}  // namespace diopi::ops
