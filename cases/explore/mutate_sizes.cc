// Sizes that belong together change together: where one occurs in several shapes, lists of sizes and ranges
// of indices, it usually is one size of the operator, so it is replaced in all of them.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/tensor.h"
#include "cases/explore/extents.h"
#include "cases/explore/mutation.h"

namespace diopi::explore {
namespace {

constexpr int64_t kSurelyASize = 5;  // an attribute as large as a size of a tensor is that size
constexpr int kMostRank = 7;
constexpr int64_t kShort = 4;
constexpr int64_t kMostAdded = 16;  // to a list

int64_t ElementsOf(const v1::PointTensor& tensor) {
  return NumElements({tensor.shape().begin(), tensor.shape().end()});
}

}  // namespace

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
  return SetSizeOfShape(tensor, static_cast<int>(draws_->Below(tensor->shape_size())), std::nullopt);
}

// The dimension that an attribute names, or any: sums, searches and vectors treat short lines otherwise.
std::string Mutation::Short() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || tensor->shape().empty() || HasTable()) return "";
  const int rank = tensor->shape_size();
  int d = static_cast<int>(draws_->Below(rank));
  for (const v1::PointAttribute& attribute : point_->attr()) {
    const bool named = attribute.has_i() && NamesDimensions(attribute) && std::abs(attribute.i()) < rank;
    if (named && Chance(60)) d = static_cast<int>(attribute.i() + (attribute.i() < 0 ? rank : 0));
  }
  return tensor->shape(d) <= kShort ? "" : SetSizeOfShape(tensor, d, 1 + draws_->Below(kShort));
}

std::string Mutation::SetSizeOfShape(v1::PointTensor* tensor, int d, std::optional<int64_t> size) {
  const std::vector<int64_t> shape(tensor->shape().begin(), tensor->shape().end());
  const int64_t from = tensor->shape(d);
  const auto same_shape = [&shape](const v1::PointTensor& each) {
    return std::equal(each.shape().begin(), each.shape().end(), shape.begin(), shape.end());
  };
  const int64_t to = size.has_value() ? *size : NewExtent(from, [&](const v1::PointTensor& each, int at) {
    return at == d && same_shape(each);
  });
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

// Longer lists, of which kernels hold tables: tensors of all lists of one length are there again.
std::string Mutation::Lists() {
  std::map<std::string, std::vector<v1::PointTensor>> lists;
  for (const v1::PointTensor& tensor : point_->in())
    if (IsList(tensor.name())) lists[tensor.name()].push_back(tensor);
  if (lists.empty()) return "";
  const size_t length = lists.begin()->second.size();
  for (const v1::PointAttribute& attribute : point_->attr())
    if (static_cast<size_t>(attribute.sizes().values_size()) == length) return "";
  const size_t most = length + static_cast<size_t>(1 + draws_->Below(kMostAdded));
  for (const auto& [name, tensors] : lists) {
    for (size_t i = length; i < most && tensors.size() == length; ++i) {
      if (!IsGiven(tensors[i % length])) return "";
      *point_->add_in() = tensors[i % length];
    }
  }
  return absl::StrCat("lists of ", most);
}

// Two sizes change places everywhere: as many elements, other rows.
std::string Mutation::Exchange() {
  const v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || tensor->shape_size() < 2 || HasTable()) return "";
  const int64_t rank = tensor->shape_size(), first = draws_->Below(rank);
  const int64_t a = tensor->shape(static_cast<int>(first));
  const int64_t b = tensor->shape(static_cast<int>((first + 1 + draws_->Below(rank - 1)) % rank));
  if (a == b) return "";
  const auto exchange = [a, b](auto* sizes) {
    for (int64_t& size : *sizes) size = size == a ? b : size == b ? a : size;
  };
  const std::map<int, int> shapes = ShapeLists();
  for (v1::PointTensor& each : *point_->mutable_in()) {
    if (each.layout().kind() == v1::Layout::explicit_) each.clear_layout();
    exchange(each.mutable_shape());
  }
  SetShapeLists(shapes);
  return absl::StrCat(a, " <-> ", b);
}

// Adds or removes a dimension where all tensors have as many and no attribute counts them.
std::string Mutation::Rank() {
  int rank = -1;
  if (HasTable()) return "";
  for (const v1::PointTensor& tensor : point_->in()) {
    if (!IsGiven(tensor)) continue;
    if (rank >= 0 && tensor.shape_size() != rank) return "";
    rank = tensor.shape_size();
  }
  for (const v1::PointAttribute& attribute : point_->attr())
    if (attribute.has_sizes() && !NamesDimensions(attribute)) return "";
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
  Attributes().PlaceAll();
  return absl::StrCat("dimension ", at, add ? absl::StrCat(" of ", size, " added") : " dropped");
}

}  // namespace diopi::explore
