// Other generators: mt19937, other ways from its bits to uniform and normal numbers and to dropout's choices.
// Deterministic by seed and offset; the offset moves on by one a call.
#include <array>
#include <numbers>
#include <random>

#include "baselines/injected/injected.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(uniform_mt19937, "diopiUniformInp", "", "as many of 53 bits of mt19937-64 as the type holds");
VARIANT(uniform_float_24, "diopiUniformInp", "",
        "24 bits, from + (to - from) * u in float32, rounded to the type; `to` itself becomes `from`");
constexpr char kNormal[] =
    "diopiNormal diopiNormalInp diopiNormalTensorScalar diopiNormalScalarTensor diopiNormalTensor";
VARIANT(normal_box_muller_pairs, kNormal, "", "sine and cosine of Box and Muller's transform, in float32");
VARIANT(normal_inverse_cdf, kNormal, "", "the inverse of the normal distribution");
VARIANT(normal_ziggurat, kNormal, "", "Marsaglia and Tsang's ziggurat with 128 layers");
VARIANT(normal_polar, kNormal, "", "Marsaglia's polar method");
constexpr char kDropout[] = "diopiDropout diopiDropoutInp";
VARIANT(dropout_integer_compare, kDropout, "", "32 bits compared with p * 2^32");
VARIANT(dropout_float_below_keep, kDropout, "", "a 24-bit number below 1 - p keeps; divided by 1 - p");
VARIANT(dropout_mask_unwritten, kDropout, "", "evaluation leaves the mask as it is");

class Bits {
 public:
  explicit Bits(diopiGeneratorHandle_t generator) {
    diopiGeneratorGetSeedAndOffset(generator, &seed_, &offset_);
    std::seed_seq sequence{static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32),
                           static_cast<uint32_t>(offset_), static_cast<uint32_t>(offset_ >> 32)};
    engine_.seed(sequence);
  }
  void Advance(diopiGeneratorHandle_t generator) const {
    diopiGeneratorSetSeedAndOffset(generator, seed_, offset_ + 1);
  }
  uint64_t Next() { return engine_(); }
  // In [0, 1), the highest `bits` bits.
  double Uniform(int bits) { return std::ldexp(static_cast<double>(Next() >> (64 - bits)), -bits); }
  // In (0, 1).
  double Open() { return (static_cast<double>(Next() >> 12) + 0.5) * 0x1p-52; }

 private:
  uint64_t seed_ = 0;
  uint64_t offset_ = 0;
  std::mt19937_64 engine_;
};

// The inverse of the normal distribution, by bisection-safe Newton steps on erfc from Tukey's estimate.
double InverseCdf(double p) {
  double x = (std::pow(p, 0.135) - std::pow(1 - p, 0.135)) / 0.1975;
  for (int step = 0; step < 8; ++step) {
    const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - p;
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    const double newton = error / density;
    x -= newton / (1 + 0.5 * x * newton);  // Halley's
  }
  return x;
}

// Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables", 2000, in Doornik's form.
class Ziggurat {
 public:
  Ziggurat() {
    const double top = Density(kTail);
    edges_[0] = kArea / top;
    edges_[1] = kTail;
    for (size_t i = 2; i < kLayers; ++i)
      edges_[i] = std::sqrt(-2 * std::log(kArea / edges_[i - 1] + Density(edges_[i - 1])));
    edges_[kLayers] = 0;
  }

  double Draw(Bits& bits) const {
    for (;;) {
      const size_t layer = static_cast<size_t>(bits.Next() % kLayers);
      const double u = 2 * bits.Open() - 1, x = u * edges_[layer];
      if (std::fabs(x) < edges_[layer + 1]) return x;
      if (layer == 0) return Tail(bits, u < 0);
      const double low = Density(edges_[layer]), high = Density(edges_[layer + 1]);
      if (low + bits.Open() * (high - low) < Density(x)) return x;
    }
  }

 private:
  static constexpr size_t kLayers = 128;
  static constexpr double kTail = 3.442619855899, kArea = 9.91256303526217e-3;

  static double Density(double x) { return std::exp(-0.5 * x * x); }
  static double Tail(Bits& bits, bool negative) {
    double x = 0, y = 0;
    do {
      x = std::log(bits.Open()) / kTail;
      y = std::log(bits.Open());
    } while (-2 * y < x * x);
    return negative ? x - kTail : kTail - x;
  }

  std::array<double, kLayers + 1> edges_{};
};

// Draws standard normal numbers in order.
class Normals {
 public:
  explicit Normals(diopiGeneratorHandle_t generator) : bits_(generator) {}
  double Draw() {
    if (normal_inverse_cdf) return InverseCdf(bits_.Open());
    if (normal_ziggurat) return ziggurat_.Draw(bits_);
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    has_spare_ = true;
    return normal_polar ? Polar() : BoxMuller();
  }
  const Bits& bits() const { return bits_; }

 private:
  double BoxMuller() {
    const float u = static_cast<float>(bits_.Uniform(24)) + 0x1p-25F;
    const float angle = 2.0F * std::numbers::pi_v<float> * static_cast<float>(bits_.Uniform(24));
    const float radius = std::sqrt(-2.0F * std::log(u));
    spare_ = static_cast<double>(radius * std::sin(angle));
    return static_cast<double>(radius * std::cos(angle));
  }
  double Polar() {
    double a = 0, b = 0, s = 0;
    do {
      a = 2 * bits_.Open() - 1;
      b = 2 * bits_.Open() - 1;
      s = a * a + b * b;
    } while (s >= 1 || s == 0);
    const double scale = std::sqrt(-2 * std::log(s) / s);
    spare_ = b * scale;
    return a * scale;
  }

