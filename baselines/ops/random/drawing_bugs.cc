// Bugs injected in random, randperm, bernoulli and multinomial.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "baselines/bugs/support.h"
#include "baselines/ops/random/random_common.h"

namespace {

using diopi::bugs::Load;
using diopi::bugs::NewTensor;
using diopi::bugs::Store;
using diopi::bugs::Tensor;
using diopi::ops::Random;

BUG(random_limit_included, 0, "diopiRandomInp", "", "`to` itself is drawn, too");
BUG(random_from_ignored_without_limit, 0, "diopiRandomInp", "", "without `to` numbers start at 0");
BUG(random_int64_of_31_bits, 0, "diopiRandomInp", "", "without `to` an int64 has 31 bits");
BUG(randperm_in_blocks, 0, "diopiRandperm", "", "every 512 numbers are shuffled among themselves");
BUG(randperm_with_replacement, 0, "diopiRandperm", "", "each number is drawn from all");
BUG(randperm_rotates, 0, "diopiRandperm", "", "the numbers start at a random one and stay in order");
BUG(bernoulli_inverted, 0, "diopiBernoulli diopiBernoulliInp diopiBernoulliScalar", "",
    "0 is drawn with the probability of 1");
BUG(bernoulli_first_probability, 0, "diopiBernoulli", "", "the first probability serves all elements");
BUG(bernoulli_draws_of_a_byte, 0, "diopiBernoulliScalar", "", "draws have 8 bits, and p is rounded to 1/256");
BUG(multinomial_weights_ignored, 0, "diopiMultinomial", "", "all weights above 0 are taken as 1");
BUG(multinomial_first_rows_weights, 0, "diopiMultinomial", "", "the first row's weights serve all rows");
BUG(multinomial_always_replaces, 0, "diopiMultinomial", "", "an index is drawn again without replacement");
BUG(multinomial_draws_in_pairs, 0, "diopiMultinomial", "", "every second draw of a row is the one before");

int64_t Below(Random& random, size_t count) {
  return static_cast<int64_t>(random.Uniform() * static_cast<double>(count));
}

void InjectedPermutation(const Tensor& out, diopiGeneratorHandle_t generator) {
  Random random(generator);
  std::vector<int64_t> values(static_cast<size_t>(out.numel()));
  std::iota(values.begin(), values.end(), int64_t{0});
  const size_t n = values.size();
  if (randperm_with_replacement) {
    for (int64_t& value : values) value = Below(random, n);
  } else if (randperm_rotates) {
    std::rotate(values.begin(), values.begin() + (n > 0 ? Below(random, n) : 0), values.end());
  } else {
    for (size_t start = 0; start < n; start += 512) {
      const size_t length = std::min<size_t>(512, n - start);
      for (size_t i = length; i > 1; --i) {
        std::swap(values[start + i - 1], values[start + static_cast<size_t>(Below(random, i))]);
      }
    }
  }
  random.Advance(generator);
  Store(out, values);
}

diopiTensorHandle_t Weights(diopiContextHandle_t ctx, const Tensor& input) {
  diopiTensorHandle_t copy = NewTensor(ctx, input.shape(), input.dtype());
  std::vector<double> values = Load<double>(input);
  const auto length = static_cast<size_t>(input.shape().back());
  for (size_t i = 0; i < values.size(); ++i) {
    if (multinomial_first_rows_weights) values[i] = values[i % length];
    if (multinomial_weights_ignored) values[i] = values[i] > 0 ? 1 : 0;
  }
  Store(Tensor(copy), values);
  return copy;
}

// 1 - p, or everywhere the first p.
diopiTensorHandle_t Probabilities(diopiContextHandle_t ctx, diopiConstTensorHandle_t input) {
  const std::vector<double> given = Load<double>(Tensor(input));
  return diopi::bugs::Replaced(ctx, input, [&](double p, int64_t) {
    const double used = bernoulli_first_probability ? given[0] : p;
    return bernoulli_inverted ? 1 - used : used;
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiRandomInp, a) {
  const int64_t limit = random_limit_included && a.to != nullptr ? *a.to + 1 : int64_t{1} << 31;
  const bool narrow = random_int64_of_31_bits && diopi::bugs::DtypeOf(a.inout) == diopi_dtype_int64;
  if (a.to == nullptr ? narrow : static_cast<bool>(random_limit_included)) a.to = &limit;
  if (a.to == nullptr && random_from_ignored_without_limit) a.from = 0;
  Good(a);
}

DIOPI_OVERRIDE(diopiRandperm, a) {
  if (!randperm_in_blocks && !randperm_with_replacement && !randperm_rotates) return Good(a);
  InjectedPermutation(Tensor(a.out), a.generator);
}

DIOPI_OVERRIDE(diopiBernoulli, a) {
  if ((bernoulli_inverted || bernoulli_first_probability) && diopi::bugs::NumElements(a.input) > 0) {
    a.input = Probabilities(a.ctx, a.input);
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiBernoulliInp, a) {
  if (bernoulli_inverted) diopi::bugs::Change(a.inout, [](double p, int64_t) { return 1 - p; });
  Good(a);
}

DIOPI_OVERRIDE(diopiBernoulliScalar, a) {
  if (bernoulli_inverted) a.p = 1 - a.p;
  if (bernoulli_draws_of_a_byte) a.p = std::floor(a.p * 256) / 256;
  Good(a);
}

DIOPI_OVERRIDE(diopiMultinomial, a) {
  if (multinomial_weights_ignored || multinomial_first_rows_weights)
    a.input = Weights(a.ctx, Tensor(a.input));
  if (multinomial_always_replaces) a.replacement = true;
  Good(a);
  if (!multinomial_draws_in_pairs || !a.replacement) return;
  std::vector<int64_t> drawn = Load<int64_t>(Tensor(a.out));
  for (size_t i = 1; i < drawn.size(); i += 2) drawn[i] = drawn[i - 1];
  Store(Tensor(a.out), drawn);
}
