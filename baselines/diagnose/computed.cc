// Each function here makes what such an implementation would return, from other inputs or from the
// references; the diagnosis then compares as with any altered case. The variance with the other divisor needs
// no kernel: it is eps and weight scaled by n / (n - 1). A case to which a way of computing does not apply
// gets none, so no cause is guessed from a function's name alone.
#include "baselines/diagnose/computed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "baselines/compare/judging.h"
#include "baselines/generate/generate.h"
#include "cases/base/dtype.h"
#include "cases/core/reference_key.h"
#include "cases/findings/finding.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using F = v1::Finding;

bool IsWideInteger(Dtype dtype) {
  return IsInteger(dtype) && ElementSize(dtype) >= 4;
}

// The elements, each changed, in another dtype.
template <typename Change>
HostTensor Converted(const HostTensor& tensor, Dtype dtype, Change&& change) {
  const int64_t count = NumElements(tensor.shape);
  HostTensor result{dtype, tensor.shape, std::string(static_cast<size_t>(count * ElementSize(dtype)), '\0')};
  for (int64_t i = 0; i < count; ++i)
    StoreDouble(dtype, result.data.data(), i, change(ElementAsDouble(tensor, i)));
  return result;
}

double ToFloat(double x) {
  return static_cast<double>(static_cast<float>(x));
}

// A float32 result as an integer, cut off; beyond the type's range its nearest end.
HostTensor AsIntegers(const HostTensor& tensor, Dtype dtype) {
  const double end = std::ldexp(1.0, static_cast<int>(ElementSize(dtype)) * 8 - 1);
  return Converted(tensor, dtype, [end](double x) { return std::clamp(std::trunc(x), -end, end - 1); });
}

// The column of a tensor of boxes that holds angles; -1: none.
int64_t AngleColumn(const v1::Case& c, const std::string& key, const HostTensor& tensor) {
  if (tensor.shape.size() < 2 || !IsFloating(tensor.dtype)) return -1;
  const int64_t columns = tensor.shape.back();
  if (columns == 7 && absl::StrContains(key, "box")) return 6;  // x, y, z, three sizes, heading
  if (!absl::StrContains(c.function(), "Rotat") || (columns != 5 && columns != 6)) return -1;
  return absl::StrContains(key, "roi") ? columns - 1
                                       : 4;  // rois begin with the image, others may end with a label
}

std::optional<OtherInputs> AnglesNegated(const v1::Case& c, const TensorMap& inputs) {
  std::optional<OtherInputs> other;
  for (const auto& [key, tensor] : inputs) {
    const bool sine = key == "sin" && IsFloating(tensor.dtype) && FindArgument(c, "conj") == nullptr;
    const int64_t column = AngleColumn(c, key, tensor);
    if (!sine && column < 0) continue;
    if (!other.has_value()) other = OtherInputs{Found(F::ANGLE_SIGN).Name(key), inputs};
    HostTensor& changed = other->inputs.at(key);
    const int64_t step = sine ? 1 : tensor.shape.back();
    for (int64_t i = std::max<int64_t>(column, 0); i < NumElements(tensor.shape); i += step)
      StoreDouble(tensor.dtype, changed.data.data(), i, -ElementAsDouble(tensor, i));
  }
  return other;
}

// Integers beyond 2^24 lose their last bits.
std::optional<OtherInputs> IntegersRounded(const TensorMap& inputs) {
  OtherInputs other{Found(F::THROUGH_FLOAT32), inputs};
  bool any = false;
  for (auto& [key, tensor] : other.inputs) {
    if (!IsWideInteger(tensor.dtype)) continue;
    // The largest float32 number that the type holds.
    const double end = std::ldexp(1.0, static_cast<int>(ElementSize(tensor.dtype)) * 8 - 1);
    const double last = static_cast<double>(std::nextafterf(static_cast<float>(end), 0.0F));
    HostTensor rounded =
        Converted(tensor, tensor.dtype, [last](double x) { return std::min(ToFloat(x), last); });
    any = any || rounded.data != tensor.data;
    tensor = std::move(rounded);
  }
  if (!any) return std::nullopt;
  return other;
}

