// Values come from the operator's own points (vocabulary.h), or from within their ranges, as nothing else
// says which are valid. A change that does not suit the point leaves it as it was and returns "". Index
// tensors keep their fills, as which indices may repeat or reach how far depends on the point; tables, whose
// values belong together, stay whole; gradients get no NaN or infinity, where conventions differ.
#include "cases/explore/mutate.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/tensor.h"
#include "cases/core/argument_classes.h"
#include "cases/explore/edges.h"
#include "cases/explore/mutation.h"
#include "cases/explore/ranges.h"

namespace diopi::explore {
namespace {

constexpr int64_t kMostSeed = int64_t{1} << 31;
constexpr int kMostTries = 4;        // for an edge
constexpr int64_t kMostRepeats = 8;  // of an element that may be added to itself: equal roundings add up

}  // namespace

std::string Mutation::OneOf(const std::vector<Change>& changes) {
  return (this->*changes[static_cast<size_t>(draws_->Below(static_cast<int64_t>(changes.size())))])();
}

std::string Mutation::Run() {
  static const std::vector<Change> harmless = {&Mutation::Seed, &Mutation::Layout, &Mutation::OutLayout};
  static const std::vector<Change> changes = {
      &Mutation::Size,        &Mutation::Size,      &Mutation::Size,      &Mutation::Size,
      &Mutation::SizeOfShape, &Mutation::Layout,    &Mutation::Layout,    &Mutation::Layout,
      &Mutation::Strides,     &Mutation::OutLayout, &Mutation::Fill,      &Mutation::Fill,
      &Mutation::Fill,        &Mutation::Attribute, &Mutation::Attribute, &Mutation::Rank,
      &Mutation::Attribute,   &Mutation::LeaveOut,  &Mutation::Same,      &Mutation::Broadcast,
      &Mutation::Seed,
  };
  if (IsRandom(*options_.rules)) return OneOf(harmless);
  return options_.large ? Size() : OneOf(changes);
}

std::string Mutation::RunEdge() {
  static const std::vector<Change> elementwise = {
      &Mutation::Broadcast, &Mutation::Broadcast, &Mutation::Edge,       &Mutation::Edge,  &Mutation::Edge,
      &Mutation::Whole,     &Mutation::Mask,      &Mutation::Degenerate, &Mutation::Lists, &Mutation::Digits,
  };
  static const std::vector<Change> others = {
      &Mutation::Narrow,     &Mutation::Narrow,       &Mutation::Whole,      &Mutation::Short,
      &Mutation::Short,      &Mutation::SetNonFinite, &Mutation::Degenerate, &Mutation::Degenerate,
      &Mutation::Degenerate, &Mutation::Mask,         &Mutation::Lists,      &Mutation::Enlarge,
      &Mutation::Digits,
  };
  std::string change;
  for (int tries = kMostTries; tries > 0 && change.empty(); --tries)
    change = OneOf(words_.elementwise ? elementwise : others);
  return change;
}

std::string Mutation::RunForSequence() {
  static const std::vector<Change> changes = {
      &Mutation::Mode,   &Mutation::Mode,     &Mutation::Attribute, &Mutation::Attribute, &Mutation::Layout,
      &Mutation::Layout, &Mutation::Exchange, &Mutation::LeaveOut,  &Mutation::Slightly,  &Mutation::Slightly,
  };
  return OneOf(changes);
}

v1::PointTensor* Mutation::AnyTensor() {
  std::vector<v1::PointTensor*> tensors;
  for (v1::PointTensor& tensor : *point_->mutable_in()) {
    if (IsGiven(tensor)) tensors.push_back(&tensor);
  }
  if (tensors.empty()) return nullptr;
  return tensors[static_cast<size_t>(draws_->Below(static_cast<int64_t>(tensors.size())))];
}

// A list of values that is the same along a dimension of stride 0 would be another one elsewhere.
bool ListNeedsLayout(const v1::PointTensor& tensor) {
  return tensor.fill().has_values() && tensor.layout().kind() == v1::Layout::expanded;
}

std::string Mutation::Layout() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || ListNeedsLayout(*tensor)) return "";
  const auto kind = static_cast<v1::Layout::Kind>(draws_->Below(v1::Layout::Kind_ARRAYSIZE));
  if (kind == v1::Layout::contiguous) {
    const bool plain = tensor->layout().kind() == v1::Layout::contiguous;
    tensor->clear_layout();
    return plain ? "" : absl::StrCat(tensor->name(), ": contiguous");
  }
  const int rank = tensor->shape_size();
  if (kind == v1::Layout::explicit_) return Strides();
  if (kind == v1::Layout::transposed && rank < 2) return "";
  if (kind == v1::Layout::channels_last && rank != 4 && rank != 5) return "";
  if ((kind == v1::Layout::strided || kind == v1::Layout::expanded) && rank == 0) return "";
  // Not to one place several times; and a list of values that differ is one only where they stay.
  const bool list = tensor->fill().has_values() || tensor->fill().has_permutation() ||
                    (tensor->fill().has_range() && IsIndex(*tensor));
  const auto dim = static_cast<int>(draws_->Below(std::max(rank, 1)));
  const bool may_repeat = words_.expanded && !list && !IsWritten(tensor->name());
  const bool sums = !words_.elementwise && rank > 0 && tensor->shape(dim) > kMostRepeats;
  if (kind == v1::Layout::expanded && (!may_repeat || sums)) return "";
  tensor->clear_layout();
  tensor->mutable_layout()->set_kind(kind);
  if (kind == v1::Layout::expanded) tensor->mutable_layout()->add_dims(dim);
  return absl::StrCat(tensor->name(), ": ", v1::Layout::Kind_Name(kind));
}

