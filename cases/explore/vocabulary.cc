#include "cases/explore/vocabulary.h"

#include <algorithm>

#include "cases/core/argument_classes.h"
#include "cases/core/operator_file.h"

namespace diopi::explore {
namespace {

using Kinds = std::set<DtypeKind>;

template <typename Codes, typename Sets>
Kinds KindsOf(const Codes& codes, const Sets& sets) {
  Kinds kinds;
  for (const Dtype dtype : cases::DtypesOf(codes, sets)) kinds.insert(KindOf(dtype));
  return kinds;
}

template <typename Message>
void AddOnce(const Message& message, std::vector<Message>* list) {
  const std::string bytes = message.SerializeAsString();
  const bool known = std::any_of(list->begin(), list->end(),
                                 [&](const Message& each) { return each.SerializeAsString() == bytes; });
  if (!known) list->push_back(message);
}

// The tensors to which some class of the cover gives values.
std::set<std::string> FilledByClasses(const v1::Cover& cover) {
  std::set<std::string> names;
  for (const v1::Axis& axis : cover.axis()) {
    for (const v1::Class& c : axis.class_()) {
      for (const v1::PointTensor& tensor : c.in()) {
        if (tensor.has_fill()) names.insert(tensor.name());
      }
    }
  }
  return names;
}

// Whether an operand of the one shape repeats along dimensions of the other.
bool Repeats(const v1::PointTensor& tensor, const v1::PointTensor& other) {
  const int rank = tensor.shape_size(), missing = other.shape_size() - rank;
  if (missing < 0) return false;
  bool fewer = missing > 0;
  for (int d = 0; d < rank; ++d) {
    if (tensor.shape(d) == other.shape(missing + d)) continue;
    if (tensor.shape(d) != 1) return false;
    fewer = true;
  }
  return fewer;
}

// Adds what a point, a cover or a class of one gives. Where it does not say what a tensor holds, that is the
// default fill if `has_default` says so of the tensor's name.
template <typename Giver, typename Predicate>
void AddArguments(const Giver& giver, const Kinds& kinds, Predicate has_default, Vocabulary* vocabulary) {
  for (const v1::PointTensor& tensor : giver.in()) {
    if (!tensor.same_as().empty()) vocabulary->same.emplace(tensor.name(), tensor.same_as());
    if (tensor.null()) vocabulary->nulls.insert(tensor.name());
    if (tensor.shape_size() > 0 && std::any_of(giver.in().begin(), giver.in().end(),
                                               [&](const auto& other) { return Repeats(tensor, other); }))
      vocabulary->repeated.insert(tensor.name());
    vocabulary->expanded = vocabulary->expanded || tensor.layout().kind() == v1::Layout::expanded;
    bool is_empty = false;
    for (int d = 0; d < tensor.shape_size(); ++d) {
      if (tensor.shape(d) != 0) continue;
      vocabulary->empty.emplace(tensor.name(), tensor.shape_size(), d);
      is_empty = true;
    }
    if (is_empty) continue;  // it says nothing about values
    if (tensor.null() || !tensor.same_as().empty() || !tensor.below().empty()) continue;
    if (!tensor.has_fill() && !has_default(tensor.name())) continue;
    for (const DtypeKind kind : kinds) AddOnce(tensor.fill(), &vocabulary->fills[{tensor.name(), kind}]);
  }
  for (const v1::PointAttribute& attribute : giver.attr()) {
    const bool expression = attribute.has_e() || attribute.has_es();
    for (const DtypeKind kind : expression ? Kinds() : kinds) {
      AddOnce(attribute, &vocabulary->attributes[{attribute.name(), kind}]);
    }
  }
}

}  // namespace

DtypeKind KindOf(Dtype dtype) {
  if (IsFloating(dtype)) return DtypeKind::kFloating;
  if (IsComplex(dtype)) return DtypeKind::kComplex;
  return dtype == v1::Dtype::bool_ ? DtypeKind::kBool : DtypeKind::kIntegral;
}

Vocabulary VocabularyOf(const v1::OperatorFile& op) {
  Vocabulary vocabulary;
  const std::string& family = op.family();
  vocabulary.elementwise = family == "elementwise";
  vocabulary.pairwise = vocabulary.elementwise || family == "loss";
  static const std::set<std::string> smooth = {"attention",     "convolution", "interpolate", "linear",
                                               "normalization", "optimizer",   "pooling",     "reduction",
                                               "softmax",       "sort"};
  vocabulary.smooth = vocabulary.pairwise || smooth.contains(family);
  vocabulary.reduces = family == "reduction" || family == "normalization";
  vocabulary.placed = family == "roi" || family == "roi3d" || family == "deformable";
  vocabulary.decides = family == "boxes" || family == "detection";
  vocabulary.open = cases::MayBeNonFinite(family);
  vocabulary.expanded = cases::MayRepeat(family);
  for (const v1::Grid& grid : op.grid()) {
    if (grid.common()) continue;  // numbers at the ends of one dtype, which others cannot hold
    const Kinds of_grid = KindsOf(grid.dtypes(), grid.dtype_sets());
    for (const v1::Point& point : grid.point()) {
      const Kinds own = KindsOf(point.dtypes(), point.dtype_sets());
      AddArguments(
          point, own.empty() ? of_grid : own, [](const std::string&) { return true; }, &vocabulary);
    }
  }
  for (const v1::Cover& cover : op.cover()) {
    const Kinds of_cover = KindsOf(cover.dtypes(), cover.dtype_sets());
    const std::set<std::string> filled = FilledByClasses(cover);
    AddArguments(
        cover, of_cover, [&](const std::string& name) { return !filled.contains(name); }, &vocabulary);
    for (const v1::Axis& axis : cover.axis()) {
      for (const v1::Class& c : axis.class_()) {
        const Kinds own = KindsOf(c.dtypes(), c.dtype_sets());
        AddArguments(
            c, own.empty() ? of_cover : own, [](const std::string&) { return false; }, &vocabulary);
      }
    }
  }
  return vocabulary;
}

}  // namespace diopi::explore
