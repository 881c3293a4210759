// Sparse convolution and pooling as libraries compute them: a product for each offset, then added to the
// output.
#include <algorithm>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(sparse_scattered, "diopiIndiceConvMmcv diopiFusedIndiceConvBatchnormMmcv", "",
        "as mmcv: a product for each offset, rounded to the tensors' type, then added to the output in it");
VARIANT(sparse_scattered_backwards, "diopiIndiceConvMmcv diopiFusedIndiceConvBatchnormMmcv", "",
        "the same from the last offset to the first");
VARIANT(sparse_gradient_scattered, "diopiIndiceConvBackwardMmcv", "",
        "gradients of features are added up in the order of the pairs, from the last offset to the first");

// Products are in float for float16; `dtype` is what they are stored in.
template <typename C, typename Args>
void Scattered(const Args& a, const std::vector<C>& start) {
  const Tensor x(a.features), w(a.filters);
  const diopiDtype_t dtype = x.dtype();
  const auto stored = [&](C v) {
    return dtype == diopi_dtype_float16 ? static_cast<C>(FromFloat16(ToFloat16(static_cast<double>(v)))) : v;
  };
  const std::vector<C> features = Load<C>(x), filters = Load<C>(w);
  const std::vector<int64_t> pairs = Load<int64_t>(Tensor(a.indicePairs)),
                             counts = Load<int64_t>(Tensor(a.indiceNum));
  const auto in = static_cast<size_t>(x.size(1)), out = static_cast<size_t>(w.size(-1)),
             places = static_cast<size_t>(Tensor(a.indicePairs).size(2));
  std::vector<C> values(static_cast<size_t>(a.numActOut) * out);
  for (size_t i = 0; i < values.size(); ++i) values[i] = start.empty() ? C(0) : start[i % out];
  const size_t centre = static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  const auto add = [&](size_t offset, size_t from, size_t to) {
    for (size_t d = 0; d < out; ++d) {
      C sum = 0;
      for (size_t c = in; c-- > 0;) sum += features[from * in + c] * filters[(offset * in + c) * out + d];
      values[to * out + d] = stored(values[to * out + d] + stored(sum));
    }
  };
  for (size_t step = 0; step < counts.size(); ++step) {
    const size_t i = sparse_scattered_backwards ? counts.size() - 1 - step : step;
    const bool whole = a._subM != 0 && i == centre;
    const size_t first = a._inverse != 0 ? 1 : 0;
    for (size_t k = 0; k < (whole ? features.size() / in : static_cast<size_t>(counts[i])); ++k) {
      const auto row = [&](size_t list) {
        return whole ? k : static_cast<size_t>(pairs[(2 * i + list) * places + k]);
      };
      add(i, row(first), row(1 - first));
    }
  }
  *a.out = RequireTensor(a.ctx, {a.numActOut, static_cast<int64_t>(out)}, dtype);
  Store(Tensor(*a.out), values);
}

template <typename Args>
void ScatteredForward(const Args& a) {
  if (!sparse_scattered && !sparse_scattered_backwards) return Good(a);
  const auto run = [&]<typename C>() {
    std::vector<C> start;
    if constexpr (requires { a.bias; }) start = Load<C>(Tensor(a.bias));
    Scattered<C>(a, start);
  };
  if (Tensor(a.features).dtype() == diopi_dtype_float64) return run.template operator()<double>();
  run.template operator()<float>();
}

template <typename C, typename Args>
void ScatteredGradient(const Args& a) {
  const Tensor x(a.features), w(a.filters);
  const std::vector<C> filters = Load<C>(w), grad = Load<C>(Tensor(a.outGrad));
  const std::vector<int64_t> pairs = Load<int64_t>(Tensor(a.indicePairs)),
                             counts = Load<int64_t>(Tensor(a.indiceNum));
  const auto in = static_cast<size_t>(x.size(1)), out = static_cast<size_t>(w.size(-1)),
             places = static_cast<size_t>(Tensor(a.indicePairs).size(2));
  std::vector<C> values(static_cast<size_t>(x.numel()));
  const size_t first = a._inverse != 0 ? 1 : 0;
  for (size_t i = counts.size(); i-- > 0;) {
    for (size_t k = 0; k < static_cast<size_t>(counts[i]); ++k) {
      const auto from = static_cast<size_t>(pairs[(2 * i + first) * places + k]),
                 to = static_cast<size_t>(pairs[(2 * i + 1 - first) * places + k]);
      for (size_t c = 0; c < in; ++c) {
        C sum = 0;
        for (size_t d = 0; d < out; ++d) sum += grad[to * out + d] * filters[(i * in + c) * out + d];
        values[from * in + c] += sum;
      }
    }
  }
  Store(Tensor(a.outlist[0]), values);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: this file is kernels

DIOPI_OVERRIDE_FORM(diopiIndiceConvMmcv, ScatteredForward)
DIOPI_OVERRIDE_FORM(diopiFusedIndiceConvBatchnormMmcv, ScatteredForward)

DIOPI_OVERRIDE(diopiIndiceConvBackwardMmcv, a) {
  Good(a);
  if (!sparse_gradient_scattered || a._subM != 0) return;
  if (diopi::ops::Tensor(a.features).dtype() == diopi_dtype_float64) return ScatteredGradient<double>(a);
  ScatteredGradient<float>(a);
}