// Dimensions in any order in memory, with gaps after any of them, at any offset.
std::string Mutation::Strides() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || tensor->shape().empty() || ListNeedsLayout(*tensor)) return "";
  std::vector<int> order;
  for (int d = 0; d < tensor->shape_size(); ++d) {
    order.insert(order.begin() + draws_->Below(d + 1), d);
  }
  std::vector<int64_t> strides(order.size());
  int64_t stride = Chance(70) ? 1 : 1 + draws_->Below(3);
  for (const int d : order) {
    strides[static_cast<size_t>(d)] = stride;
    stride = stride * std::max<int64_t>(1, tensor->shape(d)) + (Chance(30) ? 1 + draws_->Below(3) : 0);
  }
  v1::Layout layout;
  layout.set_kind(v1::Layout::explicit_);
  layout.mutable_strides()->Assign(strides.begin(), strides.end());
  layout.set_storage_offset(Chance(50) ? 0 : draws_->Below(5));
  *tensor->mutable_layout() = layout;
  return absl::StrCat(tensor->name(), ": strides ", absl::StrJoin(strides, " "));
}

std::string Mutation::OutLayout() {
  static const std::vector<v1::Layout::Kind> kinds = {v1::Layout::transposed, v1::Layout::strided,
                                                      v1::Layout::offset, v1::Layout::channels_last};
  const v1::Layout::Kind kind = kinds[static_cast<size_t>(draws_->Below(static_cast<int64_t>(kinds.size())))];
  point_->clear_out_layout();
  point_->mutable_out_layout()->set_kind(kind);
  return absl::StrCat("outputs: ", v1::Layout::Kind_Name(kind));
}

bool HasNonFinite(const v1::Fill& fill) {
  const auto any = [](const auto& values) {
    return std::any_of(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
  };
  return any(fill.specials().values()) || any(fill.values().values());
}

std::string Mutation::Fill() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || IsIndex(*tensor) || IsOfOtherKind(*tensor) || tensor->fill().has_values())
    return "";
  const auto known = words_.fills.find({tensor->name(), KindOf(options_.dtype)});
  if (known == words_.fills.end()) return "";
  const v1::Fill& fill =
      known->second[static_cast<size_t>(draws_->Below(static_cast<int64_t>(known->second.size())))];
  if (IsGradient() && HasNonFinite(fill)) return "";  // whose gradients are conventions
  // A list is a table, whose rows belong together, are sorted, or differ.
  if (fill.has_values() &&
      fill.values().values_size() != NumElements({tensor->shape().begin(), tensor->shape().end()}))
    return "";
  *tensor->mutable_fill() = fill;
  return absl::StrCat(tensor->name(), ": values ", fill.ShortDebugString());
}

std::string Mutation::LeaveOut() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr) return "";
  const std::string name = tensor->name();
  if (words_.nulls.contains(name)) {
    tensor->Clear();
    tensor->set_name(name);
    tensor->set_null(true);
    return absl::StrCat(name, ": null");
  }
  if (!RuleOf(name).optional()) return "";
  auto* in = point_->mutable_in();
  in->erase(std::remove_if(in->begin(), in->end(), [&](const auto& each) { return each.name() == name; }),
            in->end());
  return absl::StrCat(name, ": left out");
}

// Whether some output has the shape to which both are broadcast.
bool Mutation::AreBroadcast(const std::string& a, const std::string& b) const {
  return std::any_of(options_.rules->arg().begin(), options_.rules->arg().end(),
                     [&](const v1::ArgRule& rule) {
                       const auto& of = rule.broadcast();
                       return std::find(of.begin(), of.end(), a) != of.end() &&
                              std::find(of.begin(), of.end(), b) != of.end();
                     });
}

