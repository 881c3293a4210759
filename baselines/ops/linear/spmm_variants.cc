// Other right ways to multiply a sparse matrix by a dense one.
#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(spmm_backwards, "diopiSpMM", "", "each row's entries from the last to the first");
VARIANT(spmm_fma, "diopiSpMM", "", "fused multiply-add");
VARIANT(spmm_scattered, "diopiSpMM", "",
        "entry by entry in a shuffled order, added to a result of zeros: atomics");

std::vector<int64_t> SparseIndices(diopiConstTensorHandle_t sparse,
                                   diopiError_t (*get)(diopiConstTensorHandle_t, diopiConstTensorHandle_t*)) {
  diopiConstTensorHandle_t part = nullptr;
  get(sparse, &part);
  return Load<int64_t>(Tensor(part));
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiSpMM, a) {
  const Tensor out(a.out), dense(a.mat2);
  if ((!spmm_backwards && !spmm_fma && !spmm_scattered) || dense.dtype() != diopi_dtype_float32)
    return Good(a);
  const std::vector<int64_t> starts = SparseIndices(a.input, diopiGetTensorCrowIndices);
  const std::vector<int64_t> columns = SparseIndices(a.input, diopiGetTensorColIndices);
  diopiConstTensorHandle_t entries = nullptr;
  diopiGetTensorValues(a.input, &entries);
  const std::vector<float> values = Load<float>(Tensor(entries)), right = Load<float>(dense);
  const auto width = static_cast<size_t>(dense.size(1));
  std::vector<float> sums(static_cast<size_t>(out.numel()), 0.0F);
  const size_t count = values.size();
  const size_t stride = count % 7919 == 0 ? 1 : 7919;  // a prime: every entry once
  for (size_t i = 0; i < count; ++i) {
    const size_t e = spmm_scattered ? i * stride % count : spmm_backwards ? count - 1 - i : i;
    const auto after = std::upper_bound(starts.begin(), starts.end(), static_cast<int64_t>(e));
    const auto row = static_cast<size_t>(after - starts.begin() - 1);
    for (size_t j = 0; j < width; ++j) {
      const float x = right[static_cast<size_t>(columns[e]) * width + j];
      float& sum = sums[row * width + j];
      sum = spmm_fma ? std::fma(values[e], x, sum) : sum + values[e] * x;
    }
  }
  Store(out, sums);
}
