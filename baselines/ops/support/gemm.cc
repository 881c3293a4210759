#include "baselines/ops/support/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <vector>

#include "baselines/ops/support/sum.h"

namespace diopi::ops {
namespace {

// How many different values each line of `length` has, as far as `most`.
template <typename C>
std::vector<int64_t> Different(const C* values, int64_t lines, int64_t line_step, int64_t length,
                               int64_t step, int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t line = 0; line < lines; ++line) {
    std::unordered_set<double> seen;
    for (int64_t i = 0; i < length && static_cast<int64_t>(seen.size()) < most; ++i)
      seen.insert(ToDouble(values[line * line_step + i * step]));
    counts.push_back(static_cast<int64_t>(seen.size()));
  }
  return counts;
}

// Every output sums its products in the order of k. Where each product occurs 32 times and more, their
// roundings are not independent: Sum knows the noise of that.
template <typename C>
void PlainGemm(Trans trans_a, Trans trans_b, int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* c,
               bool accumulate) {
  const int64_t a_row = trans_a == Trans::kNo ? k : 1, a_col = trans_a == Trans::kNo ? 1 : m;
  const int64_t b_row = trans_b == Trans::kNo ? n : 1, b_col = trans_b == Trans::kNo ? 1 : k;
  const int64_t most = kIsNoise<C> ? k / 32 + 1 : 0;
  const std::vector<int64_t> in_row = Different(a, m, a_row, k, a_col, most);
  const std::vector<int64_t> in_column = Different(b, n, b_col, k, b_row, most);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const C* x = a + i * a_row;
      const C* y = b + j * b_col;
      C sum = c[i * n + j];
      if constexpr (kIsNoise<C>) {
        if (in_row[static_cast<size_t>(i)] * in_column[static_cast<size_t>(j)] < most) {
          Sum<C> products;
          if (accumulate) products += sum;
          for (int64_t p = 0; p < k; ++p) products += x[p * a_col] * y[p * b_row];
          c[i * n + j] = products.total();
          continue;
        }
      }
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
    PlainGemm(trans_a, trans_b, m, n, k, a, b, c, accumulate);
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
