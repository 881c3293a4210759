#include "baselines/diagnose/operands.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cases/base/dtype.h"
#include "cases/findings/finding.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

// `x` with `bits` significant bits, to nearest with ties to even, or toward zero.
double Cut(double x, int bits, bool nearest) {
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(x, &exponent), bits);
  if (!std::isfinite(x)) return x;
  return std::ldexp(nearest ? std::nearbyint(scaled) : std::trunc(scaled), exponent - bits);
}

constexpr int kTf32 = 11, kBfloat16 = 8;

template <typename Change>
TensorMap Mapped(const TensorMap& inputs, Change&& change) {
  TensorMap mapped = inputs;
  for (auto& [key, tensor] : mapped) {
    // Operands that are added, not multiplied, keep their bits.
    if (tensor.dtype != D::float32 || key == "bias") continue;
    for (int64_t i = 0; i < NumElements(tensor.shape); ++i) {
      StoreDouble(D::float32, tensor.data.data(), i,
                  change(ElementAsDouble(D::float32, tensor.data.data(), i)));
    }
  }
  return mapped;
}

double High(double x) {
  return Cut(x, kBfloat16, true);
}
double Middle(double x) {
  return std::isfinite(x) ? Cut(x - High(x), kBfloat16, true) : 0;
}

}  // namespace

std::vector<RoundedOperands> NarrowOperands(const v1::Case& c, const TensorMap& inputs) {
  const bool products = std::any_of(c.judges().begin(), c.judges().end(), [](const v1::Judge& judge) {
    return judge.kind() == v1::Judge::ACCUMULATION && judge.arithmetic() != v1::Judge::PLAIN;
  });
  if (!products || c.dtype() != D::float32) return {};
  const auto rounded = [&](int bits, bool nearest) {
    return Mapped(inputs, [=](double x) { return Cut(x, bits, nearest); });
  };
  const auto half = [](double x) {
    char bytes[2] = {};
    StoreDouble(D::float16, bytes, 0, x);
    return ElementAsDouble(D::float16, bytes, 0);
  };
  using F = v1::Finding;
  std::vector<RoundedOperands> all;
  all.push_back({Found(F::OPERANDS_ROUNDED).Word("TF32"), rounded(kTf32, true), {}, "tf32"});
  // Ties away from zero, as converting instructions round; a tie in one operand shows.
  all.push_back({Found(F::OPERANDS_ROUNDED).Word("tf32_ties_away"),
                 Mapped(inputs, [](double x) { return Cut(x + std::ldexp(x, -kTf32 - 20), kTf32, true); }),
                 {},
                 "tf32"});
  all.push_back({Found(F::OPERANDS_CUT).Word("TF32"), rounded(kTf32, false), {}, "tf32"});
  all.push_back({Found(F::OPERANDS_ROUNDED).Word("bfloat16"), rounded(kBfloat16, true), {}, ""});
  all.push_back({Found(F::OPERANDS_CUT).Word("bfloat16"), rounded(kBfloat16, false), {}, ""});
  all.push_back({Found(F::OPERANDS_ROUNDED).Word("float16"), Mapped(inputs, half), {}, ""});
  // x = high + middle + rest: three of the four products of two bfloat16 numbers each.
  all.push_back({Found(F::OPERANDS_SPLIT), Mapped(inputs, [](double x) { return High(x) + Middle(x); }),
                 Mapped(inputs, Middle), ""});
  return all;
}

}  // namespace diopi::baselines
