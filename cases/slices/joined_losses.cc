#include "cases/slices/joined_losses.h"

#include <algorithm>

#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/tensor.h"
#include "cases/slices/piece_case.h"

namespace diopi::slices {
namespace {

// Arguments of losses in the ABI.
constexpr char kReduction[] = "reduction";
constexpr char kTarget[] = "target";
constexpr char kWeight[] = "weight";
constexpr char kIgnored[] = "ignore_index";

}  // namespace

Reduction ReductionOf(const v1::Case& c) {
  const v1::Argument* arg = FindArgument(c, kReduction);
  return arg == nullptr ? Reduction::kNone : static_cast<Reduction>(arg->i());
}

bool CountsEveryLoss(const v1::Case& c) {
  const v1::Argument* target = FindArgument(c, kTarget);
  if (target == nullptr || !target->has_tensor()) return false;
  if (IsFloating(target->tensor().dtype())) return true;  // probabilities: none is ignored
  const v1::Argument* weight = FindArgument(c, kWeight);
  if (weight != nullptr && weight->has_tensor()) return false;
  const v1::Argument* ignored = FindArgument(c, kIgnored);
  if (ignored == nullptr) return true;
  const v1::Fill& fill = target->tensor().fill();
  const auto& values = fill.values().values();
  if (fill.has_values()) return std::find(values.begin(), values.end(), ignored->i()) == values.end();
  return fill.has_integers() &&
         (ignored->i() < fill.integers().low() || ignored->i() > fill.integers().high());
}

std::optional<v1::Case> Unjoined(const v1::Case& c, const std::string& output) {
  const Reduction reduction = ReductionOf(c);
  const v1::Argument* target = FindArgument(c, kTarget);
  if (reduction == Reduction::kNone || target == nullptr || !target->has_tensor()) return std::nullopt;
  if (reduction == Reduction::kMean && !CountsEveryLoss(c)) return std::nullopt;
  std::vector<int64_t> losses = SpecShape(target->tensor());
  // Probabilities have a dimension of classes, the only one or the second.
  if (IsFloating(target->tensor().dtype()) && !losses.empty())
    losses.erase(losses.begin() + (losses.size() > 1 ? 1 : 0));
  v1::Case unjoined = c;
  bool found = false;
  for (v1::Argument& arg : *unjoined.mutable_args()) {
    if (arg.name() == kReduction) arg.set_i(static_cast<int64_t>(Reduction::kNone));
    if (arg.name() != output || !arg.has_tensor() || arg.tensor().dtype() == v1::Dtype::float64) continue;
    found = ElementsOf(arg.tensor()) == 1;
    Reshape(losses, arg.mutable_tensor());
  }
  return found ? std::optional<v1::Case>(std::move(unjoined)) : std::nullopt;
}

}  // namespace diopi::slices