std::string Mutation::Same() {
  v1::PointTensor* tensor = AnyTensor();
  const v1::PointTensor* other = AnyTensor();
  if (tensor == nullptr || tensor == other || IsIndex(*tensor) || tensor->name() == other->name()) return "";
  const bool known = words_.same.contains({tensor->name(), other->name()});
  if (!known && !AreBroadcast(other->name(), tensor->name())) return "";
  if (tensor->dtype() != other->dtype() || !std::equal(tensor->shape().begin(), tensor->shape().end(),
                                                       other->shape().begin(), other->shape().end())) {
    return "";
  }
  const std::string name = tensor->name();
  tensor->Clear();
  tensor->set_name(name);
  tensor->set_same_as(other->name());
  return absl::StrCat(name, ": the same tensor as ", other->name());
}

std::string Mutation::Broadcast() {
  v1::PointTensor* tensor = AnyTensor();
  const v1::PointTensor* other = AnyTensor();
  if (tensor == nullptr || tensor == other || HasTable()) return "";
  const bool operand = words_.elementwise && words_.repeated.contains(tensor->name());
  const bool may =
      operand || AreBroadcast(other->name(), tensor->name()) || AreBroadcast(tensor->name(), other->name());
  return may ? Repeat(draws_, tensor) : "";
}

bool Mutation::IsList(const std::string& name) const {
  const v1::ArgRule& rule = RuleOf(name);
  const abi::Param* param = abi::FindParam(*options_.function, rule.name().empty() ? name : rule.name());
  return param != nullptr && (param->kind() == abi::TENSOR_ARRAY || param->kind() == abi::CONST_TENSOR_ARRAY);
}

// Whether the tensor has the case's dtype.
bool Mutation::IsPlain(const v1::PointTensor& tensor) const {
  return !tensor.has_dtype() && RuleOf(tensor.name()).dtype().empty();
}

std::string Mutation::Edge() {
  v1::PointTensor* tensor = AnyTensor();
  const bool plain = tensor != nullptr && IsPlain(*tensor);
  // Where a function has no gradient, sources differ: the operator's points show which numbers are asked.
  const bool conventions = IsGradient() && IsFloating(options_.dtype);
  std::string change = EdgeOf(*options_.rules, *options_.function, options_.dtype, draws_, point_,
                              plain && !conventions ? tensor : nullptr);
  if (!change.empty() || !conventions || !plain) return change;
  const std::vector<v1::Fill>* known = RangesOf(*tensor);
  return known == nullptr ? "" : AddKnownSpecials(*known, /*finite=*/true, draws_, tensor);
}

// Fills are known by the kind of the case's dtype. Those of integer tensors do not suit a floating tensor
// that is converted to integers, which most of their numbers exceed. A mask is bool in every case.
bool Mutation::IsOfOtherKind(const v1::PointTensor& tensor) const {
  if (!tensor.has_dtype() || tensor.dtype() == "bool") return false;
  const absl::StatusOr<Dtype> dtype = ParseDtype(tensor.dtype());
  return dtype.ok() && KindOf(*dtype) != KindOf(options_.dtype);
}

// The fills that points give a floating tensor of the case's dtype. Null: there are none, or its values
// belong together.
const std::vector<v1::Fill>* Mutation::RangesOf(const v1::PointTensor& tensor) const {
  if (!IsFloating(options_.dtype) || !IsPlain(tensor) || tensor.fill().has_values()) return nullptr;
  const auto known = words_.fills.find({tensor.name(), KindOf(options_.dtype)});
  return known == words_.fills.end() ? nullptr : &known->second;
}

std::string Mutation::Narrow() {
  v1::PointTensor* tensor = AnyTensor();
  const std::vector<v1::Fill>* known = tensor == nullptr ? nullptr : RangesOf(*tensor);
  return known == nullptr ? "" : explore::Narrow(*known, MayTie(), draws_, tensor);
}

// A kernel that squares or adds up float16 in its own type overflows.
std::string Mutation::Enlarge() {
  if (!words_.reduces || options_.dtype != v1::Dtype::float16 || IsGradient()) return "";
  v1::PointTensor* tensor = AnyTensor();
  const std::vector<v1::Fill>* known = tensor == nullptr ? nullptr : RangesOf(*tensor);
  return known == nullptr ? "" : explore::Enlarge(*known, draws_, tensor);
}

// NaN and infinity among the values of a tensor that has some in the operator's own points.
std::string Mutation::SetNonFinite() {
  v1::PointTensor* tensor = AnyTensor();
  const std::vector<v1::Fill>* known = tensor == nullptr ? nullptr : RangesOf(*tensor);
  if (known == nullptr || !words_.open || IsGradient()) return "";
  return AddKnownSpecials(*known, /*finite=*/false, draws_, tensor);
}

