// Everything here is decided from the specs; no values are drawn. What a case has and what it may have come
// from one visit, so that both mean the same classes. A class is offered only where its result is defined: no
// value pattern where numbers are indices, no NaN where sources differ about it, no expanded dimension long
// enough for equal roundings to add up.
#include "cases/core/argument_classes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/layout.h"
#include "cases/base/tensor.h"
#include "cases/core/operand_classes.h"
#include "cases/fill/fill.h"

namespace diopi::cases {
namespace {

using D = v1::Dtype;
using L = v1::Layout;

constexpr const char* kNames[] = {"transposed", "strided",  "offset",    "expanded", "nhwc",
                                  "near24",     "near31",   "near53",    "wide",     "fine24",
                                  "fine53",     "detour",   "nonfinite", "payload",  "zerotimes",
                                  "far",        "permuted", "mixed",     "mixed0d"};
constexpr L::Kind kKinds[] = {L::transposed, L::strided, L::offset, L::expanded, L::channels_last};
constexpr int64_t kMostRepeats = 8;         // equal terms have equal roundings, which add up
constexpr int64_t kBelow = 3, kAbove = 60;  // the neighbours of a power of two

int DigitsOf(int id) {
  return id == kNear24 ? 24 : id == kNear31 ? 31 : 53;
}

// A dimension along which few elements may be the same; -1: none.
int64_t ExpandableDim(const v1::TensorSpec& spec) {
  for (int d = 0; d < spec.shape_size(); ++d)
    if (spec.shape(d) > 1 && spec.shape(d) <= kMostRepeats) return d;
  return -1;
}

int64_t FromEnd(const google::protobuf::RepeatedField<int64_t>& values, int i) {
  return i <= values.size() ? values.Get(values.size() - i) : 0;
}

bool MayHaveLayout(int id, const v1::TensorSpec& spec, bool read_only) {
  const v1::Fill& fill = spec.fill();
  const int rank = spec.shape_size();
  const int64_t elements = ElementsOf(spec);
  if (!spec.from().empty() || !spec.same_as().empty() || elements == 0) return false;
  switch (id) {
    case kTransposed:
      return FromEnd(spec.shape(), 1) > 1 && FromEnd(spec.shape(), 2) > 1;
    case kStrided:
      return elements > 1;
    case kExpanded:  // the fill of a list of values that belong together would be another one
      return read_only && ExpandableDim(spec) >= 0 && !fill.has_values() && !fill.has_permutation() &&
             !fill.has_range();
    case kNhwc:
      return (rank == 4 || rank == 5) && spec.shape(1) > 1 && elements > spec.shape(0) * spec.shape(1);
    default:
      return true;
  }
}

bool HasLayout(int id, const v1::TensorSpec& spec) {
  if (spec.strides_size() != spec.shape_size() || ElementsOf(spec) == 0) return false;
  if (id == kOffset) return spec.storage_offset() > 0;
  bool expanded = false;
  int64_t least = INT64_MAX;
  for (int d = 0; d < spec.shape_size(); ++d) {
    if (spec.shape(d) <= 1) continue;
    expanded = expanded || spec.strides(d) == 0;
    least = std::min(least, spec.strides(d));
  }
  if (id == kExpanded || expanded) return id == kExpanded && expanded;
  if (id == kStrided) return least != INT64_MAX && least > 1;
  if (!MayHaveLayout(id, spec, false)) return false;
  if (id == kNhwc) return spec.strides(1) == 1;
  return FromEnd(spec.strides(), 2) < FromEnd(spec.strides(), 1);
}

// Whether an output's elements are integers or truth values: where they are floating, a kernel may compute in
// that type from the start.
bool GivesIntegers(const v1::Case& c) {
  const auto counts = [](Dtype dtype) { return IsInteger(dtype) || dtype == D::bool_; };
  return std::any_of(c.args().begin(), c.args().end(), [&](const v1::Argument& arg) {
    if (arg.role() == v1::ROLE_INPUT || arg.role() == v1::ROLE_ATTRIBUTE) return false;
    if (arg.has_host_output()) return counts(arg.host_output().dtype());
    if (arg.has_tensor()) return counts(arg.tensor().dtype());
    const auto& list = arg.tensors().tensors();
    return std::any_of(list.begin(), list.end(), [&](const auto& spec) { return counts(spec.dtype()); });
  });
}

}  // namespace

bool MovesOnly(const v1::FunctionRules& rules) {
  return std::all_of(rules.judge().begin(), rules.judge().end(),
                     [](const v1::Judge& judge) { return judge.kind() == v1::Judge::EXACT; });
}

namespace {

bool IsNear(int64_t low, int64_t high, int bits) {
  const int64_t power = int64_t{1} << bits, reach = power >> 8;
  if (high < 0) return low != INT64_MIN && IsNear(-high, -low, bits);
  return low > power - reach && high > power && high < power + reach;
}

bool HoldsBits(Dtype dtype, int id) {
  return dtype == D::int64 || (dtype == D::int32 && (id == kNear24 || id == kWide));
}

int64_t PatternOf(int id, bool negative) {
  return id == kWide ? 0 : id - kNear24 + (negative ? 4 : 1);
}

// Its numbers mean nothing but themselves.
bool IsValue(int id, const v1::TensorSpec& spec) {
  return spec.from().empty() && spec.same_as().empty() && ElementsOf(spec) > 0 &&
         DigitsFill(spec.dtype(), PatternOf(id, false), spec.fill()).has_value();
}

bool HasValues(int id, const v1::TensorSpec& spec) {
  const v1::Fill& fill = spec.fill();
  if (!HoldsBits(spec.dtype(), id) || ElementsOf(spec) == 0) return false;
  if (id == kWide) return fill.has_full();
  if (fill.has_permutation())
    return IsNear(fill.permutation().start(), fill.permutation().start() + kAbove, DigitsOf(id));
  return fill.has_integers() && IsNear(fill.integers().low(), fill.integers().high(), DigitsOf(id));
}

// Whether a number has more digits than a type of `precision` has.
bool IsFine(double number, int precision) {
  int exponent = 0;
  const double digits = std::ldexp(std::frexp(number, &exponent), precision);
  return std::isfinite(number) && digits != std::trunc(digits);
}

// Visits each class that the case has or may have.
template <typename Visit>  // visit(ArgumentClass, bool has, bool may)
void VisitTensor(const v1::FunctionRules& rules, const v1::Case& c, const v1::Argument& arg,
                 const v1::TensorSpec& spec, Visit visit) {
  const bool written = arg.role() != v1::ROLE_INPUT;
  if (arg.role() == v1::ROLE_LIBRARY_OUTPUT) return;
  for (int id = 0; id < kNear24; ++id)
    visit({arg.name(), id}, HasLayout(id, spec), MayHaveLayout(id, spec, !written));
  const auto searched = [&](const v1::Judge& judge) {
    return judge.kind() == v1::Judge::INDEX_OF && judge.input() == arg.name();
  };
  const bool value = !spec.fill().has_permutation() ||  // of indices, unless it is what they are sought in
                     std::any_of(rules.judge().begin(), rules.judge().end(), searched);
  if (arg.role() == v1::ROLE_OUTPUT || !value || !GivesIntegers(c)) return;
  for (int id = kNear24; id <= kWide; ++id)
    visit({arg.name(), id}, HasValues(id, spec), IsValue(id, spec) && (id != kWide || MovesOnly(rules)));
}

double NumberOf(const v1::Argument& arg) {
  return arg.has_scalar() ? arg.scalar().f() : arg.f();
}

template <typename Visit>
void VisitAttribute(const v1::FunctionRules& rules, const v1::Case& c, const v1::Argument& arg, Visit visit) {
  if (arg.has_scalar() && arg.scalar().dtype() == D::int64 && GivesIntegers(c)) {
    for (int id = kNear24; id <= kWide; ++id) {
      const int64_t value = arg.scalar().i();
      const bool wide = value == INT64_MAX || value == INT64_MIN || value == INT32_MAX || value == INT32_MIN;
      visit({arg.name(), id},
            id == kWide ? wide
                        : HoldsBits(c.dtype(), id) &&
                              IsNear(value, value < INT64_MAX ? value + 1 : value, DigitsOf(id)),
            HoldsBits(c.dtype(), id) && (id != kWide || MovesOnly(rules)));
    }
  }
  if (!arg.has_f() && !(arg.has_scalar() && arg.scalar().dtype() == D::float64)) return;
  const bool may = NumberOf(arg) != 0 && std::isfinite(NumberOf(arg));
  if (c.dtype() == D::float32) visit({arg.name(), kFine24}, IsFine(NumberOf(arg), 11), may);
  if (c.dtype() == D::float64) visit({arg.name(), kFine53}, IsFine(NumberOf(arg), 24), may);
}

// Which path an attribute chooses; empty: none, or too many to tell apart.
std::string PathOf(const v1::Argument& arg) {
  if (arg.has_s()) return absl::StrCat(arg.name(), " ", arg.s());
  if (arg.has_b()) return absl::StrCat(arg.name(), arg.b() ? " true" : " false");
  if (arg.role() != v1::ROLE_ATTRIBUTE || arg.value_case() != v1::Argument::kI) return "";
  return absl::StrCat(arg.name(), arg.i() < 0 ? " < 0" : arg.i() > 1 ? " > 1" : arg.i() == 1 ? " 1" : " 0");
}

template <typename Visit>
void VisitNonFinite(const v1::Case& c, const v1::Argument& arg, const v1::TensorSpec& spec, Visit visit) {
  if (!MayBeNonFinite(c.family()) || !IsFloating(spec.dtype()) || arg.role() != v1::ROLE_INPUT) return;
  const bool may =
      spec.from().empty() && spec.same_as().empty() && ElementsOf(spec) > 2 && !spec.fill().has_values();
  // A signalling NaN to the power of 0 is 1 or NaN, the parts of a complex number are compared bit by bit,
  // and gradients at NaN are conventions.
  const bool gradient = absl::StrContains(c.function(), "Backward") && !absl::StartsWith(arg.name(), "grad");
  if (c.operator_() != "pow" && c.operator_() != "complex" && !gradient)
    visit({arg.name(), kPayload}, HasPayload(spec.fill()), may);
  for (const v1::Argument& other : c.args()) {
    const std::string path = PathOf(other);
    if (!path.empty()) visit({arg.name(), kNonFinite, path}, HasNonFinite(spec.fill()), may);
  }
}

template <typename Visit>
void VisitClasses(const v1::FunctionRules& rules, const v1::Case& c, Visit visit) {
  for (const v1::Argument& arg : c.args()) {
    for (const v1::TensorSpec* spec : SpecsOf(arg)) {
      VisitTensor(rules, c, arg, *spec, visit);
      VisitNonFinite(c, arg, *spec, visit);
    }
    VisitAttribute(rules, c, arg, visit);
    VisitOperand(rules, c, arg, visit);
  }
}

// Gives the point's tensors of the argument, or those of its rule, the class.
void ChangeTensors(const std::string& name, const v1::Argument& arg, int id, bool negative,
                   v1::Point* point) {
  std::vector<v1::PointTensor*> given;
  for (v1::PointTensor& tensor : *point->mutable_in())
    if (tensor.name() == name) given.push_back(&tensor);
  const int count = arg.has_tensor() ? 1 : arg.tensors().tensors_size();
  for (int i = 0; i < count; ++i) {
    const v1::TensorSpec& spec = arg.has_tensor() ? arg.tensor() : arg.tensors().tensors(i);
    const bool may = IsLayout(id) ? MayHaveLayout(id, spec, arg.role() == v1::ROLE_INPUT)
                     : id == kNonFinite || id == kPayload ? ElementsOf(spec) > 2
                                                          : IsValue(id, spec);
    if (static_cast<int>(given.size()) <= i) {  // what its rule makes
      given.push_back(point->add_in());
      given.back()->set_name(name);
      *given.back()->mutable_shape() = spec.shape();
      given.back()->set_dtype(std::string(DtypeName(spec.dtype())));
      *given.back()->mutable_fill() = spec.fill();
    }
    v1::PointTensor* tensor = given[static_cast<size_t>(i)];
    if (!may || tensor->null()) continue;
    if (id == kNonFinite || id == kPayload) {
      static const double kNonFinites[] = {HUGE_VAL, std::nan(""), -HUGE_VAL};
      v1::Fill::Specials* specials = tensor->mutable_fill()->mutable_specials();
      specials->set_low_payload(id == kPayload);
      for (const double value : kNonFinites) specials->add_values(id == kPayload ? std::nan("") : value);
      continue;
    }
    if (!IsLayout(id)) {
      *tensor->mutable_fill() = *DigitsFill(spec.dtype(), PatternOf(id, negative), spec.fill());
      continue;
    }
    tensor->mutable_layout()->Clear();
    tensor->mutable_layout()->set_kind(kKinds[id]);
    if (id == kExpanded) tensor->mutable_layout()->add_dims(ExpandableDim(spec));
  }
}

void ChangeAttribute(const std::string& name, const v1::Argument& arg, int id, Dtype dtype, bool negative,
                     v1::Point* point) {
  auto* attributes = point->mutable_attr();
  auto found = std::find_if(attributes->begin(), attributes->end(),
                            [&](const auto& each) { return each.name() == name; });
  v1::PointAttribute* attribute = found == attributes->end() ? attributes->Add() : &*found;
  attribute->set_name(name);
  const int64_t greatest = dtype == D::int32 ? INT32_MAX : INT64_MAX;
  if (id == kFine24 || id == kFine53) {
    attribute->set_f(NumberOf(arg) * (1 + std::ldexp(1, id == kFine24 ? -18 : -30)));
  } else {
    const int64_t number = id == kWide ? greatest : (int64_t{1} << DigitsOf(id)) + 1;
    attribute->set_i(negative ? -number : number);
  }
}

}  // namespace

std::string NameOf(const ArgumentClass& key) {
  return key.with.empty() ? kNames[key.id] : absl::StrCat(kNames[key.id], " with ", key.with);
}

std::set<ArgumentClass> ClassesOf(const v1::FunctionRules& rules, const v1::Case& c, bool may) {
  std::set<ArgumentClass> keys;
  VisitClasses(rules, c, [&](ArgumentClass key, bool has, bool could) {
    if (may ? could && !has : has) keys.insert(std::move(key));
  });
  return keys;
}

void Change(const v1::Case& c, const v1::Argument& arg, int id, bool negative, v1::Point* point) {
  const std::string& name = PointName(arg);
  if (IsOfOperand(id)) {
    ChangeOperand(c, arg, id, point);
  } else if (arg.role() == v1::ROLE_OUTPUT) {
    point->mutable_out_layout()->set_kind(kKinds[id]);
  } else if (arg.has_tensor() || arg.has_tensors()) {
    ChangeTensors(name, arg, id, negative, point);
  } else {
    ChangeAttribute(name, arg, id, c.dtype(), negative, point);
  }
}

bool MayRepeat(const std::string& family) {
  static const std::set<std::string> decide = {"boxes",  "decoding",           "detection", "linalg",
                                               "points", "polygons",           "random",    "sampling",
                                               "set",    "sparse_convolution", "voxels"};
  return !decide.contains(family);
}

bool MayBeNonFinite(const std::string& family) {
  static const std::set<std::string> open = {"elementwise", "index", "loss",  "reduction",
                                             "softmax",     "sort",  "tensor"};
  return open.contains(family);
}

std::optional<v1::Fill> DigitsFill(Dtype dtype, int64_t pattern, const v1::Fill& before) {
  const int id = pattern == 0 ? kWide : kNear24 + static_cast<int>((pattern - 1) % 3);
  const bool open = before.kind_case() == v1::Fill::KIND_NOT_SET || before.has_full() ||
                    before.has_permutation() ||
                    before.SerializeAsString() == DefaultFill(dtype).SerializeAsString();
  if (!HoldsBits(dtype, id) || !open || (id == kWide && before.has_permutation())) return std::nullopt;
  v1::Fill fill;
  if (id == kWide) {
    fill.mutable_full();
    return fill;
  }
  const int64_t power = int64_t{1} << DigitsOf(id);
  const int64_t low = pattern > 3 ? -power - kAbove : power - kBelow;
  if (before.has_permutation()) {
    fill.mutable_permutation()->set_start(low);
  } else {
    fill.mutable_integers()->set_low(low);
    fill.mutable_integers()->set_high(low + kBelow + kAbove);
  }
  return fill;
}

}  // namespace diopi::cases
