// Scales in steps of four, from the bound downwards, until the reference can compute the call, whole or in
// slices. Sizes are lowered together, so that those that must be equal stay so; only if the functions then do
// not take the call, one at a time. A label ends in a hash of the point, so that equal calls of two models
// are one case.
#include "cases/core/model_cases.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/hash.h"
#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"
#include "cases/core/case_builder.h"
#include "cases/core/point_value.h"
#include "cases/fill/block_fill.h"
#include "cases/slices/slices.h"
#include "proto/abi/abi.h"

namespace diopi::cases {
namespace {

constexpr int64_t kLargestThreshold = int64_t{1} << 20;
constexpr int64_t kSmallestThreshold = 8;
constexpr int64_t kTail = 8;
constexpr int64_t kUnfit = std::numeric_limits<int64_t>::max();
constexpr char kFunctionPrefix[] = "diopi";
constexpr size_t kLabelLength = 40;
constexpr size_t kHashDigits = 6;

// Up to this size of a call's largest tensor, inputs and references are stored; larger calls are judged on
// slices.
constexpr int64_t kMostStoredBytes = int64_t{32} << 10;
// Up to this size, references are stored whole for calls that cannot be judged on slices (IsSliced).
constexpr int64_t kMostWholeBytes = int64_t{128} << 10;
static_assert(kMostStoredBytes >= kModelTensorBytes);  // what every run has does not depend on it

// Complex numbers stay as they are: models have few, and slices do not judge them.
void FillInBlocks(v1::Case* c) {
  if (IsComplex(c->dtype())) return;
  c->set_generator_version(kBlockGeneratorVersion);
  for (v1::Case& producer : *c->mutable_producers()) FillInBlocks(&producer);
}

// Whether the call means this function.
bool IsMeant(const v1::FunctionRules& rules, const ModelCall& call) {
  if (!TakesDtype(rules, call.dtype)) return false;
  if (absl::StartsWith(call.name, kFunctionPrefix)) {
    return rules.name() == call.name ||
           (call.backward && rules.name() == absl::StrCat(call.name, "Backward"));
  }
  if (absl::StrContains(rules.name(), "Backward")) return call.backward;
  return absl::StrContains(rules.variant(), "inplace") == call.in_place;
}

// The numbers of a point that are sizes: of tensors, in lists of sizes, counts, and the ends of ranges of
// indices.
class Sizes {
 public:
  explicit Sizes(const v1::OperatorFile& op) {
    for (const v1::FunctionRules& rules : op.function()) {
      for (const abi::Param& param : abi::FindFunction(rules.name())->param()) {
        const abi::Kind kind = param.kind();
        if (kind != abi::INT64 && kind != abi::INT64_POINTER && kind != abi::SIZE &&
            kind != abi::SIZE_POINTER)
          continue;
        const std::string& alias = RuleFor(rules, param.name()).alias();
        counts_.insert(alias.empty() ? param.name() : alias);
      }
    }
  }

  // `end` changes the ends of ranges of indices.
  void Change(v1::Point* point, absl::FunctionRef<int64_t(int64_t)> change,
              absl::FunctionRef<int64_t(int64_t)> end) const {
    for (v1::PointTensor& tensor : *point->mutable_in()) {
      for (int64_t& size : *tensor.mutable_shape()) size = change(size);
      const bool indices = tensor.dtype() == "int64" || tensor.dtype() == "int32";
      if (!indices || !tensor.fill().has_integers()) continue;
      v1::Fill::Integers* range = tensor.mutable_fill()->mutable_integers();
      range->set_high(end(range->high() + 1) - 1);
      if (range->low() < 0) range->set_low(-end(-range->low()));
    }
    for (v1::PointAttribute& attribute : *point->mutable_attr()) {
      if (!counts_.contains(attribute.name())) continue;
      if (attribute.value_case() == v1::PointAttribute::kI) attribute.set_i(change(attribute.i()));
      if (!attribute.has_sizes()) continue;
      for (int64_t& size : *attribute.mutable_sizes()->mutable_values()) size = change(size);
    }
  }

