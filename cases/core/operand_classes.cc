// The classes of operand_classes.h. Whether a case has one follows from its arguments' specs alone; nothing
// is generated. A change keeps what the operator needs: boxes move together, compared operands get the same
// values, and the other operand of a NaN gets zeros to meet it.
#include "cases/core/operand_classes.h"

#include <algorithm>
#include <cmath>

#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/tensor.h"
#include "cases/core/shared_memory.h"

namespace diopi::cases {
namespace {

using D = v1::Dtype;
using L = v1::Layout;

constexpr double kFarAway = 0x1p14, kFarthest = 1024;  // of boxes

// Whether some number that the fill names is such.
template <typename Is>
bool Names(const v1::Fill& fill, Is is) {
  const auto any = [&](const auto& values) { return std::any_of(values.begin(), values.end(), is); };
  return any(fill.specials().values()) || any(fill.values().values());
}

}  // namespace

bool HasNonFinite(const v1::Fill& fill) {
  return Names(fill, [](double value) { return !std::isfinite(value); });
}

bool HasPayload(const v1::Fill& fill) {
  return fill.specials().low_payload();
}

bool HoldsNan(const v1::Argument& arg, bool infinite) {
  const auto holds = [&](const v1::TensorSpec& spec) {
    return Names(spec.fill(),
                 [&](double value) { return std::isnan(value) || (infinite && std::isinf(value)); });
  };
  const auto& list = arg.tensors().tensors();
  return holds(arg.tensor()) || std::any_of(list.begin(), list.end(), holds);
}

namespace {

// Half of its numbers, or a third, are 0.
bool IsZerosFill(const v1::Fill& fill) {
  const v1::Fill::Integers& range = fill.integers();
  return fill.has_integers() && range.low() <= 0 && range.high() >= 0 && range.high() - range.low() <= 4;
}

// Numbers in [2^b, 2^b + 64), of which the next narrower type has only some.
double DetourStart(Dtype dtype) {
  return dtype == D::float64 ? 0x1p24 : 0x1p11;
}

bool IsDetour(const v1::TensorSpec& spec) {
  return spec.fill().has_uniform() && spec.fill().uniform().low() == DetourStart(spec.dtype()) &&
         spec.fill().uniform().high() <= spec.fill().uniform().low() + 64;
}

// Boxes by two corners in whole numbers, which a translation by 2^14 leaves exact.
bool IsBoxes(const v1::Case& c, const v1::Argument& arg, double from) {
  const v1::TensorSpec& spec = arg.tensor();
  const auto& values = spec.fill().values().values();
  return (c.family() == "boxes" || c.family() == "detection") && arg.role() == v1::ROLE_INPUT &&
         (spec.dtype() == D::float32 || spec.dtype() == D::float64) && spec.shape_size() > 0 &&
         spec.shape(spec.shape_size() - 1) == 4 && !values.empty() &&
         std::all_of(values.begin(), values.end(), [&](double value) {
           return value == std::trunc(value) && value >= from && value < from + kFarthest;
         });
}

// Whether no two dimensions, of five or more, lie in memory like one.
bool IsPermuted(const v1::TensorSpec& spec) {
  int apart = 0;
  for (int d = 0; d < spec.shape_size() && spec.strides_size() == spec.shape_size(); ++d) {
    if (spec.shape(d) == 1 || spec.strides(d) == 0) return false;
    const bool last = d + 1 == spec.shape_size();
    apart += last || spec.strides(d) != spec.shape(d + 1) * spec.strides(d + 1) ? 1 : 0;
  }
  return apart >= 5;
}

bool HasOneElement(const v1::TensorSpec& spec) {
  return ElementsOf(spec) == 1;
}

// Whether all tensors of the call may get another shape: they are processed element by element.
bool MayReshape(const v1::Case& c) {
  const v1::TensorSpec* first = nullptr;
  for (const v1::Argument& arg : c.args()) {
    if (arg.has_tensors() || arg.has_sizes()) return false;
    if (!arg.has_tensor() || arg.role() == v1::ROLE_OUTPUT || HasOneElement(arg.tensor())) continue;
    const v1::TensorSpec& spec = arg.tensor();
    if (first == nullptr) first = &spec;
    const bool like =
        std::equal(first->shape().begin(), first->shape().end(), spec.shape().begin(), spec.shape().end());
    if (!like || ElementsOf(spec) == 0 || !spec.same_as().empty() || !spec.from().empty() ||
        spec.fill().has_permutation())
      return false;
  }
  return c.family() == "elementwise" && first != nullptr && !SharesMemory(c);
}

// The dtype that an operand gets beside those of the case's.
Dtype OtherDtype(Dtype dtype) {
  switch (dtype) {
    case D::float16:
      return D::float32;
    case D::float32:
    case D::bool_:
      return D::int64;
    case D::bfloat16:
      return D::float16;
    case D::int64:
      return D::float32;
    case D::uint8:
      return D::int8;
    case D::int8:
      return D::int16;
    default:
      return D::int32;
  }
}

// Whether the type of a result is that to which the argument and others are promoted.
bool IsPromoted(const v1::FunctionRules& rules, const std::string& name) {
  return std::any_of(rules.arg().begin(), rules.arg().end(), [&](const v1::ArgRule& rule) {
    const auto& names = rule.promote();
    return names.size() > 1 && std::find(names.begin(), names.end(), name) != names.end();
  });
}

// The point's tensor, or the one that its rule makes.
v1::PointTensor* TensorOf(const v1::Argument& arg, v1::Point* point) {
  for (v1::PointTensor& tensor : *point->mutable_in())
    if (tensor.name() == PointName(arg)) return &tensor;
  v1::PointTensor* made = point->add_in();
  made->set_name(PointName(arg));
  *made->mutable_shape() = arg.tensor().shape();
  made->set_dtype(std::string(DtypeName(arg.tensor().dtype())));
  *made->mutable_fill() = arg.tensor().fill();
  return made;
}

// Five dimensions, those of `arg` in the opposite order in memory.
void ChangeShapes(const v1::Case& c, const v1::Argument& arg, v1::Point* point) {
  static constexpr int64_t kShape[] = {3, 2, 4, 3, 2}, kStrides[] = {1, 3, 6, 24, 72};
  point->clear_out_layout();
  for (const v1::Argument& each : c.args()) {
    if (!each.has_tensor() || each.role() == v1::ROLE_OUTPUT || HasOneElement(each.tensor())) continue;
    v1::PointTensor* tensor = TensorOf(each, point);
    tensor->mutable_shape()->Assign(std::begin(kShape), std::end(kShape));
    tensor->clear_layout();
    if (each.name() != arg.name()) continue;
    tensor->mutable_layout()->set_kind(L::explicit_);
    tensor->mutable_layout()->mutable_strides()->Assign(std::begin(kStrides), std::end(kStrides));
  }
}

}  // namespace

void VisitOperand(const v1::FunctionRules& rules, const v1::Case& c, const v1::Argument& arg,
                  const VisitClass& visit) {
  if (!arg.has_tensor() || arg.role() == v1::ROLE_OUTPUT || arg.role() == v1::ROLE_LIBRARY_OUTPUT) return;
  const v1::TensorSpec& spec = arg.tensor();
  const bool open = spec.from().empty() && spec.same_as().empty();
  const bool floating = IsFloating(spec.dtype()) && arg.role() == v1::ROLE_INPUT;
  const bool products = c.family() == "linear" || c.family() == "convolution";
  const auto others = [&](bool zeros) {
    return std::any_of(c.args().begin(), c.args().end(), [&](const v1::Argument& other) {
      return other.name() != arg.name() && other.role() == v1::ROLE_INPUT &&
             other.tensor().shape_size() >= 2 && other.tensor().from().empty() &&
             (!zeros || IsZerosFill(other.tensor().fill()));
    });
  };
  if (floating && products && spec.shape_size() >= 2)
    visit({arg.name(), kZeroTimes}, HasNonFinite(spec.fill()) && others(true), open && others(false));
  const bool wide = spec.dtype() == D::float32 || spec.dtype() == D::float64;
  if (wide && c.family() == "elementwise" && MovesOnly(rules))
    visit({arg.name(), kDetour}, IsDetour(spec), open && ElementsOf(spec) > 16 && !spec.fill().has_values());
  visit({arg.name(), kFar}, IsBoxes(c, arg, kFarAway), IsBoxes(c, arg, 0));
  visit({arg.name(), kPermuted}, IsPermuted(spec), MayReshape(c) && !HasOneElement(spec));
  if (!IsPromoted(rules, arg.name()) || arg.role() != v1::ROLE_INPUT) return;
  const bool mixed = spec.dtype() != c.dtype();
  const bool scalar = spec.shape_size() == 0;
  visit({arg.name(), kMixed}, mixed && !scalar, open && !scalar);
  visit({arg.name(), kMixed0d}, mixed && scalar, open);
}

void ChangeOperand(const v1::Case& c, const v1::Argument& arg, int id, v1::Point* point) {
  if (id == kPermuted) return ChangeShapes(c, arg, point);
  if (id == kDetour) {
    for (const v1::Argument& each : c.args()) {  // alike, so that what is compared may meet
      if (each.role() == v1::ROLE_OUTPUT || !each.has_tensor() || each.tensor().dtype() != c.dtype() ||
          !each.tensor().from().empty())
        continue;
      v1::Fill fill;
      fill.mutable_uniform()->set_low(DetourStart(c.dtype()));
      fill.mutable_uniform()->set_high(DetourStart(c.dtype()) + 64);
      *TensorOf(each, point)->mutable_fill() = fill;
    }
    return;
  }
  if (id == kFar) {
    for (const v1::Argument& each : c.args()) {  // boxes meet boxes
      if (!IsBoxes(c, each, 0)) continue;
      for (double& value : *TensorOf(each, point)->mutable_fill()->mutable_values()->mutable_values())
        value += kFarAway;
    }
    return;
  }
  v1::PointTensor* tensor = TensorOf(arg, point);
  v1::Fill::Specials* specials = tensor->mutable_fill()->mutable_specials();
  if (id == kZeroTimes) {
    for (const double value : {HUGE_VAL, std::nan(""), -HUGE_VAL}) specials->add_values(value);
    for (const v1::Argument& other : c.args()) {
      if (other.name() == arg.name() || other.role() != v1::ROLE_INPUT || other.tensor().shape_size() < 2 ||
          !other.tensor().from().empty())
        continue;
      v1::Fill* fill = TensorOf(other, point)->mutable_fill();
      fill->mutable_integers()->set_low(-1);
      fill->mutable_integers()->set_high(1);
    }
    return;
  }
  // A number of more digits than a 16-bit type may be rounded to it first, as PyTorch does.
  const bool narrow = c.dtype() == D::float16 || c.dtype() == D::bfloat16;
  const Dtype dtype = id == kMixed0d && narrow ? D::int32 : OtherDtype(c.dtype());
  tensor->set_dtype(std::string(DtypeName(dtype)));
  tensor->clear_fill();
  if (IsInteger(dtype)) {
    tensor->mutable_fill()->mutable_integers()->set_low(1);
    tensor->mutable_fill()->mutable_integers()->set_high(7);
  }
  if (id != kMixed0d) return;
  tensor->clear_shape();
  tensor->clear_layout();
}

}  // namespace diopi::cases
