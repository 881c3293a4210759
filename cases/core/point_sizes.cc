#include "cases/core/point_sizes.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "cases/base/tensor.h"

namespace diopi::cases {

const v1::ArgRule& PointSizes::RuleOf(const std::string& name) const {
  for (const v1::ArgRule& rule : rules_.arg()) {
    if (rule.alias() == name || (rule.alias().empty() && rule.name() == name)) return rule;
  }
  return v1::ArgRule::default_instance();
}

bool PointSizes::IsIndex(const v1::PointTensor& tensor) const {
  return IsIndexType(tensor.has_dtype() ? tensor.dtype() : RuleOf(tensor.name()).dtype());
}

bool PointSizes::IsIndexType(const std::string& name) const {
  if (name.empty()) return false;
  const absl::StatusOr<Dtype> dtype = ParseDtype(name);
  return dtype.ok() && (IsInteger(*dtype) || *dtype == v1::Dtype::bool_) && *dtype != dtype_;
}

bool PointSizes::HasTable() const {
  const auto& attributes = point_->attr();
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

bool PointSizes::IsRangeOf(const v1::PointTensor& tensor, int64_t size) const {
  const v1::Fill::Integers& range = tensor.fill().integers();
  if (!tensor.fill().has_integers() || range.low() < 0 || range.high() != size - 1) return false;
  return IsIndex(tensor) || IsInteger(dtype_);  // otherwise labels 0 and 1
}

bool PointSizes::HasIndicesInto(int64_t size) const {
  return std::any_of(point_->in().begin(), point_->in().end(),
                     [&](const v1::PointTensor& tensor) { return IsRangeOf(tensor, size); });
}

void PointSizes::MoveIndexRanges(int64_t from, int64_t to) {
  for (v1::PointTensor& tensor : *point_->mutable_in()) {
    if (!IsRangeOf(tensor, from)) continue;
    v1::Fill::Integers* range = tensor.mutable_fill()->mutable_integers();
    range->set_high(std::max(range->low(), to - 1));
  }
}

// The lists of sizes that are the shape of a tensor, by that tensor.
std::map<int, int> PointSizes::ShapeLists() const {
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

void PointSizes::SetShapeLists(const std::map<int, int>& lists) {
  for (const auto& [attribute, tensor] : lists) {
    *point_->mutable_attr(attribute)->mutable_sizes()->mutable_values() = point_->in(tensor).shape();
  }
}

void PointSizes::Replace(int64_t from, int64_t to, bool lists) {
  const std::map<int, int> shapes = ShapeLists();
  for (v1::PointTensor& each : *point_->mutable_in()) {
    if (each.layout().kind() == v1::Layout::explicit_) each.clear_layout();
    std::replace(each.mutable_shape()->begin(), each.mutable_shape()->end(), from, to);
  }
  for (v1::PointAttribute& attribute : *point_->mutable_attr()) {
    if (lists && attribute.has_sizes()) {
      auto& values = *attribute.mutable_sizes()->mutable_values();
      std::replace(values.begin(), values.end(), from, to);
    }
    if (attribute.has_i() && attribute.i() == from && from > kSurelyASize) attribute.set_i(to);
  }
  SetShapeLists(shapes);
  MoveIndexRanges(from, to);
}

void PointSizes::SetDimension(const v1::PointTensor& tensor, int d, int64_t to) {
  const std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
  const std::map<int, int> shapes = ShapeLists();
  for (v1::PointTensor& each : *point_->mutable_in()) {
    if (!std::equal(each.shape().begin(), each.shape().end(), shape.begin(), shape.end())) continue;
    if (each.layout().kind() == v1::Layout::explicit_) each.clear_layout();
    each.set_shape(d, to);
  }
  SetShapeLists(shapes);
  MoveIndexRanges(shape[static_cast<size_t>(d)], to);
}

void PointSizes::Exchange(int64_t a, int64_t b) {
  const std::map<int, int> shapes = ShapeLists();
  for (v1::PointTensor& each : *point_->mutable_in()) {
    if (each.layout().kind() == v1::Layout::explicit_) each.clear_layout();
    for (int64_t& size : *each.mutable_shape()) size = size == a ? b : size == b ? a : size;
  }
  SetShapeLists(shapes);
}

}  // namespace diopi::cases