 private:
  std::set<std::string> counts_;  // attributes that may hold sizes
};

class CallBuilder {
 public:
  CallBuilder(const v1::OperatorFile& op, const ModelCall& call, int64_t bound)
      : op_(op), call_(call), bound_(bound), sizes_(op) {}

  absl::StatusOr<CallCases> Run() {
    RETURN_IF_ERROR(FindFunctions());
    const int64_t largest = Largest(call_.point);
    std::string why =
        largest > bound_ ? absl::StrCat("a tensor takes ", largest, " bytes, more than the bound of ", bound_)
                         : "";
    for (int64_t bound = bound_;; bound /= 4) {
      v1::Point point = call_.point;
      if (largest > bound && !MaskCounts()) point = Scaled(bound);
      const bool changed = point.SerializeAsString() != call_.point.SerializeAsString();
      ASSIGN_OR_RETURN(std::vector<v1::Case> cases, At(std::move(point), changed ? why : ""));
      const std::string obstacle = ObstacleOf(cases);
      if (why.empty()) why = obstacle;
      // If a call cannot be scaled, its true size is used.
      if (bound <= kMostWholeBytes || MaskCounts() || obstacle.empty())
        return CallCases{std::move(cases), changed, changed ? why : ""};
      bound = std::min(bound, largest);
    }
  }

 private:
  // The gradient of what a mask selects has as many elements as the mask's values say.
  bool MaskCounts() const {
    const auto& in = call_.point.in();
    return call_.backward && std::any_of(in.begin(), in.end(), [](const v1::PointTensor& tensor) {
             return tensor.dtype() == "bool" && tensor.fill().has_values();
           });
  }
  // Why the reference cannot compute one of them, neither whole nor on slices; empty where it can.
  std::string ObstacleOf(const std::vector<v1::Case>& cases) const {
    for (const v1::Case& c : cases) {
      if (!slices::IsLarge(c)) continue;
      std::string why = slices::IsSliced(c) ? slices::WhyNotComputable(c) : WhyNotWhole(c);
      if (!why.empty()) return absl::StrCat(c.function(), ": ", why);
    }
    return "";
  }
  static std::string WhyNotWhole(const v1::Case& c) {
    const int64_t bytes = LargestTensorBytes(c);
    if (bytes <= kMostWholeBytes) return "";
    return absl::StrCat("its outputs cannot be judged where they lie, and a tensor of ", bytes,
                        " bytes is too large to be stored whole (at most ", kMostWholeBytes, ")");
  }
  absl::Status FindFunctions();
  absl::StatusOr<std::vector<v1::Case>> At(v1::Point point, const std::string& why_scaled) const;
  int64_t Largest(const v1::Point& point) const;
  v1::Point Scaled(int64_t bound) const;
  v1::Point ScaledTo(int64_t threshold) const;
  std::string Label(const v1::Point& point) const;

