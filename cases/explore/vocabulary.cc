#include "cases/explore/vocabulary.h"

#include <algorithm>

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

// Adds what a point, a cover or a class of one gives.
template <typename Giver>
void AddArguments(const Giver& giver, const Kinds& kinds, Vocabulary* vocabulary) {
  for (const v1::PointTensor& tensor : giver.in()) {
    if (!tensor.same_as().empty()) vocabulary->same.emplace(tensor.name(), tensor.same_as());
    if (tensor.layout().kind() != v1::Layout::contiguous) vocabulary->layouts.insert(tensor.layout().kind());
    for (int d = 0; d < tensor.shape_size(); ++d) {
      if (tensor.shape(d) == 0) vocabulary->empty.emplace(tensor.name(), tensor.shape_size(), d);
    }
    if (tensor.null() || !tensor.same_as().empty() || !tensor.below().empty()) continue;
    for (const DtypeKind kind : kinds) AddOnce(tensor.fill(), &vocabulary->fills[{tensor.name(), kind}]);
  }
  for (const v1::PointAttribute& attribute : giver.attr()) {
    const bool expression = attribute.has_e() || attribute.has_es();
    for (const DtypeKind kind : expression ? Kinds() : kinds) {
      AddOnce(attribute, &vocabulary->attributes[{attribute.name(), kind}]);
    }
  }
}

void AddOutLayout(const v1::Layout& layout, Vocabulary* vocabulary) {
  const bool by_rank = layout.kind() == v1::Layout::explicit_ || layout.kind() == v1::Layout::expanded;
  if (layout.kind() != v1::Layout::contiguous && !by_rank) vocabulary->out_layouts.insert(layout.kind());
}

}  // namespace

DtypeKind KindOf(Dtype dtype) {
  if (IsFloating(dtype)) return DtypeKind::kFloating;
  if (IsComplex(dtype)) return DtypeKind::kComplex;
  return dtype == v1::Dtype::bool_ ? DtypeKind::kBool : DtypeKind::kIntegral;
}

Vocabulary VocabularyOf(const v1::OperatorFile& op) {
  Vocabulary vocabulary;
  for (const v1::Grid& grid : op.grid()) {
    const Kinds of_grid = KindsOf(grid.dtypes(), grid.dtype_sets());
    for (const v1::Point& point : grid.point()) {
      const Kinds own = KindsOf(point.dtypes(), point.dtype_sets());
      AddArguments(point, own.empty() ? of_grid : own, &vocabulary);
      AddOutLayout(point.out_layout(), &vocabulary);
    }
  }
  for (const v1::Cover& cover : op.cover()) {
    const Kinds of_cover = KindsOf(cover.dtypes(), cover.dtype_sets());
    AddArguments(cover, of_cover, &vocabulary);
    for (const v1::Axis& axis : cover.axis()) {
      for (const v1::Class& c : axis.class_()) {
        const Kinds own = KindsOf(c.dtypes(), c.dtype_sets());
        AddArguments(c, own.empty() ? of_cover : own, &vocabulary);
        AddOutLayout(c.out_layout(), &vocabulary);
      }
    }
  }
  return vocabulary;
}

}  // namespace diopi::explore