// The same function of the case's integers as float32 numbers.
std::optional<OtherReferences> IntegersAsFloat32(const v1::Case& c, const TensorMap& inputs,
                                                 const TensorMap& references,
                                                 loader::InProcessLibrary* reference) {
  if (!IsWideInteger(c.dtype())) return std::nullopt;
  v1::Case in_float = c;
  in_float.set_dtype(D::float32);
  const auto narrow = [&](v1::TensorSpec* spec) {
    if (spec->dtype() == c.dtype()) spec->set_dtype(D::float32);
  };
  for (v1::Argument& arg : *in_float.mutable_args()) {
    if (arg.has_tensor()) narrow(arg.mutable_tensor());
    if (!arg.has_tensors()) continue;
    for (v1::TensorSpec& spec : *arg.mutable_tensors()->mutable_tensors()) narrow(&spec);
  }
  TensorMap converted;
  for (const auto& [key, tensor] : inputs)
    converted[key] = tensor.dtype == c.dtype() ? Converted(tensor, D::float32, ToFloat) : tensor;
  const absl::StatusOr<TensorMap> outputs = reference->Call(in_float, converted, D::unsupported);
  if (!outputs.ok()) return std::nullopt;
  OtherReferences other{Found(F::THROUGH_FLOAT32), references};
  for (const JudgedOutput& output : JudgedOutputs(c)) {
    const auto made = outputs->find(output.key);
    const auto known = other.references.find(output.key);
    if (made == outputs->end() || known == other.references.end()) return std::nullopt;
    if (made->second.dtype == known->second.dtype) continue;
    if (made->second.dtype != D::float32 || !IsInteger(known->second.dtype)) return std::nullopt;
    known->second = AsIntegers(made->second, known->second.dtype);
  }
  return other;
}

// Integers of a wider type than the inputs', with the bits that the inputs' type holds.
std::optional<OtherReferences> IntegersWrapped(const v1::Case& c, const TensorMap& references) {
  if (!IsInteger(c.dtype())) return std::nullopt;
  OtherReferences other{Found(F::ACCUMULATED_IN).Word(std::string(DtypeName(c.dtype()))), references};
  bool any = false;
  for (const JudgedOutput& output : JudgedOutputs(c)) {
    const auto known = other.references.find(output.key);
    if (known == other.references.end() || !IsInteger(known->second.dtype) ||
        ElementSize(known->second.dtype) <= ElementSize(c.dtype()) ||
        absl::StrContains(output.key, "indices"))
      continue;
    const auto same = [](double x) { return x; };
    known->second = Converted(Converted(known->second, c.dtype(), same), known->second.dtype, same);
    any = true;
  }
  if (!any) return std::nullopt;
  return other;
}

void Scale(double factor, const std::string& key, TensorMap* references) {
  const auto known = references->find(key);
  if (known == references->end() || known->second.dtype != D::float64) return;
  known->second = Converted(known->second, D::float64, [factor](double x) { return x * factor; });
  references->erase(ReferenceKey(key, ReferencePart::kExact));
}

// How many elements each variance of the function is taken over; 0: not known.
double ElementsOfVariance(const v1::Case& c, const TensorMap& inputs) {
  const auto input = inputs.find("input");
  if (input == inputs.end() || input->second.shape.size() < 2) return 0;
  const std::vector<int64_t>& shape = input->second.shape;
  const auto all = static_cast<double>(NumElements(shape));
  double groups = 0;
  if (const auto counts = inputs.find("counts"); counts != inputs.end()) {
    double sum = 0;
    for (int64_t i = 0; i < NumElements(counts->second.shape); ++i) sum += ElementAsDouble(counts->second, i);
    return sum;
  }
  if (const v1::Argument* normalized = FindArgument(c, "normalized_shape"); normalized != nullptr) {
    double size = 1;
    for (const int64_t each : normalized->sizes().values()) size *= static_cast<double>(each);
    return size;
  }
  if (NumberOf(c, "num_groups", &groups)) return all / (groups * static_cast<double>(shape[0]));
  const auto channels = static_cast<double>(shape[1]);
  return absl::StrContains(c.function(), "Instance") ? all / channels / static_cast<double>(shape[0])
                                                     : all / channels;
}

