// The reference is called once for each altered case, in the case's own dtype, and its result compared
// roughly with the device's output. Only where they agree do the oracle and the gates run, which are costly.
// An alteration explains a failure when the output passes under it while the original's reference does not;
// the confidence depends on how much nearer every wrong element lies to the altered result than to the
// original.
#include "baselines/diagnose/diagnose.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "baselines/compare/judging.h"
#include "baselines/compare/patterns.h"
#include "baselines/generate/generate.h"
#include "baselines/generate/widen.h"
#include "cases/base/dtype.h"
#include "cases/base/status_macros.h"
#include "cases/core/reference_key.h"
#include "cases/fill/fill.h"
#include "cases/findings/finding.h"

namespace diopi::baselines {
namespace {

// More explanations than this explain nothing.
constexpr size_t kMaxCauses = 3;
// An output that is right for the altered case lies this near to the reference's own result in its dtype: far
// beyond any rounding, so that the costly oracle is asked only where it may agree.
constexpr double kNear = 0.05;
constexpr double kMostBits = 16;    // of one element
constexpr double kBitsOfExact = 3;  // of one element that is judged bit for bit

int64_t BytesOf(const TensorMap& tensors) {
  int64_t bytes = 0;
  for (const auto& [key, tensor] : tensors) bytes += static_cast<int64_t>(tensor.data.size());
  return bytes;
}

// Operations of one call of the reference, to an order of magnitude: a product of matrices needs the square
// root of the product of the three tensors' sizes, which bounds what most other functions need, too.
double OperationsOf(const FailedCase& failed) {
  constexpr double kOfAnyCall = 10'000;
  std::vector<double> sizes(3, 1.0);
  for (const TensorMap* tensors : {&failed.inputs, &failed.actual}) {
    for (const auto& [key, tensor] : *tensors)
      sizes.push_back(static_cast<double>(NumElements(tensor.shape)));
  }
  std::partial_sort(sizes.begin(), sizes.begin() + 3, sizes.end(), std::greater<>());
  return kOfAnyCall + std::sqrt(sizes[0] * sizes[1] * sizes[2]);
}

bool IsNear(const HostTensor& a, const HostTensor& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return false;
  const int64_t count = NumElements(a.shape);
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = ElementAsDouble(b.dtype, b.data.data(), i);
    if (std::isfinite(value)) squares += value * value;
  }
  const double slack = kNear * std::sqrt(squares / static_cast<double>(std::max<int64_t>(count, 1)));
  for (int64_t i = 0; i < count; ++i) {
    const double x = ElementAsDouble(a.dtype, a.data.data(), i);
    const double y = ElementAsDouble(b.dtype, b.data.data(), i);
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    if (!same && !(std::fabs(x - y) <= kNear * std::fabs(y) + slack)) return false;
  }
  return true;
}

// The reference's inputs: the failed case's own tensors, except for the altered argument.
absl::StatusOr<TensorMap> AlteredInputs(const AlteredCase& altered, const TensorMap& inputs) {
  for (const v1::Argument& arg : altered.c.args()) {
    if (arg.name() != altered.argument || arg.role() != v1::ROLE_INPUT) continue;
    TensorMap changed = inputs;
    if (arg.null()) {
      changed.erase(arg.name());
      return changed;
    }
    ASSIGN_OR_RETURN(TensorMap made, FillInputs(altered.c));
    for (auto& [key, tensor] : made) {
      if (key == arg.name() || key.rfind(arg.name() + ".", 0) == 0) changed[key] = std::move(tensor);
    }
    return changed;
  }
  return inputs;
}

void Subtract(const HostTensor& from, HostTensor* tensor) {
  if (tensor->dtype != v1::Dtype::float64 || from.shape != tensor->shape) return;
  for (int64_t i = 0; i < NumElements(tensor->shape); ++i) {
    StoreDouble(tensor->dtype, tensor->data.data(), i,
                ElementAsDouble(tensor->dtype, tensor->data.data(), i) -
                    ElementAsDouble(from.dtype, from.data.data(), i));
  }
}

// The evidence in bits when an output is wrong by one reference and right by another: -log2 of the chance of
// an accident. Each wrong element counts by the ratio of the errors, or by a few bits where the error is not
// a number (bits, NaN, another shape).
double Bits(const v1::Verdict& wrong, const v1::Verdict& right) {
  double bits = 0;
  for (const v1::OutputStats& before : wrong.outputs()) {
    if (before.ok()) continue;
    double each = kBitsOfExact;
    for (const v1::OutputStats& after : right.outputs()) {
      if (after.key() != before.key() || !(before.rmse() > 0) || std::isinf(before.rmse())) continue;
      const double floor = std::max(after.rmse(), after.rmse_ideal());
      each = floor > 0 ? std::log2(before.rmse() / floor) : kMostBits;
    }
    const double count = static_cast<double>(std::max<int64_t>(before.mismatches(), 1));
    bits += count * std::clamp(each, 0.0, kMostBits);
  }
  return bits;
}

// The contract that allows it; empty where none does.
template <typename Other>
std::string ContractOf(const Other& /*other*/) {
  return "";
}
std::string ContractOf(const RoundedOperands& rounded) {
  return rounded.contract;
}

// Options for comparisons of which only the outcome and the figures matter.
CompareOptions Unexplained(const FailedCase& failed) {
  CompareOptions options = failed.compare;
  options.explain = false;
  return options;
}

}  // namespace

// False when the case is beyond the limits, or there is no reference.
bool Diagnoser::Begin(const FailedCase& failed) {
  if (BytesOf(failed.inputs) + BytesOf(failed.actual) > options_.max_bytes) return false;
  if (!std::exchange(opened_, true)) {
    absl::StatusOr<std::unique_ptr<loader::InProcessLibrary>> reference =
        loader::InProcessLibrary::Open(options_.library_path);
    if (reference.ok()) reference_ = *std::move(reference);
  }
  return reference_ != nullptr;
}

