#include "baselines/diagnose/diagnose.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/generate/generate.h"
#include "cases/core/dtype.h"
#include "cases/core/fill.h"

namespace diopi::baselines {
namespace {

using Clock = std::chrono::steady_clock;

// More than this many explanations explain nothing.
constexpr size_t kMaxCauses = 3;
// An output that is right for the altered case lies this near to the reference's own result in its dtype: far
// beyond any rounding, so that the costly oracle is asked only where it may agree.
constexpr double kNear = 0.05;

int64_t BytesOf(const TensorMap& tensors) {
  int64_t bytes = 0;
  for (const auto& [key, tensor] : tensors) bytes += static_cast<int64_t>(tensor.data.size());
  return bytes;
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

// What the reference is called with: the failed case's own tensors, but for the argument that is altered.
absl::StatusOr<TensorMap> AlteredInputs(const AlteredCase& altered, const TensorMap& inputs) {
  for (const v1::Argument& arg : altered.c.args()) {
    if (arg.name() != altered.argument || arg.role() != v1::ROLE_INPUT) continue;
    TensorMap changed = inputs;
    if (arg.null()) {
      changed.erase(arg.name());
      return changed;
    }
    absl::StatusOr<TensorMap> made = FillInputs(altered.c);
    if (!made.ok()) return made.status();
    for (auto& [key, tensor] : *made) {
      if (key == arg.name() || key.rfind(arg.name() + ".", 0) == 0) changed[key] = std::move(tensor);
    }
    return changed;
  }
  return inputs;
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
  return reference_ != nullptr && ++seen_[failed.c.function()] <= options_.max_per_function;
}

bool Diagnoser::Explains(const AlteredCase& altered, const FailedCase& failed) {
  const absl::StatusOr<TensorMap> inputs = AlteredInputs(altered, failed.inputs);
  if (!inputs.ok()) return false;
  const absl::StatusOr<TensorMap> native = reference_->Call(altered.c, *inputs, v1::Dtype::unsupported);
  if (!native.ok()) return false;
  for (const v1::Judge& judge : failed.c.judges()) {
    if (judge.kind() == v1::Judge::NOT_JUDGED || judge.kind() == v1::Judge::RANDOM) continue;
    const auto expected = native->find(judge.output());
    const auto actual = failed.actual.find(judge.output());
    if (expected == native->end() || actual == failed.actual.end()) continue;  // a list: judged below
    if (!IsNear(actual->second, expected->second)) return false;
  }
  // An argument that makes no difference here cannot be to blame.
  const v1::Verdict differs =
      CompareCase(failed.c, failed.inputs, failed.references, *native, failed.compare);
  if (differs.outcome() != v1::OUTCOME_FAIL) return false;
  const absl::StatusOr<TensorMap> references = GenerateReferences(*reference_, altered.c, *inputs);
  if (!references.ok()) return false;
  const v1::Verdict agrees = CompareCase(altered.c, *inputs, *references, failed.actual, failed.compare);
  return agrees.outcome() == v1::OUTCOME_PASS;
}

std::string Diagnoser::LikelyCause(const FailedCase& failed) {
  const std::lock_guard lock(mutex_);
  if (!Begin(failed)) return "";
  const Clock::time_point start = Clock::now();
  std::vector<std::string> causes;
  for (const AlteredCase& altered : AlterArguments(failed.c)) {
    if (Clock::now() - start > options_.budget || causes.size() == kMaxCauses) break;
    if (Explains(altered, failed)) causes.push_back(altered.text);
  }
  return causes.empty() ? "" : absl::StrCat("consistent with ", absl::StrJoin(causes, ", or with "));
}

}  // namespace diopi::baselines
