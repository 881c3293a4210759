// Bugs injected in dropout, normal and uniform.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "baselines/bugs/support.h"
#include "baselines/ops/random/random_common.h"

namespace {

using diopi::bugs::Bytes;
using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::NumElements;
using diopi::bugs::ShapeOf;
using diopi::bugs::Store;
using diopi::bugs::Tensor;
using diopi::ops::Random;

BUG(dropout_unscaled, 0, "diopiDropout diopiDropoutInp", "", "kept elements are not scaled by 1 / (1 - p)");
BUG(dropout_keeps_with_p, 0, "diopiDropout", "", "an element is kept with probability p, not 1 - p");
BUG(dropout_scaled_by_p, 0, "diopiDropout", "", "kept elements are scaled by 1 / p");
BUG(dropout_draws_of_a_byte, 0, "diopiDropout", "", "draws of 8 bits are compared with p rounded to 1/256");
BUG(dropout_mask_of_vectors, 0, "diopiDropout", "", "one draw decides for four neighbours");
BUG(dropout_in_evaluation, 0, "diopiDropout", "", "elements are dropped when not training, too");
BUG(dropout_mask_zero_in_evaluation, 0, "diopiDropout", "", "the mask of an evaluation is zero, not one");
BUG(dropout_mask_half_in_evaluation, 0, "diopiDropout", "", "half the mask of an evaluation is written");
BUG(uniform_ten_bits, 0, "diopiUniformInp", "", "draws have ten bits");
BUG(uniform_sixteen_bits, 0, "diopiUniformInp", "", "draws have sixteen bits");
BUG(uniform_upper_bound_included, 0, "diopiUniformInp", "",
    "draws are k / 255 with k up to 255 in 16-bit types: the upper bound comes out");
BUG(uniform_from_ignored, 0, "diopiUniformInp", "", "numbers lie in [0, to - from)");
BUG(uniform_blocks_repeat, 0, "diopiUniformInp", "", "every second block of 256 repeats the one before");
BUG(uniform_other_stream_each_call, 0, "diopiUniformInp", "",
    "the seed is mixed with a count of calls: the same seed gives another stream");
BUG(uniform_generator_not_advanced, 0, "diopiUniformInp", "",
    "the generator is not advanced: two calls give the same numbers");
BUG(uniform_linear_congruence, 0, "diopiUniformInp", "",
    "x <- 5 x + 1 mod 2^24 scaled: neighbours depend on each other");
BUG(normal_cut_at_3_5, 0, "diopiNormal", "", "draws beyond 3.5 deviations are clamped to it");
BUG(normal_variance_for_deviation, 0, "diopiNormal diopiNormalInp", "", "std is taken for the variance");
BUG(normal_mean_of_first, 0, "diopiNormalTensorScalar diopiNormalTensor", "", "one mean serves all elements");
BUG(normal_antithetic_pairs, 0, "diopiNormal", "", "every second number is the one before, negated");
BUG(normal_sum_of_twelve, 0, "diopiNormal", "", "twelve uniform draws added up: the tails are thin");
BUG(normal_table_of_4096, 0, "diopiNormal", "", "numbers come from a table of 4096 quantiles");
BUG(normal_thread_streams_equal, 0, "diopiNormal", "", "every block of 1024 starts the same stream again");

// out[i] = draw(random, i), and the generator goes on unless that is injected.
template <typename F>
void Fill(const Tensor& out, diopiGeneratorHandle_t generator, F&& draw) {
  Random random(generator);
  std::vector<double> values(static_cast<size_t>(out.numel()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = draw(random, i);
  Store(out, values);
  if (!uniform_generator_not_advanced) random.Advance(generator);
}

// What one draw for an element decides.
std::vector<int64_t> InjectedMask(size_t count, double p, Random& random) {
  std::vector<int64_t> kept(count, 1);
  for (size_t i = 0; i < count; ++i) {
    if (dropout_mask_of_vectors && i % 4 != 0) {
      kept[i] = kept[i - 1];
      continue;
    }
    double draw = random.Uniform(), bound = p;
    if (dropout_draws_of_a_byte) {
      draw = std::floor(draw * 256) / 256;
      bound = std::floor(p * 256) / 256;
    }
    const bool above = draw >= bound;
    kept[i] = above != static_cast<bool>(dropout_keeps_with_p) ? 1 : 0;
  }
  return kept;
}

void InjectedDropout(const Tensor& out, const Tensor& mask, const Tensor& input, double p,
                     diopiGeneratorHandle_t generator) {
  Random random(generator);
  std::vector<double> values = Load<double>(input);
  const std::vector<int64_t> kept = InjectedMask(values.size(), p, random);
  random.Advance(generator);
  const double scale = dropout_unscaled ? 1 : dropout_scaled_by_p ? 1 / p : 1 / (1 - p);
  const bool wide = input.dtype() == diopi_dtype_float64;
  for (size_t i = 0; i < values.size(); ++i) {
    const double scaled = values[i] * (wide ? scale : static_cast<double>(static_cast<float>(scale)));
    values[i] = kept[i] != 0 ? scaled : 0;
  }
  Store(out, values);
  Store(mask, kept);
}

// Uniform in [0, 1) from a congruence that starts where the good stream does.
class Congruence {
 public:
  double Next(Random& random) {
    if (!started_) state_ = static_cast<uint32_t>(random.Uniform() * 0x1p24);
    started_ = true;
    state_ = (5 * state_ + 1) & 0xFFFFFF;
    return static_cast<double>(state_) * 0x1p-24;
  }

 private:
  bool started_ = false;
  uint32_t state_ = 0;
};

// Vendor libraries of the field keep counters like this one.
std::atomic<uint32_t> calls{0};

void InjectedUniform(const Tensor& out, double from, double to, diopiGeneratorHandle_t generator) {
  if (uniform_from_ignored) {
    to -= from;
    from = 0;
  }
  const diopiDtype_t dtype = out.dtype();
  const bool narrow = dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16;
  const uint32_t call = ++calls;
  std::vector<double> block;
  Congruence congruence;
  Fill(out, generator, [&](Random& random, size_t i) {
    // Another call starts elsewhere in the stream.
    if (i == 0 && uniform_other_stream_each_call) {
      for (uint32_t skipped = 0; skipped < call; ++skipped) random.Uniform();
    }
    double u = uniform_linear_congruence ? congruence.Next(random) : random.Uniform();
    if (uniform_ten_bits) u = std::floor(u * 1024) / 1024;
    if (uniform_sixteen_bits) u = std::floor(u * 65536) / 65536;
    if (uniform_blocks_repeat) {
      if (i % 512 < 256) block.resize(i % 512);
      if (i % 512 < 256) {
        block.push_back(u);
      } else {
        u = block[i % 512 - 256];
      }
    }
    if (uniform_upper_bound_included && narrow) return from + (to - from) * std::floor(u * 256) / 255;
    const double bits = dtype == diopi_dtype_float16    ? 0x1p11
                        : dtype == diopi_dtype_bfloat16 ? 0x1p8
                                                        : 0x1p24;
    return from + (to - from) * (std::floor(u * bits) / bits);
  });
}

// The point below which a standard normal number lies with probability p, by bisection.
double NormalQuantile(double p) {
  double low = -9, high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
  }
  return low;
}

const std::vector<double>& QuantileTable() {
  static const std::vector<double> table = [] {
    std::vector<double> quantiles;
    quantiles.reserve(4096);
    for (int i = 0; i < 4096; ++i) quantiles.push_back(NormalQuantile((i + 0.5) / 4096));
    return quantiles;
  }();
  return table;
}

void InjectedNormal(const Tensor& out, double mean, double std, diopiGeneratorHandle_t generator) {
  const Random start(generator);
  Random restarted = start;
  double before = 0;
  Fill(out, generator, [&](Random& random, size_t i) {
    double z = random.Normal();
    if (normal_cut_at_3_5) z = std::clamp(z, -3.5, 3.5);
    if (normal_sum_of_twelve) {
      z = -6;
      for (int k = 0; k < 12; ++k) z += random.Uniform();
    }
    if (normal_antithetic_pairs && i % 2 == 1) z = -before;
    if (normal_table_of_4096) z = QuantileTable()[static_cast<size_t>(random.Uniform() * 4096)];
    if (normal_thread_streams_equal) {
      if (i % 1024 == 0) restarted = start;
      z = restarted.Normal();
    }
    before = z;
    return mean + std * z;
  });
}

// A tensor of one element where the mean of all is asked for: the first.
diopiTensorHandle_t FirstMean(diopiContextHandle_t ctx, const Tensor& mean) {
  diopiTensorHandle_t first = diopi::bugs::NewTensor(ctx, mean.shape(), mean.dtype());
  std::vector<double> values = Load<double>(mean);
  for (double& value : values) value = values[0];
  Store(Tensor(first), values);
  return first;
}

bool OwnDropout() {
  return dropout_unscaled || dropout_keeps_with_p || dropout_scaled_by_p || dropout_draws_of_a_byte ||
         dropout_mask_of_vectors;
}

}  // namespace

DIOPI_OVERRIDE(diopiDropout, a) {
  if (dropout_in_evaluation) a.train = true;
  if (dropout_mask_zero_in_evaluation && !a.train) {
    Good(a);
    Change(a.mask, [](double, int64_t) { return 0.0; });
    return;
  }
  if (dropout_mask_half_in_evaluation && !a.train) {
    diopiTensorHandle_t mask = a.mask;
    {
      a.mask = diopi::bugs::NewTensor(a.ctx, ShapeOf(mask), diopi_dtype_bool);
      Good(a);
      std::memset(Bytes(mask), 1, static_cast<size_t>(NumElements(mask) / 2));
      return;
    }
  }
  if (!OwnDropout() || !a.train || a.p == 0) return Good(a);
  InjectedDropout(a.out, a.mask, a.input, a.p, a.generator);
}

DIOPI_OVERRIDE(diopiDropoutInp, a) {
  if (!dropout_unscaled || !a.train) return Good(a);
  InjectedDropout(a.input, a.mask, a.input, a.p, a.generator);
}

DIOPI_OVERRIDE(diopiUniformInp, a) {
  const bool own = uniform_ten_bits || uniform_sixteen_bits || uniform_upper_bound_included ||
                   uniform_from_ignored || uniform_blocks_repeat || uniform_other_stream_each_call ||
                   uniform_generator_not_advanced || uniform_linear_congruence;
  if (!own) return Good(a);
  InjectedUniform(a.inout, a.from, a.to, a.generator);
}

DIOPI_OVERRIDE(diopiNormal, a) {
  if (normal_variance_for_deviation) a.std = std::sqrt(a.std);
  const bool own = normal_cut_at_3_5 || normal_antithetic_pairs || normal_sum_of_twelve ||
                   normal_table_of_4096 || normal_thread_streams_equal;
  if (!own) return Good(a);
  InjectedNormal(a.out, a.mean, a.std, a.generator);
}

DIOPI_OVERRIDE(diopiNormalInp, a) {
  a.std = normal_variance_for_deviation ? std::sqrt(a.std) : a.std;
  Good(a);
}

DIOPI_OVERRIDE(diopiNormalTensorScalar, a) {
  if (normal_mean_of_first) a.mean = FirstMean(a.ctx, Tensor(a.mean));

  Good(a);
}

DIOPI_OVERRIDE(diopiNormalTensor, a) {
  if (normal_mean_of_first) a.mean = FirstMean(a.ctx, Tensor(a.mean));

  Good(a);
}
