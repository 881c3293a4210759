// New values stay within what the operator's own points give the attribute, as the rules do not say what is
// valid. An attribute that the point leaves to its default may be chosen too, and is added only if it
// changes. One that cannot change is restored, and "" is returned.
#include "cases/explore/attributes.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/explore/extents.h"

namespace diopi::explore {
namespace {

constexpr int64_t kSteps = 1024;  // between two numbers
constexpr double kSlightly = 0x1p-20, kAlmostZero = 1e-7;

bool IsMode(const v1::PointAttribute& attribute) {
  return attribute.has_s() || attribute.has_b();
}

bool IsExtent(const std::string& name) {
  return absl::StrContains(name, "size") || absl::StrContains(name, "kernel") ||
         absl::StrContains(name, "window");
}

// A size, an index, a count; a scalar is a number that tensors are combined with.
bool MayBeSize(const abi::Function& function, const v1::PointAttribute& attribute) {
  const abi::Param* param = abi::FindParam(function, attribute.name());
  return attribute.has_i() && (param == nullptr || param->kind() != abi::SCALAR_POINTER);
}

double NumberOf(const v1::PointAttribute& attribute) {
  return attribute.has_i() ? static_cast<double>(attribute.i()) : attribute.f();
}

}  // namespace

bool NamesDimensions(const v1::PointAttribute& attribute) {
  return (attribute.has_i() || attribute.has_sizes()) &&
         (absl::StartsWith(attribute.name(), "dim") || absl::StartsWith(attribute.name(), "axis"));
}

template <typename Wanted>
v1::PointAttribute* AttributeChange::Pick(Wanted wanted, v1::PointAttribute* fallback) {
  std::vector<v1::PointAttribute*> possible;
  for (v1::PointAttribute& attribute : *point_->mutable_attr())
    if (wanted(attribute)) possible.push_back(&attribute);
  std::vector<v1::PointAttribute> defaults;
  for (const v1::ArgRule& rule : options_.rules->arg()) {
    if (!rule.has_default_value()) continue;
    v1::PointAttribute attribute = rule.default_value();
    attribute.set_name(rule.alias().empty() ? rule.name() : rule.alias());
    const bool given = std::any_of(point_->attr().begin(), point_->attr().end(),
                                   [&](const auto& each) { return each.name() == attribute.name(); });
    if (!given && wanted(attribute)) defaults.push_back(std::move(attribute));
  }
  if (possible.empty() && defaults.empty()) return nullptr;
  const auto at = static_cast<size_t>(draws_->Below(static_cast<int64_t>(possible.size() + defaults.size())));
  if (at < possible.size()) return possible[at];
  *fallback = std::move(defaults[at - possible.size()]);
  return fallback;
}

// `change` says whether it has found another value.
template <typename Wanted, typename Change>
std::string AttributeChange::Apply(Wanted wanted, Change change) {
  v1::PointAttribute fallback;
  v1::PointAttribute* attribute = Pick(wanted, &fallback);
  if (attribute == nullptr) return "";
  const v1::PointAttribute before = *attribute;
  if (!change(attribute) || attribute->SerializeAsString() == before.SerializeAsString()) {
    *attribute = before;
    return "";
  }
  std::string said = attribute->ShortDebugString();
  if (attribute == &fallback) *point_->add_attr() = std::move(fallback);
  return said;
}

const AttributeChange::Known* AttributeChange::KnownOf(const std::string& name) const {
  const auto found = options_.vocabulary->attributes.find({name, KindOf(options_.dtype)});
  return found == options_.vocabulary->attributes.end() ? nullptr : &found->second;
}

AttributeChange::Range AttributeChange::RangeOf(const v1::PointAttribute& attribute) const {
  Range range{HUGE_VAL, -HUGE_VAL};
  const Known* known = KnownOf(attribute.name());
  if (known == nullptr) return range;
  for (const v1::PointAttribute& each : *known) {
    if (each.value_case() != attribute.value_case() || !std::isfinite(NumberOf(each))) continue;
    range.least = std::min(range.least, NumberOf(each));
    range.greatest = std::max(range.greatest, NumberOf(each));
  }
  return range;
}

// Between the least and the greatest number that points give the attribute.
bool AttributeChange::Between(v1::PointAttribute* attribute) {
  const auto [least, greatest] = RangeOf(*attribute);
  if (!(least < greatest)) return false;
  if (attribute->has_i()) {
    attribute->set_i(DrawExtent(0, static_cast<int64_t>(greatest - least), draws_) +
                     static_cast<int64_t>(least));
  } else {
    const double value = least + (greatest - least) * static_cast<double>(draws_->Below(kSteps + 1)) / kSteps;
    attribute->set_f(limits_.decides ? std::floor(value * kSteps) / kSteps : value);
  }
  return true;
}

bool AttributeChange::FromKnown(v1::PointAttribute* attribute) {
  const Known* known = KnownOf(attribute->name());
  if (known == nullptr) return false;
  *attribute = (*known)[static_cast<size_t>(draws_->Below(static_cast<int64_t>(known->size())))];
  return true;
}

// A dimension, or several different ones in any order, each counted from either end.
bool AttributeChange::Place(v1::PointAttribute* attribute) {
  int64_t rank = 0;
  for (const v1::PointTensor& tensor : point_->in())
    if (rank == 0) rank = tensor.shape_size();
  if (rank == 0) return false;
  if (attribute->has_i()) {
    attribute->set_i(draws_->Below(2 * rank) - rank);
    return true;
  }
  const int64_t before = attribute->sizes().values_size();
  const bool as_many = before > 0 && before <= rank && draws_->Below(2) == 0;
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    order.insert(order.begin() + draws_->Below(d + 1), draws_->Below(4) == 0 ? d - rank : d);
  order.resize(static_cast<size_t>(as_many ? before : 1 + draws_->Below(rank)));
  attribute->mutable_sizes()->mutable_values()->Assign(order.begin(), order.end());
  return true;
}

void AttributeChange::PlaceAll() {
  for (v1::PointAttribute& attribute : *point_->mutable_attr())
    if (NamesDimensions(attribute)) Place(&attribute);
}

std::vector<double> AttributeChange::Degenerates(const v1::PointAttribute& attribute) const {
  const Range range = RangeOf(attribute);
  std::vector<double> values;
  for (const double value : {0.0, 1.0, -1.0, range.least, range.greatest}) {
    if (limits_.decides && attribute.has_f() && value != std::floor(value)) continue;
    if (range.Contains(value) && std::isfinite(value)) values.push_back(value);
  }
  if (!MayBeSize(*options_.function, attribute) || limits_.index || !(range.least <= range.greatest))
    return values;
  for (const v1::PointTensor& tensor : point_->in()) {
    for (const int64_t size : tensor.shape())
      if (size > 0) values.push_back(static_cast<double>(size));
  }
  return values;
}

// One entry of a list: 1, where points have it, or the size of the dimension that it is about.
bool AttributeChange::OneSize(v1::PointAttribute* attribute) {
  const Known* known = KnownOf(attribute->name());
  auto* values = attribute->mutable_sizes()->mutable_values();
  if (known == nullptr || values->empty()) return false;
  const auto at = static_cast<int>(draws_->Below(values->size()));
  int64_t least = INT64_MAX;
  for (const v1::PointAttribute& each : *known)
    for (const int64_t value : each.sizes().values()) least = std::min(least, value);
  if (least > 1) return false;
  std::vector<int64_t> possible = {1};
  if (least <= 0) possible.push_back(0);
  for (const v1::PointTensor& tensor : point_->in()) {
    const int dimension = tensor.shape_size() - values->size() + at;
    if (IsExtent(attribute->name()) && dimension >= 0 && tensor.shape_size() > 0 &&
        tensor.shape(dimension) > 0)
      possible.push_back(tensor.shape(dimension));
  }
  values->Set(at, possible[static_cast<size_t>(draws_->Below(static_cast<int64_t>(possible.size())))]);
  return true;
}

std::string AttributeChange::Any() {
  const auto free = [this](const v1::PointAttribute& each) {
    return !(limits_.table && (each.has_i() || each.has_sizes())) && !(limits_.index && IsMode(each)) &&
           !(limits_.placed && each.has_f());
  };
  return Apply(free, [this](v1::PointAttribute* attribute) {
    if (NamesDimensions(*attribute) && draws_->Below(3) > 0 && Place(attribute)) return true;
    const bool number = attribute->has_i() || attribute->has_f();
    const bool between = number && draws_->Below(2) == 0;
    return between || (limits_.decides && attribute->has_f()) ? Between(attribute) : FromKnown(attribute);
  });
}

std::string AttributeChange::Degenerate() {
  const auto free = [this](const v1::PointAttribute& each) {
    return (each.has_f() && !limits_.placed) || (!limits_.table && (each.has_sizes() || each.has_i()));
  };
  return Apply(free, [this](v1::PointAttribute* attribute) {
    if (NamesDimensions(*attribute)) return Place(attribute);
    if (attribute->has_sizes()) return OneSize(attribute);
    const std::vector<double> values = Degenerates(*attribute);
    if (values.empty()) return false;
    const double value = values[static_cast<size_t>(draws_->Below(static_cast<int64_t>(values.size())))];
    if (attribute->has_i()) {
      attribute->set_i(static_cast<int64_t>(value));
    } else {
      attribute->set_f(value);
    }
    return true;
  });
}

std::string AttributeChange::Mode() {
  const auto free = [this](const v1::PointAttribute& each) { return IsMode(each) && !limits_.index; };
  return Apply(free, [this](v1::PointAttribute* attribute) { return FromKnown(attribute); });
}

std::string AttributeChange::Slightly() {
  const auto free = [this](const v1::PointAttribute& each) {
    return each.has_f() && std::isfinite(each.f()) && !limits_.placed && !limits_.decides;
  };
  return Apply(free, [](v1::PointAttribute* attribute) {
    attribute->set_f(attribute->f() == 0 ? kAlmostZero : attribute->f() * (1 + kSlightly));
    return true;
  });
}

}  // namespace diopi::explore
