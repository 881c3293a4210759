// multinomial: indices drawn by the weights of each row, with or without replacement.
#include <algorithm>
#include <limits>
#include <utility>

#include "baselines/ops/random/random_common.h"

namespace diopi::ops {
namespace {

using Weights = std::vector<double>;

// Independent draws.
void DrawEach(Random& random, const Weights& weights, int64_t count, std::vector<int64_t>* out) {
  Weights sums;
  double sum = 0;
  for (const double w : weights) sums.push_back(sum += w);
  for (int64_t i = 0; i < count; ++i) {
    const auto at = std::upper_bound(sums.begin(), sums.end(), random.Uniform() * sum);
    // Rounding up to the sum itself would be beyond every weight.
    auto index = std::min<int64_t>(at - sums.begin(), static_cast<int64_t>(sums.size()) - 1);
    while (index > 0 && !(weights[static_cast<size_t>(index)] > 0)) --index;
    out->push_back(index);
  }
}

// The first `count` to arrive, where each arrival time is exponential with the weight as its rate.
void DrawDistinct(Random& random, const Weights& weights, int64_t count, std::vector<int64_t>* out) {
  std::vector<std::pair<double, int64_t>> arrivals;
  for (size_t k = 0; k < weights.size(); ++k) {
    const double time = -std::log(1 - random.Uniform()) / weights[k];
    arrivals.emplace_back(weights[k] > 0 ? time : std::numeric_limits<double>::infinity(),
                          static_cast<int64_t>(k));
  }
  std::sort(arrivals.begin(), arrivals.end());
  for (int64_t i = 0; i < count; ++i) out->push_back(arrivals[static_cast<size_t>(i)].second);
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiMultinomial, a) {
  using namespace diopi::ops;
  const Tensor out(a.out), input(a.input);
  Check(input.rank() == 1 || input.rank() == 2, "input must have one dimension or two");
  Shape shape = input.shape();
  const int64_t length = shape.back();
  Check(a.num_samples > 0 && length > 0, "nothing to draw");
  Check(a.replacement || a.num_samples <= length, a.num_samples, " draws of ", length,
        " without replacement");
  shape.back() = a.num_samples;
  CheckShape(out, shape, "out");
  const Weights all = Load<double>(input);
  Random random(a.generator);
  std::vector<int64_t> drawn;
  for (auto row = all.begin(); row != all.end(); row += length) {
    const Weights weights(row, row + length);
    if (a.replacement) {
      DrawEach(random, weights, a.num_samples, &drawn);
    } else {
      DrawDistinct(random, weights, a.num_samples, &drawn);
    }
  }
  Store(out, drawn);
  random.Advance(a.generator);
}
