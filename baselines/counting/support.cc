// The support code's templates for numbers that count, and the count itself.
#include "baselines/ops/support/gemm.h"
#include "baselines/ops/support/tensor.cc"  // NOLINT: its templates, instantiated for one type more

namespace diopi::ops {

uint64_t& OperationsCounted() {
  static uint64_t operations = 0;
  return operations;
}

template std::vector<Counted> Load<Counted>(const Tensor&);
template std::vector<Counted> LoadAs<Counted>(const Tensor&, const Shape&);
template void Store<Counted>(const Tensor&, const std::vector<Counted>&);

template <typename C>
void Gemm(Trans trans_a, Trans trans_b, int64_t m, int64_t n, int64_t k, const C* a, const C* b, C* c,
          bool accumulate) {
  const bool ta = trans_a == Trans::kYes, tb = trans_b == Trans::kYes;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      C sum = accumulate ? c[i * n + j] : C(0);
      for (int64_t p = 0; p < k; ++p) sum += a[ta ? p * m + i : i * k + p] * b[tb ? j * k + p : p * n + j];
      c[i * n + j] = sum;
    }
  }
}
template void Gemm<>(Trans, Trans, int64_t, int64_t, int64_t, const Counted*, const Counted*, Counted*, bool);

}  // namespace diopi::ops

// Operations since the last call of this function.
extern "C" __attribute__((visibility("default"))) uint64_t diopiTakeOperationsCounted() {
  uint64_t& counted = diopi::ops::OperationsCounted();
  const uint64_t taken = counted;
  counted = 0;
  return taken;
}
