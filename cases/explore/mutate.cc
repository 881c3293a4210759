// Sizes that belong together change together: where one occurs in several shapes, lists of sizes and ranges
// of indices, it usually is one size of the operator, so it is replaced in all of them. Values come from the
// operator's own points (vocabulary.h), numbers also from between the least and the greatest of them. Index
// tensors keep their fills: which indices may repeat or reach how far depends on the point.
#include "cases/explore/mutate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/tensor.h"
#include "cases/core/case_builder.h"
#include "cases/explore/edges.h"
#include "cases/explore/extents.h"

namespace diopi::explore {
namespace {

constexpr int64_t kSurelyASize = 5;  // an attribute as large as a size of a tensor is that size
constexpr int kMostRank = 7;
constexpr int64_t kMostSeed = int64_t{1} << 31;

class Mutation {
 public:
  Mutation(const MutateOptions& options, cases::Draws* draws, v1::Point* point)
      : options_(options), words_(*options.vocabulary), draws_(draws), point_(point) {}

  std::string RunEdge() { return Chance(50) ? Broadcast() : Edge(); }
  std::string Run() {
    if (IsRandom(*options_.rules)) {
      constexpr std::string (Mutation::*kHarmless[])() = {&Mutation::Seed, &Mutation::Layout,
                                                          &Mutation::OutLayout};
      return (this->*kHarmless[draws_->Below(std::size(kHarmless))])();
    }
    if (options_.large) return Size();
    constexpr std::string (Mutation::*kChanges[])() = {
        &Mutation::Size,        &Mutation::Size,      &Mutation::Size,      &Mutation::Size,
        &Mutation::SizeOfShape, &Mutation::Layout,    &Mutation::Layout,    &Mutation::Layout,
        &Mutation::Strides,     &Mutation::OutLayout, &Mutation::Fill,      &Mutation::Fill,
        &Mutation::Fill,        &Mutation::Attribute, &Mutation::Attribute, &Mutation::Rank,
        &Mutation::Attribute,   &Mutation::LeaveOut,  &Mutation::Same,      &Mutation::Broadcast,
        &Mutation::Seed,
    };
    return (this->*kChanges[draws_->Below(std::size(kChanges))])();
  }

 private:
  std::string Size();
  std::string SizeOfShape();
  std::string Layout();
  std::string Strides();
  std::string OutLayout();
  std::string Fill();
  std::string Attribute();
  std::string Rank();
  std::string LeaveOut();
  std::string Same();
  std::string Broadcast();
  std::string Edge();
  std::string Seed();

  static bool IsGiven(const v1::PointTensor& tensor) { return !tensor.null() && tensor.same_as().empty(); }
  bool Chance(int64_t percent) { return draws_->Below(100) < percent; }
  // A random tensor that the point describes; null where it has none.
  v1::PointTensor* AnyTensor();
  const v1::ArgRule& RuleOf(const std::string& name) const;
  // Indices, lengths, masks: what they may hold depends on the point.
  bool IsIndex(const v1::PointTensor& tensor) const;
  // Starts or lengths of sequences, slots, rows that belong together, ...: they fit the point's sizes only.
  bool HasTable() const {
    const auto& attributes = point_->attr();
    if (words_.elementwise) return false;
    return std::any_of(point_->in().begin(), point_->in().end(),
                       [this](const v1::PointTensor& tensor) {
                         const v1::Fill& fill = tensor.fill();
                         if (fill.has_values() && fill.values().values_size() > 1) return true;
                         return IsIndex(tensor) &&
                                (fill.has_values() || fill.has_range() || fill.has_constant());
                       }) ||
           std::any_of(attributes.begin(), attributes.end(), [](const v1::PointAttribute& each) {
             return each.has_sizes() &&
                    (absl::StrContains(each.name(), "seq") || absl::StrContains(each.name(), "len"));
           });
  }
  bool IsWritten(const std::string& name) const {
    const auto& params = options_.function->param();
    return std::any_of(params.begin(), params.end(), [&](const abi::Param& param) {
      return param.name() == name && param.kind() == abi::TENSOR;
    });
  }
  bool HasIndex() const {
    // Whose values the point gives, or the operator's rules.
    const auto& rules = options_.rules->arg();
    return std::any_of(point_->in().begin(), point_->in().end(),
                       [this](const auto& tensor) { return IsIndex(tensor); }) ||
           std::any_of(rules.begin(), rules.end(),
                       [this](const auto& rule) { return rule.has_fill() && IsIndexType(rule.dtype()); });
  }
  bool IsIndexType(const std::string& name) const;
  int64_t MostExtent(int64_t extent) const;
  // For the dimensions that `changes` names, which have `from` elements.
  int64_t NewExtent(int64_t from, const std::function<bool(const v1::PointTensor&, int)>& changes);
  std::map<int, int> ShapeLists() const;
  void SetShapeLists(const std::map<int, int>& lists);
  void MoveIndexRanges(int64_t from, int64_t to);
  bool SetNumber(v1::PointAttribute* attribute);
  bool AreBroadcast(const std::string& a, const std::string& b) const;

