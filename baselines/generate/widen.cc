// The oracle is the reference library called with wider element types. This file makes those inputs (each
// value with the variance of one rounding, or passed through a power) and takes the results apart: r is
// rounded to float64, what it loses is kept as `low` for float64 outputs, and sigma is stored as float32
// except there. Infinite and NaN values get no noise, because they are compared exactly.
#include "baselines/generate/widen.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

// The reference library's layout of its two internal types (proto/diopi/v1/tensor.proto).
struct Noise64 {
  double v;
  double s2;
};
struct Noise80 {
  long double v;
  long double s2;
};
static_assert(sizeof(Noise64) == 16 && sizeof(Noise80) == 32);

constexpr double kUnit32 = 0x1p-24;
constexpr double kUnit64 = 0x1p-53;
constexpr long double kHalfStep32 = 0x1p-150L;  // of subnormal numbers
constexpr long double kHalfStep64 = 0x1p-1075L;

template <typename T>
T ElementAt(const HostTensor& tensor, size_t i) {
  T value;
  std::memcpy(&value, tensor.data.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void SetElement(HostTensor* tensor, size_t i, const T& value) {
  std::memcpy(tensor->data.data() + i * sizeof(T), &value, sizeof(T));
}

HostTensor Empty(Dtype dtype, const std::vector<int64_t>& shape) {
  HostTensor tensor{dtype, shape, {}};
  tensor.data.resize(static_cast<size_t>(NumElements(shape) * ElementSize(dtype)));
  return tensor;
}

// Computed in the variance's own type, because squares of small float64 values do not fit a double.
template <typename V>
V LeafVariance(double value, double unit) {
  const V error = static_cast<V>(unit) * static_cast<V>(value);
  return std::isfinite(value) ? error * error / 3 : V(0);
}

template <typename N>
HostTensor WidenOne(const HostTensor& tensor, Dtype noise, double unit) {
  HostTensor wide = Empty(noise, tensor.shape);
  const size_t count = static_cast<size_t>(NumElements(tensor.shape));
  for (size_t i = 0; i < count; ++i) {
    const double value = ElementAsDouble(tensor.dtype, tensor.data.data(), static_cast<int64_t>(i));
    N element{};
    element.v = value;
    element.s2 = LeafVariance<decltype(element.s2)>(value, unit);
    SetElement(&wide, i, element);
  }
  return wide;
}

// Up where T would lose digits of it, or all: a few subnormal steps must not become none.
template <typename T>
T Stored(long double sigma) {
  const T nearest = static_cast<T>(sigma);
  const bool less = nearest < sigma && nearest < std::numeric_limits<T>::min();
  return less ? std::nextafter(nearest, T(1)) : nearest;
}

// A value that is NaN or infinite has no noise; where the variance overflowed, any number passes.
double SigmaOf(double value, long double variance) {
  if (!std::isfinite(value)) return 0.0;
  const double sigma = Stored<double>(std::sqrt(variance));
  return std::isfinite(sigma) ? sigma : double{std::numeric_limits<float>::max()};
}

Expected NewExpected(const std::vector<int64_t>& shape, Dtype output) {
  Expected expected;
  expected.has_low = output == D::float64;
  expected.r = Empty(D::float64, shape);
  expected.sigma = Empty(expected.has_low ? D::float64 : D::float32, shape);
  if (expected.has_low) expected.low = Empty(D::float64, shape);
  return expected;
}

void SetExpected(Expected* expected, size_t i, long double value, double sigma) {
  const double r = static_cast<double>(value);
  SetElement(&expected->r, i, r);
  if (expected->has_low) {
    SetElement(&expected->sigma, i, sigma);
    SetElement(&expected->low, i,
               std::isfinite(r) ? static_cast<double>(value - static_cast<long double>(r)) : 0.0);
  } else {
    const double most = double{std::numeric_limits<float>::max()};
    SetElement(&expected->sigma, i, Stored<float>(std::fmin(sigma, most)));
  }
}

template <typename N>
Expected Split(const HostTensor& noise, Dtype output) {
  Expected expected = NewExpected(noise.shape, output);
  const size_t count = static_cast<size_t>(NumElements(noise.shape));
  for (size_t i = 0; i < count; ++i) {
    const N element = ElementAt<N>(noise, i);
    SetExpected(&expected, i, element.v, SigmaOf(static_cast<double>(element.v), element.s2));
  }
  return expected;
}

double Passed(Power power, double x, size_t i) {
  switch (power) {
    case Power::kZero:
      return 1.0;
    case Power::kTwo:
      return x * x;
    case Power::kAbs:
      return std::fabs(x);
    case Power::kProbe:  // the high bits of a multiplicative hash
      return static_cast<double>((((i + 1) * uint64_t{0x9e3779b97f4a7c15}) >> 40) % 17) - 8;
    default:
      return x;
  }
}

}  // namespace

TensorMap WidenToNoise(const TensorMap& tensors, Dtype noise) {
  TensorMap wide;
  for (const auto& [key, tensor] : tensors) {
    if (!IsFloating(tensor.dtype)) {
      wide.emplace(key, tensor);
    } else if (noise == D::noise80) {
      wide.emplace(key, WidenOne<Noise80>(tensor, noise, kUnit64));
    } else {
      wide.emplace(key, WidenOne<Noise64>(tensor, noise, kUnit32));
    }
  }
  return wide;
}

TensorMap WidenToFloat64(const TensorMap& tensors, Power power) {
  TensorMap wide;
  for (const auto& [key, tensor] : tensors) {
    if (!IsFloating(tensor.dtype)) {
      wide.emplace(key, tensor);
      continue;
    }
    HostTensor values = Empty(D::float64, tensor.shape);
    const size_t count = static_cast<size_t>(NumElements(tensor.shape));
    for (size_t i = 0; i < count; ++i) {
      const double x = ElementAsDouble(tensor.dtype, tensor.data.data(), static_cast<int64_t>(i));
      SetElement(&values, i, Passed(power, x, i));
    }
    wide.emplace(key, std::move(values));
  }
  return wide;
}

HostTensor ToFloat32(const HostTensor& float64) {
  HostTensor narrow = Empty(D::float32, float64.shape);
  const size_t count = static_cast<size_t>(NumElements(float64.shape));
  for (size_t i = 0; i < count; ++i) {
    SetElement(&narrow, i, static_cast<float>(ElementAt<double>(float64, i)));
  }
  return narrow;
}

absl::StatusOr<Expected> SplitNoise(const HostTensor& noise, Dtype output) {
  if (noise.dtype == D::noise64) return Split<Noise64>(noise, output);
  if (noise.dtype == D::noise80) return Split<Noise80>(noise, output);
  return absl::InternalError(absl::StrCat("the oracle gave ", std::string(DtypeName(noise.dtype)),
                                          " where a noise type was expected"));
}

absl::StatusOr<Expected> LinearNoise(const HostTensor& r, const HostTensor& q2, const HostTensor& n,
                                     Dtype output) {
  const bool wide = r.dtype == D::noise80;
  if ((!wide && r.dtype != D::float64) || q2.dtype != D::float64 || n.dtype != D::float64) {
    return absl::InternalError("the oracle of a linear operator did not give float64");
  }
  const double unit = output == D::float64 ? kUnit64 : kUnit32;
  const long double step = output == D::float64 ? kHalfStep64 : kHalfStep32;
  Expected expected = NewExpected(r.shape, output);
  const size_t count = static_cast<size_t>(NumElements(r.shape));
  for (size_t i = 0; i < count; ++i) {
    const long double value =
        wide ? ElementAt<Noise80>(r, i).v : static_cast<long double>(ElementAt<double>(r, i));
    const long double q = ElementAt<double>(q2, i);
    const long double terms = std::fmax(ElementAt<double>(n, i) - 1, 0.0);
    const long double variance = unit * unit / 3 * (terms * (q / 2 + value * value / 3) + q) +
                                 (q > 0 || value != 0 ? (terms + 1) * step * step / 3 : 0);
    SetExpected(&expected, i, value, SigmaOf(static_cast<double>(value), variance));
  }
  return expected;
}

void WidenSigma(const Expected& other, Expected* expected) {
  HostTensor& sigma = expected->sigma;
  for (int64_t i = 0; i < NumElements(sigma.shape); ++i) {
    const double mine = ElementAsDouble(sigma.dtype, sigma.data.data(), i);
    const double theirs = ElementAsDouble(other.sigma.dtype, other.sigma.data.data(), i);
    if (theirs > mine) StoreDouble(sigma.dtype, sigma.data.data(), i, theirs);
  }
}

}  // namespace diopi::baselines
