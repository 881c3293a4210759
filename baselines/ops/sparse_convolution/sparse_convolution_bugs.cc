// Bugs injected into sparse convolution and pooling: wrong pairs, and wrong rows of a right result.
#include <algorithm>

#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is nothing else

constexpr char kConvolutions[] =
    "diopiIndiceConvMmcv diopiIndiceConvBackwardMmcv diopiFusedIndiceConvBatchnormMmcv";
constexpr char kAllPairs[] =
    "diopiIndiceConvMmcv diopiIndiceConvBackwardMmcv diopiFusedIndiceConvBatchnormMmcv "
    "diopiIndiceMaxpoolMmcv "
    "diopiIndiceMaxpoolBackwardMmcv";
BUG(sparse_last_pair_lost, 0, kAllPairs, "", "the last pair of each offset is left out");
BUG(sparse_lists_exchanged, 0, kAllPairs, "", "rows of the input and of the output are exchanged");
BUG(sparse_first_count, 0, kAllPairs, "", "every offset has as many pairs as the first one");
BUG(sparse_inverse_ignored, 0, kConvolutions, "", "_inverse does nothing");
BUG(sparse_centre_lost, 0, "diopiIndiceConvMmcv diopiIndiceConvBackwardMmcv", "",
    "with _subM the offset of the centre is left out");
BUG(sparse_bias_lost, 0, "diopiFusedIndiceConvBatchnormMmcv", "", "rows that no pair names have no bias");
BUG(sparse_offsets_reversed, 0, kConvolutions, "", "the filters' offsets in reverse order");
BUG(sparse_pool_unseen, 0, "diopiIndiceMaxpoolMmcv", "", "an output that sees no row is the first feature");
BUG(sparse_pool_gradient_once, 0, "diopiIndiceMaxpoolBackwardMmcv", "",
    "a row gets the gradient of one output only");

bool Changes() {
  return sparse_last_pair_lost || sparse_first_count || sparse_lists_exchanged;
}

// The counts of pairs, and the pairs, as a bug sees them.
template <typename Args>
void ChangePairs(Args& a) {
  if (sparse_inverse_ignored) {
    if constexpr (requires { a._inverse; }) a._inverse = 0;
  }
  if (sparse_offsets_reversed) {
    if constexpr (requires { a.filters; }) {
      const std::vector<double> filters = Load<double>(Tensor(a.filters));
      const Shape shape = Tensor(a.filters).shape();
      const int64_t one = shape.back() * shape[shape.size() - 2],
                    last = static_cast<int64_t>(filters.size()) - one;
      a.filters = Replaced(a.ctx, a.filters, [&](double, int64_t i) {
        return filters[static_cast<size_t>(last - i / one * one + i % one)];
      });
    }
  }
  if (!Changes()) return;
  const std::vector<double> counts = Load<double>(Tensor(a.indiceNum)),
                            rows = Load<double>(Tensor(a.indicePairs));
  a.indiceNum = Replaced(a.ctx, a.indiceNum, [&](double count, int64_t) {
    if (sparse_last_pair_lost) return std::max(count - 1, 0.0);
    return sparse_first_count ? counts[0] : count;
  });
  const int64_t places = Tensor(a.indicePairs).size(2);
  a.indicePairs = Replaced(a.ctx, a.indicePairs, [&](double row, int64_t i) {
    return sparse_lists_exchanged ? rows[static_cast<size_t>(i / places % 2 == 0 ? i + places : i - places)]
                                  : row;
  });
}

template <typename Args>
void Unpaired(Args a) {
  ChangePairs(a);
  if constexpr (requires { a._subM; }) {
    if (sparse_centre_lost && a._subM != 0) {
      const std::vector<double> counts = Load<double>(Tensor(a.indiceNum));
      const double most = *std::max_element(counts.begin(), counts.end());
      a._subM = 0;
      a.indiceNum =
          Replaced(a.ctx, a.indiceNum, [&](double count, int64_t) { return count == most ? 0 : count; });
    }
  }
  Good(a);
}

// Rows of the output that no pair names.
template <typename Args>
std::vector<bool> Unnamed(const Args& a, int64_t rows) {
  std::vector<bool> unnamed(static_cast<size_t>(rows), true);
  const std::vector<int64_t> counts = Load<int64_t>(Tensor(a.indiceNum)),
                             pairs = Load<int64_t>(Tensor(a.indicePairs));
  const auto places = static_cast<size_t>(Tensor(a.indicePairs).size(2));
  size_t list = 1;
  if constexpr (requires { a._inverse; }) list = a._inverse != 0 ? 0 : 1;
  for (size_t i = 0; i < counts.size(); ++i) {
    for (size_t k = 0; k < static_cast<size_t>(counts[i]); ++k)
      unnamed[static_cast<size_t>(pairs[(2 * i + list) * places + k])] = false;
  }
  return unnamed;
}

template <typename Args>
void SetUnnamed(const Args& a, double value) {
  const Tensor out(*a.out);
  const std::vector<bool> unnamed = Unnamed(a, out.size(0));
  std::vector<double> values = Load<double>(out);
  for (size_t i = 0; i < values.size(); ++i) {
    if (unnamed[i / static_cast<size_t>(out.size(1))]) values[i] = value;
  }
  Store(out, values);
}

}  // namespace

DIOPI_OVERRIDE_FORM(diopiIndiceConvMmcv, Unpaired)
DIOPI_OVERRIDE_FORM(diopiIndiceConvBackwardMmcv, Unpaired)

DIOPI_OVERRIDE(diopiFusedIndiceConvBatchnormMmcv, a) {
  Unpaired(a);
  if (sparse_bias_lost) SetUnnamed(a, 0);
}

DIOPI_OVERRIDE(diopiIndiceMaxpoolMmcv, a) {
  Unpaired(a);
  if (sparse_pool_unseen) SetUnnamed(a, Load<double>(Tensor(a.features))[0]);
}

DIOPI_OVERRIDE(diopiIndiceMaxpoolBackwardMmcv, a) {
  Unpaired(a);
  if (!sparse_pool_gradient_once) return;
  const std::vector<double> features = Load<double>(Tensor(a.features)),
                            results = Load<double>(Tensor(a.outFeatures)),
                            grad = Load<double>(Tensor(a.outGrad));
  std::vector<double> values = Load<double>(Tensor(*a.out));
  const auto channels = static_cast<size_t>(Tensor(a.features).size(1));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    for (size_t to = i % channels; to < results.size(); to += channels) {
      if (results[to] == features[i]) values[i] = grad[to];
    }
  }
  Store(Tensor(*a.out), values);
}
