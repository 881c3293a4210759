#include "cases/core/argument_classes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/dtype.h"
#include "cases/base/layout.h"
#include "cases/base/tensor.h"
#include "cases/core/fill.h"
#include "cases/core/judges.h"
#include "cases/core/shared_memory.h"
#include "proto/abi/abi.h"

namespace diopi::cases {
namespace {

using D = v1::Dtype;
using L = v1::Layout;

constexpr const char* kNames[] = {"transposed", "strided",   "offset",  "expanded",   "nhwc",
                                  "near24",     "near31",    "near53",  "wide",       "fine24",
                                  "fine53",     "nonfinite", "payload", "zerotimes",  "permuted",
                                  "mixed",      "mixed0d",   "aliased", "interleaved"};
constexpr L::Kind kKinds[] = {L::transposed, L::strided, L::offset, L::expanded, L::channels_last};
constexpr int64_t kMostRepeats = 8;         // equal terms have equal roundings, which add up
constexpr int64_t kBelow = 3, kAbove = 60;  // the neighbours of a power of two

int DigitsOf(int id) {
  return id == kNear24 ? 24 : id == kNear31 ? 31 : 53;
}

int64_t CountOf(const v1::TensorSpec& spec) {
  return NumElements({spec.shape().begin(), spec.shape().end()});
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
  const int64_t elements = CountOf(spec);
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
  if (spec.strides_size() != spec.shape_size() || CountOf(spec) == 0) return false;
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
  return spec.from().empty() && spec.same_as().empty() && CountOf(spec) > 0 &&
         DigitsFill(spec.dtype(), PatternOf(id, false), spec.fill()).has_value();
}

bool HasValues(int id, const v1::TensorSpec& spec) {
  const v1::Fill& fill = spec.fill();
  if (!HoldsBits(spec.dtype(), id) || CountOf(spec) == 0) return false;
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
            id == kWide ? wide : HoldsBits(c.dtype(), id) && IsNear(value, value + 1, DigitsOf(id)),
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

// Whether some number that the fill names is such.
template <typename Is>
bool Names(const v1::Fill& fill, Is is) {
  const auto any = [&](const auto& values) { return std::any_of(values.begin(), values.end(), is); };
  return any(fill.specials().values()) || any(fill.values().values());
}

bool HasNonFinite(const v1::Fill& fill) {
  return Names(fill, [](double value) { return !std::isfinite(value); });
}

bool IsPayload(double value) {
  return std::isnan(value) && std::signbit(value);
}

// Half of its numbers, or a third, are 0.
bool IsZerosFill(const v1::Fill& fill) {
  const v1::Fill::Integers& range = fill.integers();
  return fill.has_integers() && range.low() <= 0 && range.high() >= 0 && range.high() - range.low() <= 4;
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
  return CountOf(spec) == 1;
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
    if (!like || CountOf(spec) == 0 || !spec.same_as().empty() || spec.fill().has_permutation()) return false;
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

// NaN whose payload is its lowest bit, zeros against what is not finite, dimensions in another order, types.
template <typename Visit>
void VisitNumbers(const v1::FunctionRules& rules, const v1::Case& c, const v1::Argument& arg, Visit visit) {
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
  visit({arg.name(), kPermuted}, IsPermuted(spec), MayReshape(c) && !HasOneElement(spec));
  if (!IsPromoted(rules, arg.name()) || arg.role() != v1::ROLE_INPUT) return;
  const bool mixed = spec.dtype() != c.dtype();
  const bool scalar = spec.shape_size() == 0;
  visit({arg.name(), kMixed}, mixed && !scalar, open && !scalar);
  visit({arg.name(), kMixed0d}, mixed && scalar, open);
}

template <typename Visit>
void VisitNonFinite(const v1::Case& c, const v1::Argument& arg, const v1::TensorSpec& spec, Visit visit) {
  if (!MayBeNonFinite(c.family()) || !IsFloating(spec.dtype()) || arg.role() != v1::ROLE_INPUT) return;
  const bool may =
      spec.from().empty() && spec.same_as().empty() && CountOf(spec) > 2 && !spec.fill().has_values();
  visit({arg.name(), kPayload}, Names(spec.fill(), IsPayload), may);
  for (const v1::Argument& other : c.args()) {
    const std::string path = PathOf(other);
    if (!path.empty()) visit({arg.name(), kNonFinite, path}, HasNonFinite(spec.fill()), may);
  }
}

const v1::TensorSpec& FirstTensor(const v1::Argument& arg) {
  return arg.has_tensors() && !arg.tensors().tensors().empty() ? arg.tensors().tensors(0) : arg.tensor();
}

// The first output that may lie in the memory of the input, or does; null: none.
const v1::Argument* OutputIn(const v1::Case& c, const v1::Argument& input, bool gaps, bool may) {
  const v1::TensorSpec& in = FirstTensor(input);
  for (const v1::Argument& out : c.args()) {
    if (out.role() != v1::ROLE_OUTPUT || out.has_tensors() != input.has_tensors()) continue;
    const v1::TensorSpec& spec = FirstTensor(out);
    const bool same = absl::StartsWith(spec.same_as(), input.name());
    const bool apart = spec.storage_offset() != in.storage_offset();
    const bool fits = CanShare(in, spec, false) &&
                      (!out.has_tensors() || out.tensors().tensors_size() == input.tensors().tensors_size());
    if (may ? fits && !SharesMemory(c) : same && apart == gaps) return &out;
  }
  return nullptr;
}

template <typename Visit>
void VisitShared(const v1::Case& c, const v1::Argument& arg, Visit visit) {
  if (arg.role() != v1::ROLE_INPUT || IsRandom(c)) return;
  for (const int id : {kAliased, kInterleaved}) {
    const bool gaps = id == kInterleaved;
    const bool enough = CountOf(FirstTensor(arg)) > 32;
    const bool may = enough && (gaps ? FirstTensor(arg).from().empty() : MayAlias(c, arg));
    visit({arg.name(), id}, OutputIn(c, arg, gaps, false) != nullptr,
          may && OutputIn(c, arg, gaps, true) != nullptr);
  }
}

template <typename Visit>
void VisitClasses(const v1::FunctionRules& rules, const v1::Case& c, Visit visit) {
  for (const v1::Argument& arg : c.args()) {
    const auto tensor = [&](const v1::TensorSpec& spec) {
      VisitTensor(rules, c, arg, spec, visit);
      VisitNonFinite(c, arg, spec, visit);
    };
    if (arg.has_tensor()) tensor(arg.tensor());
    for (const v1::TensorSpec& spec : arg.tensors().tensors()) tensor(spec);
    VisitAttribute(rules, c, arg, visit);
    VisitNumbers(rules, c, arg, visit);
    VisitShared(c, arg, visit);
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
                     : id == kNonFinite || id == kPayload ? CountOf(spec) > 2
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
      const double nan = id == kPayload ? -std::nan("") : std::nan("");
      for (const double value : {id == kPayload ? nan : HUGE_VAL, nan, id == kPayload ? nan : -HUGE_VAL})
        tensor->mutable_fill()->mutable_specials()->add_values(value);
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

const std::string& PointName(const v1::Argument& arg) {
  return arg.alias().empty() ? arg.name() : arg.alias();
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

void ChangeNumbers(const v1::Case& c, const v1::Argument& arg, int id, v1::Point* point) {
  v1::PointTensor* tensor = TensorOf(arg, point);
  v1::Fill::Specials* specials = tensor->mutable_fill()->mutable_specials();
  if (id == kZeroTimes) {
    for (const double value : {HUGE_VAL, std::nan(""), -HUGE_VAL}) specials->add_values(value);
    for (const v1::Argument& other : c.args()) {
      if (other.name() == arg.name() || other.role() != v1::ROLE_INPUT || other.tensor().shape_size() < 2)
        continue;
      v1::Fill* fill = TensorOf(other, point)->mutable_fill();
      fill->mutable_integers()->set_low(-1);
      fill->mutable_integers()->set_high(1);
    }
    return;
  }
  const Dtype dtype = OtherDtype(c.dtype());
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
  if (id == kAliased || id == kInterleaved) {
    const v1::Argument* out = OutputIn(c, arg, id == kInterleaved, true);
    if (out == nullptr) return;
    if (id == kInterleaved) ChangeTensors(name, arg, kStrided, false, point);
    point->clear_out_layout();
    v1::PointTensor* in = point->add_in();
    in->set_name(PointName(*out));
    in->set_same_as(name);
    if (id == kInterleaved) in->mutable_layout()->set_kind(v1::Layout::strided);
  } else if (id == kPermuted) {
    ChangeShapes(c, arg, point);
  } else if (id > kPayload) {
    ChangeNumbers(c, arg, id, point);
  } else if (arg.role() == v1::ROLE_OUTPUT) {
    point->mutable_out_layout()->set_kind(kKinds[id]);
  } else if (arg.has_tensor() || arg.has_tensors()) {
    ChangeTensors(name, arg, id, negative, point);
  } else {
    ChangeAttribute(name, arg, id, c.dtype(), negative, point);
  }
}

bool MayAlias(const v1::Case& c, const v1::Argument& input) {
  // A masked fill is a copy and then a choice by the mask.
  if (c.family() == "elementwise") return input.name() != "mask";
  static const std::set<std::string> more = {"diopiAddmm", "diopiCumsum", "diopiTril"};
  const abi::Function* in_place = abi::FindFunction(absl::StrCat(c.function(), "Inp"));
  if (in_place == nullptr) return more.contains(c.function()) && input.name() == "input";
  const abi::Param* param = abi::FindParam(*in_place, input.name());
  return param != nullptr && param->direction() == abi::INOUT;
}

bool MayRepeat(const std::string& family) {
  static const std::set<std::string> decide = {"boxes",  "decoding",           "detection", "linalg",
                                               "points", "polygons",           "random",    "sampling",
                                               "set",    "sparse_convolution", "voxels"};
  return !decide.contains(family);
}

bool HoldsNan(const v1::Argument& arg, bool infinite) {
  const auto holds = [&](const v1::TensorSpec& spec) {
    return Names(spec.fill(),
                 [&](double value) { return std::isnan(value) || (infinite && std::isinf(value)); });
  };
  const auto& list = arg.tensors().tensors();
  return holds(arg.tensor()) || std::any_of(list.begin(), list.end(), holds);
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