  const v1::OperatorFile& op_;
  const ModelCall& call_;
  int64_t bound_;
  Sizes sizes_;
  std::vector<const v1::FunctionRules*> functions_;  // those that the call means and that take its arguments
};

absl::Status CallBuilder::FindFunctions() {
  std::string reasons;
  bool backward = false;
  for (const v1::FunctionRules& rules : op_.function()) {
    if (!IsMeant(rules, call_)) continue;
    const absl::StatusOr<Fit> fit = BuildCase(op_, rules, call_.point, call_.dtype);
    if (fit.ok() && fit->c.has_value()) {
      functions_.push_back(&rules);
      backward = backward || absl::StrContains(rules.name(), "Backward");
      continue;
    }
    absl::StrAppend(&reasons, "; ", rules.name(), ": ",
                    fit.ok() ? fit->why_not : std::string(fit.status().message()));
  }
  if (functions_.empty() || (call_.backward && (!backward || functions_.size() == 1))) {
    return absl::InvalidArgumentError(absl::StrCat(
        functions_.empty() ? "no function takes this call" : "not both forward and backward take this call",
        reasons.empty() ? "; the operator has none in this form and dtype" : reasons));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<v1::Case>> CallBuilder::At(v1::Point point, const std::string& why_scaled) const {
  point.set_label(Label(point));
  point.set_reveals(absl::StrCat("a model's call", why_scaled.empty() ? "" : ", scaled, as ", why_scaled,
                                 ": ", call_.text));
  std::vector<v1::Case> cases;
  for (const v1::FunctionRules* rules : functions_) {
    ASSIGN_OR_RETURN(Fit fit, BuildCase(op_, *rules, point, call_.dtype));
    if (!fit.c.has_value()) return absl::InvalidArgumentError(absl::StrCat(rules->name(), ": ", fit.why_not));
    if (LargestTensorBytes(*fit.c) > kMostStoredBytes) FillInBlocks(&*fit.c);
    RETURN_IF_ERROR(FinishCase(*rules, &*fit.c));
    cases.push_back(*std::move(fit.c));
  }
  return cases;
}

// The bytes of the largest tensor, outputs included; beyond every bound where a function does not take the
// point.
int64_t CallBuilder::Largest(const v1::Point& point) const {
  int64_t largest = 0;
  for (const v1::FunctionRules* rules : functions_) {
    const absl::StatusOr<Fit> fit = BuildCase(op_, *rules, point, call_.dtype);
    if (!fit.ok() || !fit->c.has_value()) return kUnfit;
    largest = std::max(largest, LargestTensorBytes(*fit->c));
  }
  return largest;
}

v1::Point CallBuilder::Scaled(int64_t bound) const {
  v1::Point best = call_.point;
  int64_t least = kUnfit;
  for (int64_t threshold = kLargestThreshold; threshold >= kSmallestThreshold && least > bound;
       threshold /= 2) {
    v1::Point point = ScaledTo(threshold);
    const int64_t largest = Largest(point);
    if (largest >= least) continue;
    least = largest;
    best = std::move(point);
  }
  return best;
}

v1::Point CallBuilder::ScaledTo(int64_t threshold) const {
  const auto smaller = [=](int64_t size) {
    return size > threshold + kTail ? threshold + size % kTail : size;
  };
  // Below every size that is scaled, so that an index is valid whichever size it belongs to.
  const auto end = [=](int64_t size) { return std::min(size, threshold); };
  v1::Point point = call_.point;
  sizes_.Change(&point, smaller, end);
  if (Largest(point) < kUnfit) return point;
  // Not all together: one size after the other, the largest first, where the others allow it.
  std::set<int64_t, std::greater<>> sizes;
  point = call_.point;
  sizes_.Change(
      &point,
      [&](int64_t size) {
        sizes.insert(size);
        return size;
      },
      end);
  // Twice, as one size may allow another: no k of topk may exceed its dimension.
  for (int pass = 0; pass < 2; ++pass) {
    for (const int64_t size : sizes) {
      if (smaller(size) == size) break;
      v1::Point next = point;
      sizes_.Change(
          &next, [&](int64_t each) { return each == size ? smaller(size) : each; }, end);
      if (Largest(next) < kUnfit) point = next;
    }
  }
  return point;
}

// The shapes of the first tensors, for people, and a hash of everything.
std::string CallBuilder::Label(const v1::Point& point) const {
  std::string label = "model";
  std::string last;
  for (const v1::PointTensor& tensor : point.in()) {
    if (label.size() > kLabelLength || tensor.null()) break;
    const std::string shape = tensor.shape().empty() ? "scalar" : absl::StrJoin(tensor.shape(), "x");
    if (shape != last) absl::StrAppend(&label, "_", shape);
    last = shape;
  }
  return absl::StrCat(label, "_", Xxh128Hex(point.SerializeAsString()).substr(0, kHashDigits));
}

}  // namespace

const v1::OperatorFile* OperatorOf(const ModelCall& call, const std::vector<v1::OperatorFile>& operators) {
  const bool is_function = absl::StartsWith(call.name, kFunctionPrefix);
  const auto found = std::find_if(operators.begin(), operators.end(), [&](const v1::OperatorFile& op) {
    return is_function ? FindRules(op, call.name) != nullptr : op.operator_() == call.name;
  });
  return found == operators.end() ? nullptr : &*found;
}

absl::StatusOr<CallCases> BuildCall(const v1::OperatorFile& op, const ModelCall& call,
                                    int64_t max_tensor_bytes) {
  return CallBuilder(op, call, max_tensor_bytes).Run();
}

}  // namespace diopi::cases