  const MutateOptions& options_;
  const Vocabulary& words_;
  cases::Draws* const draws_;
  v1::Point* const point_;
};

int64_t ElementsOf(const v1::PointTensor& tensor) {
  return NumElements({tensor.shape().begin(), tensor.shape().end()});
}

v1::PointTensor* Mutation::AnyTensor() {
  std::vector<v1::PointTensor*> tensors;
  for (v1::PointTensor& tensor : *point_->mutable_in()) {
    if (IsGiven(tensor)) tensors.push_back(&tensor);
  }
  if (tensors.empty()) return nullptr;
  return tensors[static_cast<size_t>(draws_->Below(static_cast<int64_t>(tensors.size())))];
}

// The rule of the argument that has this name in points.
const v1::ArgRule& Mutation::RuleOf(const std::string& name) const {
  for (const v1::ArgRule& rule : options_.rules->arg()) {
    if (rule.alias() == name || (rule.alias().empty() && rule.name() == name)) return rule;
  }
  return v1::ArgRule::default_instance();
}

bool Mutation::IsIndex(const v1::PointTensor& tensor) const {
  return IsIndexType(tensor.has_dtype() ? tensor.dtype() : RuleOf(tensor.name()).dtype());
}

bool Mutation::IsIndexType(const std::string& name) const {
  if (name.empty()) return false;
  const absl::StatusOr<Dtype> dtype = ParseDtype(name);
  return dtype.ok() && (IsInteger(*dtype) || *dtype == v1::Dtype::bool_) && *dtype != options_.dtype;
}

// The largest size that may replace `extent` in the point's largest tensor.
int64_t Mutation::MostExtent(int64_t extent) const {
  int64_t rest = 1;
  for (const v1::PointTensor& tensor : point_->in()) {
    const bool has = std::find(tensor.shape().begin(), tensor.shape().end(), extent) != tensor.shape().end();
    if (has && extent > 0) rest = std::max(rest, ElementsOf(tensor) / extent);
  }
  return std::max<int64_t>(1, options_.most_elements / rest);
}

// 0 only where the operator's own points have it: what is the mean of nothing?
int64_t Mutation::NewExtent(int64_t from, const std::function<bool(const v1::PointTensor&, int)>& changes) {
  const int64_t most = MostExtent(from);
  if (options_.large) return DrawExtent(std::max<int64_t>(1, most / 4), most, draws_);
  bool may_be_empty = true;
  for (const v1::PointTensor& tensor : point_->in()) {
    for (int d = 0; d < tensor.shape_size(); ++d) {
      if (!changes(tensor, d)) continue;
      may_be_empty = may_be_empty && words_.empty.contains({tensor.name(), tensor.shape_size(), d});
    }
  }
  return DrawExtent(may_be_empty ? 0 : 1, most, draws_);
}

// Indices into a dimension of `from` elements become indices into one of `to`.
void Mutation::MoveIndexRanges(int64_t from, int64_t to) {
  for (v1::PointTensor& tensor : *point_->mutable_in()) {
    if (!tensor.fill().has_integers() || tensor.fill().integers().low() < 0) continue;
    if (tensor.fill().integers().high() != from - 1) continue;
    if (!IsIndex(tensor) && KindOf(options_.dtype) != DtypeKind::kIntegral) continue;  // labels 0 and 1
    v1::Fill::Integers* range = tensor.mutable_fill()->mutable_integers();
    range->set_high(std::max(range->low(), to - 1));
  }
}

// The lists of sizes that are the shape of a tensor, by that tensor.
std::map<int, int> Mutation::ShapeLists() const {
  std::map<int, int> lists;
  for (int a = 0; a < point_->attr_size(); ++a) {
    const auto& values = point_->attr(a).sizes().values();
    for (int t = 0; t < point_->in_size() && !values.empty(); ++t) {
      const auto& shape = point_->in(t).shape();
      if (std::equal(shape.begin(), shape.end(), values.begin(), values.end())) lists[a] = t;
    }
  }
  return lists;
}

void Mutation::SetShapeLists(const std::map<int, int>& lists) {
  for (const auto& [attribute, tensor] : lists) {
    *point_->mutable_attr(attribute)->mutable_sizes()->mutable_values() = point_->in(tensor).shape();
  }
}

std::string Mutation::Size() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || tensor->shape().empty() || HasTable()) return "";
  const int64_t from = tensor->shape(static_cast<int>(draws_->Below(tensor->shape_size())));
  const int64_t to = NewExtent(from, [from](const auto& each, int d) { return each.shape(d) == from; });
  if (from == to) return "";
  const std::map<int, int> shapes = ShapeLists();
  for (v1::PointTensor& each : *point_->mutable_in()) {
    if (each.layout().kind() == v1::Layout::explicit_) each.clear_layout();
    std::replace(each.mutable_shape()->begin(), each.mutable_shape()->end(), from, to);
  }
  const bool lists = from > kSurelyASize || Chance(50);
  for (v1::PointAttribute& attribute : *point_->mutable_attr()) {
    if (lists && attribute.has_sizes()) {
      auto& values = *attribute.mutable_sizes()->mutable_values();
      std::replace(values.begin(), values.end(), from, to);
    }
    if (attribute.has_i() && attribute.i() == from && from > kSurelyASize) attribute.set_i(to);
  }
  SetShapeLists(shapes);
  MoveIndexRanges(from, to);
  return absl::StrCat(from, " -> ", to, " everywhere");
}

