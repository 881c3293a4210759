#include "cases/core/work.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/dtype.h"
#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"
#include "cases/core/call_variables.h"

namespace diopi::cases {
namespace {

int64_t Bytes(const CallTensors& tensors) {
  int64_t sum = 0;
  for (const v1::TensorSpec* spec : tensors.specs) {
    // An expanded tensor has its elements once.
    std::vector<int64_t> shape(spec->shape().begin(), spec->shape().end());
    for (int i = 0; i < spec->strides_size(); ++i) {
      int64_t& size = shape[static_cast<size_t>(i)];
      if (spec->strides(i) == 0) size = std::min<int64_t>(size, 1);
    }
    sum += NumElements(shape) * ElementSize(spec->dtype());
  }
  return sum;
}

// The bytes of a tensor that the call moves, by the rules of `moves`.
template <typename Moves>
absl::StatusOr<double> Moved(const CallVariables& call, const CallTensors& tensors, const Moves& moves,
                             Dtype case_dtype) {
  for (const v1::Work::Moved& moved : moves) {
    if (moved.tensor() != tensors.argument->name()) continue;
    ASSIGN_OR_RETURN(const int64_t elements, call.Value(moved.elements()));
    // What the library allocates has the case's dtype as far as is known.
    const Dtype dtype = tensors.specs.empty() ? case_dtype : tensors.specs.front()->dtype();
    return static_cast<double>(std::max<int64_t>(elements, 0)) * static_cast<double>(ElementSize(dtype));
  }
  return static_cast<double>(Bytes(tensors));
}

absl::StatusOr<v1::CallWork> WorkBy(const v1::Work& rule, const v1::Case& c) {
  const CallVariables call(c);
  v1::CallWork work;
  ASSIGN_OR_RETURN(const int64_t operations, rule.operations().empty()
                                                 ? absl::StatusOr<int64_t>(call.largest())
                                                 : call.Value(rule.operations()));
  work.set_operations(static_cast<double>(std::max<int64_t>(operations, 0)));
  for (const CallTensors& each : call.tensors()) {
    if (each.read()) {
      ASSIGN_OR_RETURN(const double bytes, Moved(call, each, rule.read(), c.dtype()));
      work.set_read_bytes(work.read_bytes() + bytes);
    }
    if (each.written()) {
      ASSIGN_OR_RETURN(const double bytes, Moved(call, each, rule.written(), c.dtype()));
      work.set_written_bytes(work.written_bytes() + bytes);
    }
  }
  return work;
}

std::string Short(double value) {
  if (value >= 1e12) return absl::StrFormat("%.3g T", value * 1e-12);
  if (value >= 1e9) return absl::StrFormat("%.3g G", value * 1e-9);
  if (value >= 1e6) return absl::StrFormat("%.3g M", value * 1e-6);
  if (value >= 1e3) return absl::StrFormat("%.3g k", value * 1e-3);
  return absl::StrFormat("%.0f ", value);
}

const v1::Work& RuleOf(const v1::OperatorFile& op, const v1::Case& c) {
  const v1::Work* const rule = WorkRuleOf(op, c.function());
  return rule == nullptr ? v1::Work::default_instance() : *rule;
}

absl::Status Named(const v1::OperatorFile& op, const v1::Case& c, const absl::Status& status) {
  return absl::InvalidArgumentError(
      absl::StrCat(op.operator_(), ": work of ", c.function(), " in ", c.id(), ": ", status.message()));
}

}  // namespace

const v1::Work* WorkRuleOf(const v1::OperatorFile& op, const std::string& function) {
  const v1::Work* general = nullptr;
  for (const v1::Work& rule : op.work()) {
    const auto& names = rule.functions();
    if (std::find(names.begin(), names.end(), function) != names.end()) return &rule;
    if (names.empty() && general == nullptr) general = &rule;
  }
  return general;
}

absl::StatusOr<v1::CallWork> WorkOf(const v1::OperatorFile& op, const v1::Case& c) {
  absl::StatusOr<v1::CallWork> work = WorkBy(RuleOf(op, c), c);
  if (!work.ok()) return Named(op, c, work.status());
  return work;
}

absl::StatusOr<double> VisitsOf(const v1::OperatorFile& op, const v1::Case& c) {
  ASSIGN_OR_RETURN(const v1::CallWork work, WorkOf(op, c));
  const std::string& expression = RuleOf(op, c).visits();
  if (expression.empty()) return work.operations();
  const absl::StatusOr<int64_t> visits = CallVariables(c).Value(expression);
  if (!visits.ok()) return Named(op, c, visits.status());
  return std::max(work.operations(), static_cast<double>(*visits));
}

std::string WorkText(const v1::CallWork& work) {
  const double bytes = work.read_bytes() + work.written_bytes();
  std::string text = absl::StrCat("reads ", Short(work.read_bytes()), "B, writes ",
                                  Short(work.written_bytes()), "B, ", Short(work.operations()), "operations");
  if (bytes > 0) absl::StrAppendFormat(&text, " (%.3g per byte)", work.operations() / bytes);
  return text;
}

}  // namespace diopi::cases
