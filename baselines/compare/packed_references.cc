#include "baselines/compare/packed_references.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "baselines/compare/judging.h"
#include "cases/core/reference_key.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

constexpr double kValueError = 0x1p-32;
constexpr double kNarrowValueError = 0x1p-24;  // of outputs with 16 bits
constexpr double kSigmaError = 0x1p-8;

HostTensor Like(const HostTensor& tensor, Dtype dtype) {
  HostTensor made{dtype, tensor.shape, {}};
  made.data.resize(static_cast<size_t>(NumElements(tensor.shape) * ElementSize(dtype)));
  return made;
}

bool IsWithin(double packed, double value, double error) {
  if (!std::isfinite(value)) return packed == value || (std::isnan(packed) && std::isnan(value));
  return std::fabs(packed - value) <= error * std::fabs(value);
}

struct Parts {
  HostTensor value;
  HostTensor low;
  HostTensor sigma;
};

// Nothing of it may be used where it is false.
bool Pack(const HostTensor& value, const HostTensor& sigma, bool narrow, Parts* parts) {
  parts->value = Like(value, D::float32);
  parts->low = Like(value, D::bfloat16);
  parts->sigma = Like(value, D::bfloat16);
  for (int64_t i = 0; i < NumElements(value.shape); ++i) {
    const double r = ElementAsDouble(value, i);
    StoreDouble(D::float32, parts->value.data.data(), i, r);
    const double high = ElementAsDouble(parts->value, i);
    const double rest = std::isfinite(r) && std::isfinite(high) ? r - high : 0;
    StoreDouble(D::bfloat16, parts->low.data.data(), i, rest);
    StoreDouble(D::bfloat16, parts->sigma.data.data(), i, ElementAsDouble(sigma, i));
    const double packed = narrow ? high : high + ElementAsDouble(parts->low, i);
    if (!IsWithin(packed, r, narrow ? kNarrowValueError : kValueError) ||
        !IsWithin(ElementAsDouble(parts->sigma, i), ElementAsDouble(sigma, i), kSigmaError))
      return false;
  }
  return true;
}

bool IsConstant(const HostTensor& tensor) {
  const int64_t count = NumElements(tensor.shape);
  for (int64_t i = 1; i < count; ++i) {
    if (ElementAsDouble(tensor, i) != ElementAsDouble(tensor, 0)) return false;
  }
  return count > 0;
}

// The outputs that have this part.
std::vector<std::string> OutputsWith(const TensorMap& references, ReferencePart part) {
  std::vector<std::string> outputs;
  for (const auto& [key, tensor] : references) {
    const ReferenceName name = ParseReferenceKey(key);
    if (name.part == part) outputs.push_back(name.output);
  }
  return outputs;
}

}  // namespace

TensorMap PackReferences(const v1::Case& c, TensorMap references) {
  for (const std::string& output : OutputsWith(references, ReferencePart::kSigma)) {
    HostTensor& value = references.at(output);
    HostTensor& sigma = references.at(ReferenceKey(output, ReferencePart::kSigma));
    const Dtype dtype = OutputDtype(c, output.substr(output.rfind(':') + 1));
    const bool narrow = ElementSize(dtype) == 2;
    Parts parts;
    if (dtype == D::float64 || !Pack(value, sigma, narrow, &parts)) continue;
    value = std::move(parts.value);
    sigma = std::move(parts.sigma);
    if (!narrow) references[ReferenceKey(output, ReferencePart::kLow)] = std::move(parts.low);
    const auto terms = references.find(ReferenceKey(output, ReferencePart::kTerms));
    if (terms == references.end() || !IsConstant(terms->second)) continue;
    terms->second.data.resize(static_cast<size_t>(ElementSize(terms->second.dtype)));
    terms->second.shape = {1};
  }
  return references;
}

TensorMap UnpackReferences(TensorMap references) {
  for (const std::string& output : OutputsWith(references, ReferencePart::kSigma)) {
    HostTensor& sigma = references.at(ReferenceKey(output, ReferencePart::kSigma));
    const auto found = references.find(output);
    if (sigma.dtype != D::bfloat16 || found == references.end()) continue;
    const HostTensor packed = std::exchange(found->second, Like(found->second, D::float64));
    const HostTensor packed_sigma = std::exchange(sigma, Like(sigma, D::float32));
    const std::string low = ReferenceKey(output, ReferencePart::kLow);
    const auto rest = references.find(low);
    for (int64_t i = 0; i < NumElements(packed.shape); ++i) {
      StoreDouble(
          D::float64, found->second.data.data(), i,
          ElementAsDouble(packed, i) + (rest == references.end() ? 0 : ElementAsDouble(rest->second, i)));
      StoreDouble(D::float32, sigma.data.data(), i, ElementAsDouble(packed_sigma, i));
    }
    references.erase(low);
    const auto terms = references.find(ReferenceKey(output, ReferencePart::kTerms));
    if (terms == references.end() || terms->second.shape == packed.shape) continue;
    const HostTensor one = std::exchange(terms->second, Like(packed, D::float32));
    for (int64_t i = 0; i < NumElements(packed.shape); ++i)
      StoreDouble(D::float32, terms->second.data.data(), i, ElementAsDouble(one, 0));
  }
  return references;
}

}  // namespace diopi::baselines