// One dimension of a tensor and of those of its shape.
std::string Mutation::SizeOfShape() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || tensor->shape().empty() || HasTable()) return "";
  const int d = static_cast<int>(draws_->Below(tensor->shape_size()));
  const std::vector<int64_t> shape(tensor->shape().begin(), tensor->shape().end());
  const int64_t from = tensor->shape(d);
  const auto same_shape = [&shape](const v1::PointTensor& each) {
    return std::equal(each.shape().begin(), each.shape().end(), shape.begin(), shape.end());
  };
  const int64_t to =
      NewExtent(from, [&](const v1::PointTensor& each, int at) { return at == d && same_shape(each); });
  if (from == to) return "";
  const std::map<int, int> shapes = ShapeLists();
  for (v1::PointTensor& each : *point_->mutable_in()) {
    if (!same_shape(each)) continue;
    if (each.layout().kind() == v1::Layout::explicit_) each.clear_layout();
    each.set_shape(d, to);
  }
  SetShapeLists(shapes);
  MoveIndexRanges(from, to);
  return absl::StrCat(tensor->name(), ", dimension ", d, ": ", from, " -> ", to);
}

// A list of values that is the same along a dimension of stride 0 would be another one elsewhere.
bool ListNeedsLayout(const v1::PointTensor& tensor) {
  return tensor.fill().has_values() && tensor.layout().kind() == v1::Layout::expanded;
}

