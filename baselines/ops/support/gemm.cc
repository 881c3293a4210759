#include "baselines/ops/support/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <limits>

namespace diopi::ops {
namespace {

// Every output sums its products in the order of k.
template <typename C>
void PlainGemm(Trans trans_a, Trans trans_b, int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* c) {
  const int64_t a_row = trans_a == Trans::kNo ? k : 1, a_col = trans_a == Trans::kNo ? 1 : m;
  const int64_t b_row = trans_b == Trans::kNo ? n : 1, b_col = trans_b == Trans::kNo ? 1 : k;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const C* x = a + i * a_row;
      const C* y = b + j * b_col;
      C sum = c[i * n + j];
      for (int64_t p = 0; p < k; ++p) sum = WrapAdd(sum, WrapMul(x[p * a_col], y[p * b_row]));
      c[i * n + j] = sum;
    }
  }
}

int ToBlas(int64_t size) {
  Check(size <= std::numeric_limits<int>::max(), "a matrix of ", size, " rows or columns is too large");
  return static_cast<int>(size);
}

// Another thread count would be another order of summation, and cores are for other workers.
void UseOneThread() {
  static const bool once = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(once);
}

template <typename C, typename F>
void BlasGemm(Trans trans_a, Trans trans_b, int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* c,
              F gemm) {
  UseOneThread();
  const int lda = ToBlas(trans_a == Trans::kNo ? k : m), ldb = ToBlas(trans_b == Trans::kNo ? n : k);
  gemm(CblasRowMajor, trans_a == Trans::kNo ? CblasNoTrans : CblasTrans,
       trans_b == Trans::kNo ? CblasNoTrans : CblasTrans, ToBlas(m), ToBlas(n), ToBlas(k), C(1), a, lda, b,
       ldb, C(1), c, ToBlas(n));
}

}  // namespace

template <typename C>
void Gemm(Trans trans_a, Trans trans_b, int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* c,
          bool accumulate) {
  // OpenBLAS skips c * 0 for NaN only in some kernels; zeroing here leaves it no choice.
  if (!accumulate) std::fill(c, c + m * n, C(0));
  if (m == 0 || n == 0 || k == 0) return;
  if constexpr (std::is_same_v<C, float>) {
    BlasGemm(trans_a, trans_b, m, n, k, a, b, c, cblas_sgemm);
  } else if constexpr (std::is_same_v<C, double>) {
    BlasGemm(trans_a, trans_b, m, n, k, a, b, c, cblas_dgemm);
  } else {
    PlainGemm(trans_a, trans_b, m, n, k, a, b, c);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define DIOPI_INSTANTIATE(C) \
  template void Gemm<C>(Trans, Trans, int64_t, int64_t, int64_t, const C*, const C*, C*, bool);
// NOLINTEND(bugprone-macro-parentheses)
DIOPI_INSTANTIATE(float)
DIOPI_INSTANTIATE(double)
DIOPI_INSTANTIATE(Noise<double>)
DIOPI_INSTANTIATE(Noise<long double>)
DIOPI_INSTANTIATE(int64_t)
#undef DIOPI_INSTANTIATE

}  // namespace diopi::ops