// running_var, which takes the variance of the count less one, with that of the count.
std::optional<OtherReferences> BiasedRunningVariance(const v1::Case& c, const TensorMap& inputs,
                                                     const TensorMap& references, double n) {
  double momentum = 0;
  const auto before = inputs.find("running_var");
  const auto after = references.find("running_var");
  if (before == inputs.end() || after == references.end() || after->second.dtype != D::float64 ||
      !NumberOf(c, "momentum", &momentum))
    return std::nullopt;
  OtherReferences other{Found(F::VARIANCE_DIVISOR).Word("biased"), references};
  HostTensor& changed = other.references.at("running_var");
  for (int64_t i = 0; i < NumElements(changed.shape); ++i) {
    const double kept = (1 - momentum) * ElementAsDouble(before->second, i);
    StoreDouble(D::float64, changed.data.data(), i,
                kept + (ElementAsDouble(changed, i) - kept) * (n - 1) / n);
  }
  other.references.erase(ReferenceKey("running_var", ReferencePart::kExact));
  return other;
}

// A variance v as v n / (n - 1), wherever it goes: 1 / sqrt(v n / (n - 1) + eps) is s / sqrt(v + eps / q)
// with q = n / (n - 1) and s = 1 / sqrt(q), and s goes into the weight.
std::optional<OtherReferences> Unbiased(const v1::Case& c, const TensorMap& inputs,
                                        const TensorMap& references, double n,
                                        loader::InProcessLibrary* reference) {
  const double q = n / (n - 1);
  OtherReferences other{Found(F::VARIANCE_DIVISOR).Word("unbiased"), references};
  if (references.contains("var")) {
    Scale(q, "var", &other.references);
    return other;
  }
  v1::Case changed = c;
  const auto eps = std::find_if(changed.mutable_args()->begin(), changed.mutable_args()->end(),
                                [](const v1::Argument& arg) { return arg.name() == "eps" && arg.has_f(); });
  if (eps == changed.mutable_args()->end()) return std::nullopt;
  eps->set_f(eps->f() / q);
  TensorMap scaled = inputs;
  bool weighted = false;
  for (const char* name : {"weight", "scale"}) {
    const auto weight = scaled.find(name);
    if (weight == scaled.end()) continue;
    weight->second =
        Converted(weight->second, weight->second.dtype, [q](double x) { return x / std::sqrt(q); });
    weighted = true;
  }
  if (!weighted && inputs.contains("bias")) return std::nullopt;
  absl::StatusOr<TensorMap> made = GenerateReferences(*reference, changed, std::move(scaled));
  if (!made.ok()) return std::nullopt;
  other.references = *std::move(made);
  for (const char* name : {"save_invstd", "invstd"}) Scale(1 / std::sqrt(q), name, &other.references);
  if (weighted) return other;
  for (const char* name : {"out", "output"}) Scale(1 / std::sqrt(q), name, &other.references);
  return other;
}

}  // namespace

std::vector<OtherInputs> ReadOtherwise(const v1::Case& c, const TensorMap& inputs) {
  std::vector<OtherInputs> all;
  for (std::optional<OtherInputs>& other : std::vector{AnglesNegated(c, inputs), IntegersRounded(inputs)}) {
    if (other.has_value()) all.push_back(*std::move(other));
  }
  return all;
}

std::vector<OtherReferences> ComputedOtherwise(const v1::Case& c, const TensorMap& inputs,
                                               const TensorMap& references,
                                               loader::InProcessLibrary* reference) {
  std::vector<OtherReferences> all;
  const auto add = [&all](std::optional<OtherReferences> other) {
    if (other.has_value()) all.push_back(*std::move(other));
  };
  add(IntegersAsFloat32(c, inputs, references, reference));
  add(IntegersWrapped(c, references));
  const bool normalizes = absl::StrContains(c.function(), "Norm") || absl::StrContains(c.function(), "Bn");
  const double n = normalizes ? ElementsOfVariance(c, inputs) : 0;
  if (n < 2) return all;
  add(BiasedRunningVariance(c, inputs, references, n));
  add(Unbiased(c, inputs, references, n, reference));
  return all;
}

}  // namespace diopi::baselines