std::string Mutation::Layout() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || words_.layouts.empty() || ListNeedsLayout(*tensor)) return "";
  const auto at = draws_->Below(static_cast<int64_t>(words_.layouts.size()) + 1);
  if (at == static_cast<int64_t>(words_.layouts.size())) {
    const bool plain = tensor->layout().kind() == v1::Layout::contiguous;
    tensor->clear_layout();
    return plain ? "" : absl::StrCat(tensor->name(), ": contiguous");
  }
  const v1::Layout::Kind kind = *std::next(words_.layouts.begin(), at);
  const int rank = tensor->shape_size();
  if (kind == v1::Layout::explicit_) return Strides();
  if (kind == v1::Layout::transposed && rank < 2) return "";
  if (kind == v1::Layout::channels_last && rank != 4 && rank != 5) return "";
  if ((kind == v1::Layout::strided || kind == v1::Layout::expanded) && rank == 0) return "";
  // Not to one place several times; and a list of values that differ is one only where they stay.
  const bool list = tensor->fill().has_values() || (tensor->fill().has_range() && IsIndex(*tensor));
  if (kind == v1::Layout::expanded && (list || IsWritten(tensor->name()))) return "";
  tensor->clear_layout();
  tensor->mutable_layout()->set_kind(kind);
  if (kind == v1::Layout::expanded) tensor->mutable_layout()->add_dims(draws_->Below(rank));
  return absl::StrCat(tensor->name(), ": ", v1::Layout::Kind_Name(kind));
}

// Dimensions in any order in memory, with gaps after any of them, at any offset.
std::string Mutation::Strides() {
  v1::PointTensor* tensor = AnyTensor();
  const bool any =
      words_.layouts.contains(v1::Layout::strided) || words_.layouts.contains(v1::Layout::explicit_);
  if (tensor == nullptr || tensor->shape().empty() || !any || ListNeedsLayout(*tensor)) return "";
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
  if (words_.out_layouts.empty()) return "";
  const auto at = draws_->Below(static_cast<int64_t>(words_.out_layouts.size()));
  const v1::Layout::Kind kind = *std::next(words_.out_layouts.begin(), at);
  point_->clear_out_layout();
  point_->mutable_out_layout()->set_kind(kind);
  return absl::StrCat("outputs: ", v1::Layout::Kind_Name(kind));
}

std::string Mutation::Fill() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || IsIndex(*tensor) || tensor->fill().has_values()) return "";
  const auto known = words_.fills.find({tensor->name(), KindOf(options_.dtype)});
  if (known == words_.fills.end()) return "";
  const v1::Fill& fill =
      known->second[static_cast<size_t>(draws_->Below(static_cast<int64_t>(known->second.size())))];
  // A list is a table, whose rows belong together, are sorted, or differ.
  if (fill.has_values() && fill.values().values_size() != ElementsOf(*tensor)) return "";
  *tensor->mutable_fill() = fill;
  return absl::StrCat(tensor->name(), ": values ", fill.ShortDebugString());
}