std::optional<v1::Verdict> Diagnoser::Explains(const AlteredCase& altered, const FailedCase& failed) {
  const absl::StatusOr<TensorMap> inputs = AlteredInputs(altered, failed.inputs);
  return inputs.ok() ? ExplainsCall(altered.c, *inputs, failed) : std::nullopt;
}

std::optional<v1::Verdict> Diagnoser::Explains(const OtherInputs& other, const FailedCase& failed) {
  return ExplainsCall(failed.c, other.inputs, failed);
}

std::optional<v1::Verdict> Diagnoser::Explains(const OtherReferences& other, const FailedCase& failed) {
  v1::Verdict agrees =
      CompareCase(failed.c, failed.inputs, other.references, failed.actual, Unexplained(failed));
  if (agrees.outcome() != v1::OUTCOME_PASS) return std::nullopt;
  return agrees;
}

std::optional<v1::Verdict> Diagnoser::ExplainsCall(const v1::Case& c, const TensorMap& inputs,
                                                   const FailedCase& failed) {
  const absl::StatusOr<TensorMap> native = reference_->Call(c, inputs, v1::Dtype::unsupported);
  if (!native.ok()) return std::nullopt;
  for (const v1::Judge& judge : failed.c.judges()) {
    if (judge.kind() == v1::Judge::NOT_JUDGED || judge.kind() == v1::Judge::RANDOM) continue;
    const auto expected = native->find(judge.output());
    const auto actual = failed.actual.find(judge.output());
    if (expected == native->end() || actual == failed.actual.end()) continue;  // a list: judged below
    if (!IsNear(actual->second, expected->second)) return std::nullopt;
  }
  // An argument that makes no difference here cannot be the cause.
  const v1::Verdict differs =
      CompareCase(failed.c, failed.inputs, failed.references, *native, Unexplained(failed));
  if (differs.outcome() != v1::OUTCOME_FAIL) return std::nullopt;
  const absl::StatusOr<TensorMap> references = GenerateReferences(*reference_, c, inputs);
  if (!references.ok()) return std::nullopt;
  v1::Verdict agrees = CompareCase(c, inputs, *references, failed.actual, Unexplained(failed));
  if (agrees.outcome() != v1::OUTCOME_PASS) return std::nullopt;
  return agrees;
}

std::optional<v1::Verdict> Diagnoser::Explains(const RoundedOperands& rounded, const FailedCase& failed) {
  TensorMap references = failed.references;
  absl::StatusOr<TensorMap> plus =
      reference_->Call(failed.c, WidenToFloat64(rounded.plus, Power::kOne), v1::Dtype::float64);
  if (!plus.ok()) return std::nullopt;
  if (!rounded.minus.empty()) {
    TensorMap cleared = rounded.minus;
    if (const auto bias = cleared.find("bias"); bias != cleared.end()) {
      std::fill(bias->second.data.begin(), bias->second.data.end(), '\0');
    }
    const absl::StatusOr<TensorMap> minus =
        reference_->Call(failed.c, WidenToFloat64(cleared, Power::kOne), v1::Dtype::float64);
    if (!minus.ok()) return std::nullopt;
    for (auto& [key, tensor] : *plus) Subtract(minus->at(key), &tensor);
  }
  for (const JudgedOutput& output : JudgedOutputs(failed.c)) {
    const bool product =
        output.kind == v1::Judge::ACCUMULATION && output.judge->arithmetic() != v1::Judge::PLAIN;
    const auto result = plus->find(output.key);
    if (!product || result == plus->end()) continue;
    references[output.key] = result->second;
    references.erase(ReferenceKey(output.key, ReferencePart::kExact));
  }
  return Explains(OtherReferences{rounded.found, std::move(references)}, failed);
}

Cause Diagnoser::LikelyCause(const FailedCase& failed) {
  const std::lock_guard lock(mutex_);
  if (!Begin(failed)) return {};
  const double each = OperationsOf(failed);
  const v1::Verdict wrong =
      CompareCase(failed.c, failed.inputs, failed.references, failed.actual, Unexplained(failed));
  std::vector<v1::Finding> found;
  std::string contract;  // that allows one of them
  double bits = 0;
  int tried = 0;
  const auto look = [&](const auto& alternatives) {
    for (const auto& alternative : alternatives) {
      if ((tried + 1) * each > options_.max_operations || found.size() == kMaxCauses) return;
      ++tried;
      const std::optional<v1::Verdict> right = Explains(alternative, failed);
      if (!right.has_value()) continue;
      if (found.empty() || found.back().SerializeAsString() != alternative.found.SerializeAsString())
        found.push_back(alternative.found);
      if (contract.empty()) contract = ContractOf(alternative);
      bits = std::max(bits, Bits(wrong, *right));
    }
  };
  look(AlterArguments(failed.c));
  look(ReadOtherwise(failed.c, failed.inputs));
  // Making these takes calls of its own.
  constexpr int kOtherwise = 4;
  if ((tried + kOtherwise) * each <= options_.max_operations)
    look(ComputedOtherwise(failed.c, failed.inputs, failed.references, reference_.get()));
  look(NarrowOperands(failed.c, failed.inputs));
  const double confidence = std::max(1 - tried * std::exp2(-bits), 0.0);
  if (found.empty() || confidence < kLeastConfidence) return {};
  const auto code = contract.empty() ? v1::Finding::CONSISTENT_WITH : v1::Finding::DECLARE;
  return {Found(code).Word(contract).Parts(found), confidence};
}

}  // namespace diopi::baselines
