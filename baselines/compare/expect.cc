// Gates add findings, in the order in which they run, and never remove any; only a harness error replaces
// what was found, because a broken reference proves nothing. Texts of elements are exact: an integer in full,
// a float with all the digits that tell it from its neighbours.
#include "baselines/compare/expect.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/slices/slices.h"

namespace diopi::baselines {
namespace {

template <typename T>
T Load(const HostTensor& tensor, int64_t index) {
  T value;
  std::memcpy(&value, tensor.data.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

// Whether an element of a floating input of `elements` elements (0: of any size) is one for which `test`
// holds.
bool AnyInput(const TensorMap& inputs, bool (*test)(double), int64_t elements) {
  return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) {
    const HostTensor& tensor = input.second;
    const int64_t count = NumElements(tensor.shape);
    if (!IsFloating(tensor.dtype) || (elements != 0 && elements != count)) return false;
    for (int64_t i = 0; i < count; ++i) {
      if (test(ElementAsDouble(tensor.dtype, tensor.data.data(), i))) return true;
    }
    return false;
  });
}

bool IsNan(double x) {
  return std::isnan(x);
}
bool IsInfinite(double x) {
  return std::isinf(x);
}

}  // namespace

bool JobEvidence::Sampled() const {
  return slices::IsSliced(job_.c);
}
bool JobEvidence::GivenNan() const {
  return AnyInput(job_.inputs, IsNan, 0);
}
bool JobEvidence::GivenNanPerElement() const {
  return AnyInput(job_.inputs, IsNan, NumElements(job_.actual.shape));
}
bool JobEvidence::GivenInfinity() const {
  return AnyInput(job_.inputs, IsInfinite, 0);
}

const HostTensor* Find(const TensorMap& tensors, const std::string& key) {
  const auto found = tensors.find(key);
  return found == tensors.end() ? nullptr : &found->second;
}

void Fail(const std::string& gate, std::vector<v1::Finding> found, v1::OutputStats* stats,
          Findings* findings) {
  stats->set_gates(stats->ok() ? gate : absl::StrCat(stats->gates(), ",", gate));
  stats->set_ok(false);
  std::move(found.begin(), found.end(), std::back_inserter(findings->found));
}

void FailCase(const std::string& key, const std::vector<v1::Finding>& found, v1::Verdict* verdict) {
  verdict->set_outcome(v1::OUTCOME_FAIL);
  *verdict->add_findings() = Found(v1::Finding::OF_OUTPUT).Name(key).Parts(found);
}

void AddRemark(Remark remark, Findings* findings) {
  std::move(remark.observed.begin(), remark.observed.end(), std::back_inserter(findings->found));
  findings->cause = std::move(remark.cause);
  findings->confidence = remark.confidence;
}

void SetHarnessError(const std::string& key, const std::string& error, v1::Verdict* verdict) {
  verdict->set_outcome(v1::OUTCOME_HARNESS_ERROR);
  verdict->clear_findings();
  verdict->clear_cause();
  verdict->clear_cause_confidence();
  verdict->clear_declarable();
  *verdict->add_findings() =
      Found(v1::Finding::OF_OUTPUT).Name(key).Part(Found(v1::Finding::HARNESS).Said(error));
}

std::optional<v1::Finding> WrongForm(const TensorView& actual, Dtype dtype,
                                     const std::vector<int64_t>& shape) {
  if (actual.dtype != dtype) {
    return Found(v1::Finding::WRONG_DTYPE)
        .Got(std::string(DtypeName(actual.dtype)))
        .Expected(std::string(DtypeName(dtype)));
  }
  if (actual.shape == shape) return std::nullopt;
  return Found(v1::Finding::WRONG_SHAPE).Got(ShapeText(actual.shape)).Expected(ShapeText(shape));
}

Found WrongElements(const HostTensor& actual, const Tally& tally, std::string expected) {
  const int64_t index = tally.first.front();
  return Found(v1::Finding::WRONG_ELEMENTS)
      .Count(tally.mismatches)
      .Of(tally.elements)
      .Place(PlaceAt(actual.shape, index))
      .Got(ElementText(actual, index))
      .Expected(std::move(expected));
}

void AddFirst(const HostTensor& actual, int64_t index, double expected, double tolerance,
              const std::string& expected_text, v1::OutputStats* stats) {
  v1::Mismatch* m = stats->add_first();
  m->set_index(index);
  m->set_actual(ElementAsDouble(actual.dtype, actual.data.data(), index));
  m->set_expected(expected);
  m->set_tolerance(tolerance);
  m->set_actual_text(ElementText(actual, index));
  m->set_expected_text(expected_text);
}

std::string ElementText(const HostTensor& tensor, int64_t index) {
  if (IsFloating(tensor.dtype) && std::isnan(ElementAsDouble(tensor.dtype, tensor.data.data(), index)))
    return "nan";
  switch (tensor.dtype) {
    case v1::Dtype::int64:
      return absl::StrCat(Load<int64_t>(tensor, index));
    case v1::Dtype::uint64:
      return absl::StrCat(Load<uint64_t>(tensor, index));
    case v1::Dtype::bool_: {
      const auto byte = Load<uint8_t>(tensor, index);
      return byte > 1 ? absl::StrFormat("byte 0x%02x", byte) : byte == 1 ? "true" : "false";
    }
    case v1::Dtype::complex64:
      return absl::StrFormat("(%.9g, %.9g)", static_cast<double>(Load<float>(tensor, 2 * index)),
                             static_cast<double>(Load<float>(tensor, 2 * index + 1)));
    case v1::Dtype::complex128:
      return absl::StrFormat("(%.17g, %.17g)", Load<double>(tensor, 2 * index),
                             Load<double>(tensor, 2 * index + 1));
    case v1::Dtype::float64:
      return absl::StrFormat("%.17g", Load<double>(tensor, index));
    case v1::Dtype::float16:
    case v1::Dtype::bfloat16:
    case v1::Dtype::float32:
      return absl::StrFormat("%.9g", ElementAsDouble(tensor.dtype, tensor.data.data(), index));
    case v1::Dtype::complex32:
      return "a complex32";
    default:
      return absl::StrCat(static_cast<int64_t>(ElementAsDouble(tensor.dtype, tensor.data.data(), index)));
  }
}

std::string NumberText(Dtype dtype, double value) {
  if (std::isnan(value)) return "nan";
  return absl::StrFormat("%.*g", dtype == v1::Dtype::float64 ? 17 : 9, value);
}

}  // namespace diopi::baselines