// Between the least and the greatest number that points give the attribute. False: there are no such numbers.
bool Mutation::SetNumber(v1::PointAttribute* attribute) {
  const auto known = words_.attributes.find({attribute->name(), KindOf(options_.dtype)});
  if (known == words_.attributes.end()) return false;
  double least = HUGE_VAL, greatest = -HUGE_VAL;
  for (const v1::PointAttribute& each : known->second) {
    if (each.value_case() != attribute->value_case()) continue;
    const double value = each.has_i() ? static_cast<double>(each.i()) : each.f();
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  if (!(least < greatest)) return false;
  if (attribute->has_i()) {
    attribute->set_i(DrawExtent(0, static_cast<int64_t>(greatest - least), draws_) +
                     static_cast<int64_t>(least));
    return true;
  }
  attribute->set_f(least + (greatest - least) * static_cast<double>(draws_->Below(1025)) / 1024);
  return true;
}

std::string Mutation::Attribute() {
  if (point_->attr().empty()) return "";
  v1::PointAttribute& attribute = *point_->mutable_attr(static_cast<int>(draws_->Below(point_->attr_size())));
  if ((attribute.has_i() || attribute.has_sizes()) && HasTable()) return "";
  const std::string before = attribute.SerializeAsString();
  const bool place = attribute.has_i() && (absl::StartsWith(attribute.name(), "dim") ||
                                           absl::StartsWith(attribute.name(), "axis"));
  const v1::PointTensor* first = AnyTensor();
  if (place && first != nullptr && !first->shape().empty()) {
    attribute.set_i(draws_->Below(int64_t{2} * first->shape_size()) - first->shape_size());
  } else if ((attribute.has_i() || attribute.has_f()) && Chance(50)) {
    if (!SetNumber(&attribute)) return "";
  } else {
    const auto known = words_.attributes.find({attribute.name(), KindOf(options_.dtype)});
    if (known == words_.attributes.end()) return "";
    // What a mode does with indices that occur twice may be undefined.
    if (HasIndex() && (attribute.has_s() || attribute.has_b())) return "";
    attribute = known->second[static_cast<size_t>(draws_->Below(static_cast<int64_t>(known->second.size())))];
  }
  return attribute.SerializeAsString() == before ? "" : attribute.ShortDebugString();
}

// Adds or removes a dimension where all tensors have as many and no attribute names or counts them.
std::string Mutation::Rank() {
  int rank = -1;
  if (HasTable()) return "";
  for (const v1::PointTensor& tensor : point_->in()) {
    if (!IsGiven(tensor)) continue;
    if (rank >= 0 && tensor.shape_size() != rank) return "";
    rank = tensor.shape_size();
  }
  for (const v1::PointAttribute& attribute : point_->attr()) {
    if (attribute.has_sizes() || (attribute.has_i() && absl::StartsWith(attribute.name(), "dim"))) return "";
  }
  const bool add = rank < kMostRank && (rank == 0 || Chance(60));
  if (rank < 0 || (!add && rank == 0)) return "";
  const auto at = static_cast<int>(draws_->Below(add ? rank + 1 : rank));
  const int64_t size = add ? draws_->Below(3) + 1 : 0;
  for (v1::PointTensor& tensor : *point_->mutable_in()) {
    if (!IsGiven(tensor)) continue;
    tensor.clear_layout();
    std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
    if (add) {
      shape.insert(shape.begin() + at, size);
    } else {
      shape.erase(shape.begin() + at);
    }
    tensor.mutable_shape()->Assign(shape.begin(), shape.end());
  }
  point_->clear_out_layout();
  return absl::StrCat("dimension ", at, add ? absl::StrCat(" of ", size, " added") : " dropped");
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

std::string Mutation::Edge() {
  v1::PointTensor* tensor = AnyTensor();
  const bool plain = tensor != nullptr && !tensor->has_dtype() && RuleOf(tensor->name()).dtype().empty();
  return EdgeOf(*options_.rules, *options_.function, options_.dtype, draws_, point_,
                plain ? tensor : nullptr);
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

}  // namespace

bool IsRandom(const v1::FunctionRules& rules) {
  return std::any_of(rules.judge().begin(), rules.judge().end(),
                     [](const v1::Judge& judge) { return judge.kind() == v1::Judge::RANDOM; });
}

std::string MutatePoint(const MutateOptions& options, cases::Draws* draws, v1::Point* point) {
  return Mutation(options, draws, point).Run();
}

std::string MutateEdge(const MutateOptions& options, cases::Draws* draws, v1::Point* point) {
  return options.vocabulary->elementwise ? Mutation(options, draws, point).RunEdge() : "";
}

}  // namespace diopi::explore