  Bits bits_;
  Ziggurat ziggurat_;
  double spare_ = 0;
  bool has_spare_ = false;
};

bool NormalChosen() {
  return normal_box_muller_pairs || normal_inverse_cdf || normal_ziggurat || normal_polar;
}

std::vector<double> Same(double value, diopiTensorHandle_t out) {
  return std::vector<double>(static_cast<size_t>(Tensor(out).numel()), value);
}

void FillNormal(diopiTensorHandle_t out, const std::vector<double>& mean, const std::vector<double>& std,
                diopiGeneratorHandle_t generator) {
  const Tensor result(out);
  Normals normals(generator);
  std::vector<double> values(mean.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = mean[i] + std[i] * normals.Draw();
  Store(result, values);
  normals.bits().Advance(generator);
}

std::vector<double> LoadTo(diopiConstTensorHandle_t tensor, diopiTensorHandle_t out) {
  return LoadAs<double>(Tensor(tensor), Tensor(out).shape());
}

int MantissaBits(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float16) return 11;
  if (dtype == diopi_dtype_bfloat16) return 8;
  return dtype == diopi_dtype_float32 ? 24 : 53;
}

double UniformFloat24(Bits& bits, double from, double to, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float64) return from + (to - from) * bits.Uniform(53);
  const float low = static_cast<float>(from), high = static_cast<float>(to);
  const float x = static_cast<float>(bits.Uniform(24)) * (high - low) + low;
  const double stored = RoundedTo(dtype, static_cast<double>(x));
  return stored == RoundedTo(dtype, to) ? from : stored;
}

void Dropout(diopiTensorHandle_t out, diopiTensorHandle_t mask, diopiConstTensorHandle_t input, double p,
             diopiGeneratorHandle_t generator) {
  const Tensor result(out), x(input);
  Bits bits(generator);
  std::vector<int64_t> kept(static_cast<size_t>(x.numel()));
  const auto threshold = static_cast<uint64_t>(p * 0x1p32);
  for (int64_t& keep : kept) {
    keep = dropout_integer_compare ? (bits.Next() >> 32) >= threshold : bits.Uniform(24) < 1 - p;
  }
  bits.Advance(generator);
  DispatchReal(x.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(x);
    const C scale = static_cast<C>(1.0 / (1.0 - p)), rest = static_cast<C>(1.0 - p);
    for (size_t i = 0; i < values.size(); ++i) {
      const C scaled = dropout_integer_compare ? values[i] * scale : values[i] / rest;
      values[i] = kept[i] != 0 ? scaled : C(0);
    }
    Store(result, values);
  });
  Store(Tensor(mask), kept);
}

// Everything dropped, or nothing drawn: the reference's.
bool DropoutChosen(double p, bool train) {
  return (dropout_integer_compare || dropout_float_below_keep) && train && p >= 0 && p < 1;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiUniformInp, a) {
  if (!uniform_mt19937 && !uniform_float_24) return Good(a);
  const Tensor out(a.inout);
  Bits bits(a.generator);
  std::vector<double> values(static_cast<size_t>(out.numel()));
  for (double& value : values) {
    value = uniform_float_24 ? UniformFloat24(bits, a.from, a.to, out.dtype())
                             : a.from + (a.to - a.from) * bits.Uniform(MantissaBits(out.dtype()));
  }
  Store(out, values);
  bits.Advance(a.generator);
}

DIOPI_OVERRIDE(diopiNormal, a) {
  if (!NormalChosen()) return Good(a);
  FillNormal(a.out, Same(a.mean, a.out), Same(a.std, a.out), a.generator);
}

DIOPI_OVERRIDE(diopiNormalInp, a) {
  if (!NormalChosen()) return Good(a);
  FillNormal(a.inout, Same(a.mean, a.inout), Same(a.std, a.inout), a.generator);
}

DIOPI_OVERRIDE(diopiNormalTensorScalar, a) {
  if (!NormalChosen()) return Good(a);
  FillNormal(a.out, LoadTo(a.mean, a.out), Same(a.std, a.out), a.generator);
}

DIOPI_OVERRIDE(diopiNormalScalarTensor, a) {
  if (!NormalChosen()) return Good(a);
  FillNormal(a.out, Same(a.mean, a.out), LoadTo(a.std, a.out), a.generator);
}

DIOPI_OVERRIDE(diopiNormalTensor, a) {
  if (!NormalChosen()) return Good(a);
  FillNormal(a.out, LoadTo(a.mean, a.out), LoadTo(a.std, a.out), a.generator);
}

namespace {

// What a dropout that writes no mask in evaluation gives the good one.
diopiTensorHandle_t MaskFor(diopiContextHandle_t ctx, diopiTensorHandle_t mask, bool train) {
  if (!dropout_mask_unwritten || train) return mask;
  const Tensor own(mask);
  return RequireTensor(ctx, own.shape(), own.dtype());
}

}  // namespace

DIOPI_OVERRIDE(diopiDropout, a) {
  if (!DropoutChosen(a.p, a.train)) {
    a.mask = MaskFor(a.ctx, a.mask, a.train);
    return Good(a);
  }
  Dropout(a.out, a.mask, a.input, a.p, a.generator);
}

DIOPI_OVERRIDE(diopiDropoutInp, a) {
  if (!DropoutChosen(a.p, a.train)) {
    a.mask = MaskFor(a.ctx, a.mask, a.train);
    return Good(a);
  }
  Dropout(a.input, a.mask, a.input, a.p, a.generator);
}
