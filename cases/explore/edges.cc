// Only numbers on which all correct libraries agree: thresholds that the dtype holds exactly, no -0 where
// results are compared exactly, as of 0 and -0 either may come out, no pair of integers whose quotient
// overflows. NaN is drawn more often than others, as kernels most often miss it.
#include "cases/explore/edges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi::explore {
namespace {

constexpr int64_t kMostSpecials = 5;  // of a tensor

template <typename Value>
const Value& AnyOf(const std::vector<Value>& values, Draws* draws) {
  return values[static_cast<size_t>(draws->Below(static_cast<int64_t>(values.size())))];
}

// Whether the type has the number: a kernel may round others to it before it compares, or not.
bool Holds(const FloatFormat& format, double number) {
  int exponent = 0;
  const double digits = std::ldexp(std::frexp(number, &exponent), format.precision);
  return digits == std::trunc(digits) && exponent > format.min_exponent && exponent <= format.max_exponent;
}

std::vector<double> SpecialsOf(Dtype floating, bool moves, const std::vector<double>& thresholds) {
  std::vector<double> values = {0, 0.5, -0.5, 1, -1, 1.5, 2, -2, -2.5, 3, -3, 6, -6};
  const FloatFormat format = FormatOf(floating);
  for (const double threshold : thresholds)
    if (Holds(format, threshold)) values.insert(values.end(), {threshold, -threshold, threshold});
  if (!moves) values.push_back(-0.0);
  values.insert(values.end(), 3, std::numeric_limits<double>::quiet_NaN());
  values.insert(values.end(), {HUGE_VAL, -HUGE_VAL});
  if (!moves) return values;
  const double least = std::ldexp(1, format.min_exponent);
  const double greatest = std::ldexp(2 - std::ldexp(1, 1 - format.precision), format.max_exponent);
  const double step = std::ldexp(least, 1 - format.precision);
  values.insert(values.end(), {greatest, -greatest, least, -least, least / 2, -least / 2, step});
  return values;
}

// [least, greatest] of an integer type, as far as int64 goes.
std::pair<int64_t, int64_t> LimitsOf(Dtype integral) {
  const int64_t bits = 8 * ElementSize(integral);
  const bool is_unsigned = DtypeName(integral).starts_with("uint");
  if (bits == 64) return {is_unsigned ? 0 : INT64_MIN, INT64_MAX};
  if (is_unsigned) return {0, (int64_t{1} << bits) - 1};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

// Sets a scalar to a number at which powers, products and quotients take another path.
std::string SetToKnot(bool negative_zero, Draws* draws, v1::PointAttribute* scalar) {
  static const std::vector<double> whole = {0, 1, -1, 2, 3, -2}, other = {0.5, -0.5, 1.5, -0.0};
  if (scalar->has_f()) {
    const double number = AnyOf(draws->Below(3) == 0 ? other : whole, draws);
    scalar->set_f(negative_zero ? number : number + 0.0);
  } else if (scalar->has_i()) {
    scalar->set_i(static_cast<int64_t>(AnyOf(whole, draws)));
  } else {
    return "";
  }
  return scalar->ShortDebugString();
}

// Only for functions of one operand: with two, least / -1 overflows.
std::string AddEnds(Dtype integral, Draws* draws, v1::PointTensor* tensor) {
  const auto [least, greatest] = LimitsOf(integral);
  v1::Fill::Specials* specials = tensor->mutable_fill()->mutable_specials();
  specials->Clear();
  for (const int64_t value : {least, greatest, int64_t{0}, least + 1})
    specials->add_values(static_cast<double>(value));
  specials->set_tail(draws->Below(4) == 0);
  return absl::StrCat(tensor->name(), ": the ends of its type");
}

bool Moves(const v1::FunctionRules& rules) {
  return std::all_of(rules.judge().begin(), rules.judge().end(),
                     [](const v1::Judge& judge) { return judge.kind() == v1::Judge::EXACT; });
}

bool HasNegativeZero(const v1::Point& point) {
  const auto negative_zero = [](double value) { return value == 0 && std::signbit(value); };
  return std::any_of(point.in().begin(), point.in().end(), [&](const v1::PointTensor& tensor) {
    const auto& values = tensor.fill().values().values();
    const auto& specials = tensor.fill().specials().values();
    return std::any_of(values.begin(), values.end(), negative_zero) ||
           std::any_of(specials.begin(), specials.end(), negative_zero);
  });
}

}  // namespace

bool MayMeetZeros(const v1::FunctionRules& rules, const v1::Point& point) {
  return Moves(rules) && HasNegativeZero(point);
}

std::string AddSpecials(Dtype floating, bool moves, const std::vector<double>& thresholds, Draws* draws,
                        v1::PointTensor* tensor) {
  const std::vector<double> possible = SpecialsOf(floating, moves, thresholds);
  v1::Fill::Specials specials;
  for (int64_t left = 1 + draws->Below(kMostSpecials); left > 0; --left)
    specials.add_values(AnyOf(possible, draws));
  specials.set_tail(draws->Below(4) == 0);
  *tensor->mutable_fill()->mutable_specials() = specials;
  return absl::StrCat(tensor->name(), ": specials ", absl::StrJoin(specials.values(), " "));
}

std::string SetToEdge(Dtype integral, Draws* draws, v1::PointAttribute* attribute, v1::PointTensor* tensor) {
  if (!attribute->has_i()) return "";
  const auto [least, greatest] = LimitsOf(integral);
  // The digits of a floating type of this width or half of it, through which the number may pass, or the ends
  // of integers.
  static const std::vector<int> widths = {7, 8, 15, 16, 31, 32, 62};
  const int64_t size = ElementSize(integral);
  const std::vector<int> digits = size == 8   ? std::vector<int>{24, 53}
                                  : size == 4 ? std::vector<int>{24}
                                              : std::vector<int>{8, 11};
  std::vector<int64_t> possible;
  for (const int bits : draws->Below(3) == 0 ? widths : digits) {
    if (int64_t{1} << bits > greatest) continue;
    for (const int64_t beside : {-1, 0, 0, 1, 1}) {
      const int64_t number = (int64_t{1} << bits) + beside;
      if (number <= greatest) possible.push_back(number);
      if (-number >= least && least < 0) possible.push_back(-number);
    }
  }
  if (possible.empty()) possible = {greatest, least};
  const int64_t number = AnyOf(possible, draws);
  attribute->set_i(number);
  std::string set = absl::StrCat(attribute->name(), ": ", number);
  if (tensor == nullptr || tensor->fill().has_values() || draws->Below(8) == 0) return set;
  v1::Fill::Integers* around = tensor->mutable_fill()->mutable_integers();
  around->set_low(number < least + 2 ? least : number - 2);
  around->set_high(number > greatest - 2 ? greatest : number + 2);
  return absl::StrCat(set, " and ", tensor->name(), " around it");
}

std::string EdgeOf(const v1::FunctionRules& rules, const abi::Function& function, Dtype dtype, Draws* draws,
                   v1::Point* point, v1::PointTensor* tensor) {
  std::vector<v1::PointAttribute*> scalars;
  std::vector<double> thresholds;
  for (v1::PointAttribute& attribute : *point->mutable_attr()) {
    const abi::Param* param = abi::FindParam(function, attribute.name());
    if (param != nullptr && param->kind() == abi::SCALAR_POINTER) scalars.push_back(&attribute);
    if (attribute.has_i()) thresholds.push_back(static_cast<double>(attribute.i()));
    if (attribute.has_f() && std::isfinite(attribute.f())) thresholds.push_back(attribute.f());
  }
  const bool moves = Moves(rules);
  if (IsInteger(dtype)) {
    if (!scalars.empty()) return SetToEdge(dtype, draws, AnyOf(scalars, draws), tensor);
    return moves && point->in_size() == 1 && tensor != nullptr ? AddEnds(dtype, draws, tensor) : "";
  }
  if (!IsFloating(dtype)) return "";
  if (MayMeetZeros(rules, *point)) return "";
  if (!scalars.empty() && draws->Below(3) == 0) return SetToKnot(!moves, draws, AnyOf(scalars, draws));
  if (tensor == nullptr || tensor->fill().has_values()) return "";
  return AddSpecials(dtype, moves, thresholds, draws, tensor);
}

std::string Repeat(Draws* draws, v1::PointTensor* tensor) {
  const int64_t rank = tensor->shape_size();
  if (rank == 0) return "";
  const int64_t from = draws->Below(rank), to = from + 1 + draws->Below(rank - from);
  const bool others = draws->Below(3) == 0;
  bool changed = false;
  for (int64_t d = 0; d < rank; ++d) {
    const bool inside = d >= from && d < to;
    if (inside == others || tensor->shape(static_cast<int>(d)) == 1) continue;
    tensor->set_shape(static_cast<int>(d), 1);
    changed = true;
  }
  auto* shape = tensor->mutable_shape();
  if (draws->Below(2) == 0) {
    const auto first = std::find_if(shape->begin(), shape->end(), [](int64_t size) { return size != 1; });
    changed = changed || first != shape->begin();
    shape->erase(shape->begin(), first);
  }
  if (!changed) return "";
  tensor->clear_layout();
  return absl::StrCat(tensor->name(), ": repeats, of shape (", absl::StrJoin(tensor->shape(), ", "), ")");
}

}  // namespace diopi::explore