// A mask of nothing, of everything, or nearly so.
std::string Mutation::Mask() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || !words_.open || tensor->fill().has_values()) return "";
  if ((tensor->has_dtype() ? tensor->dtype() : RuleOf(tensor->name()).dtype()) != "bool") return "";
  static const double shares[] = {0, 1, 1.0 / 64, 63.0 / 64};
  v1::Fill fill;
  fill.mutable_bernoulli()->set_p(shares[draws_->Below(std::size(shares))]);
  *tensor->mutable_fill() = fill;
  return absl::StrCat(tensor->name(), ": true in ", fill.bernoulli().p());
}

// Integers that a type through which a kernel takes a detour cannot hold, in one tensor or in all, so that
// they are alike: where integers come out, and where no size of the call limits them.
std::string Mutation::Digits() {
  const auto& rules = options_.rules->arg();
  if (std::any_of(rules.begin(), rules.end(), [](const v1::ArgRule& rule) { return rule.float_result(); }))
    return "";
  const v1::PointTensor* only = Chance(50) ? AnyTensor() : nullptr;
  const auto& judges = options_.rules->judge();
  const bool moves = std::all_of(judges.begin(), judges.end(),
                                 [](const v1::Judge& judge) { return judge.kind() == v1::Judge::EXACT; });
  const int64_t first = moves ? 0 : 1;  // sums and products of any numbers overflow
  const int64_t pattern = first + draws_->Below(cases::kDigitPatterns - first);
  std::string changes;
  for (v1::PointTensor& tensor : *point_->mutable_in()) {
    const std::string& named = tensor.has_dtype() ? tensor.dtype() : RuleOf(tensor.name()).dtype();
    const Dtype dtype = named.empty() ? options_.dtype : ParseDtype(named).value_or(options_.dtype);
    const bool other = only != nullptr && only->name() != tensor.name();
    if (other || !IsGiven(tensor) || tensor.fill().has_permutation()) continue;
    const std::optional<v1::Fill> fill = cases::DigitsFill(dtype, pattern, tensor.fill());
    if (!fill.has_value()) continue;
    *tensor.mutable_fill() = *fill;
    absl::StrAppend(&changes, changes.empty() ? "" : ", ", tensor.name(), ": values ",
                    fill->ShortDebugString());
  }
  return changes;
}

// Whole numbers in all operands at once: only then do they tie, cancel, and divide without a rest.
std::string Mutation::Whole() {
  if (!MayTie() || MayMeetZeros(*options_.rules, *point_)) return "";
  const int64_t reach = int64_t{1} << draws_->Below(4);
  std::string changes;
  for (v1::PointTensor& tensor : *point_->mutable_in()) {
    const std::vector<v1::Fill>* known = IsGiven(tensor) ? RangesOf(tensor) : nullptr;
    if (known == nullptr) continue;
    const std::string change = MakeWhole(*known, reach, draws_, &tensor);
    if (!change.empty()) absl::StrAppend(&changes, changes.empty() ? "" : ", ", change);
  }
  return changes;
}

std::string Mutation::Seed() {
  for (const abi::Param& param : options_.function->param()) {
    if (param.kind() != abi::GENERATOR) continue;
    const std::string& name = param.name();
    auto* attributes = point_->mutable_attr();
    auto given = std::find_if(attributes->begin(), attributes->end(),
                              [&](const v1::PointAttribute& each) { return each.name() == name; });
    v1::PointAttribute* attribute = given == attributes->end() ? attributes->Add() : &*given;
    attribute->set_name(name);
    attribute->mutable_generator()->set_seed(static_cast<uint64_t>(draws_->Below(kMostSeed)));
    return absl::StrCat(name, ": seed ", attribute->generator().seed());
  }
  return "";
}

bool IsRandom(const v1::FunctionRules& rules) {
  return std::any_of(rules.judge().begin(), rules.judge().end(),
                     [](const v1::Judge& judge) { return judge.kind() == v1::Judge::RANDOM; });
}

std::string MutatePoint(const MutateOptions& options, Draws* draws, v1::Point* point) {
  return Mutation(options, draws, point).Run();
}

std::string MutateEdge(const MutateOptions& options, Draws* draws, v1::Point* point) {
  return Mutation(options, draws, point).RunEdge();
}

std::string MutateForSequence(const MutateOptions& options, Draws* draws, v1::Point* point) {
  return IsRandom(*options.rules) ? MutatePoint(options, draws, point)
                                  : Mutation(options, draws, point).RunForSequence();
}

}  // namespace diopi::explore
