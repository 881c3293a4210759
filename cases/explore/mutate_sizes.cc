// Random changes of sizes (cases/core/point_sizes.h). Sizes that are equal usually must be, so mostly they
// change everywhere or in all tensors of one shape. Points with a table of values keep their sizes, unless
// the operator is element-wise. A drawn size keeps the tensors that have it within the options' most
// elements.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/tensor.h"
#include "cases/explore/extents.h"
#include "cases/explore/mutation.h"

namespace diopi::explore {
namespace {

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

std::string Mutation::Size() {
  v1::PointTensor* tensor = AnyTensor();
  if (tensor == nullptr || tensor->shape().empty() || HasTable()) return "";
  const int64_t from = tensor->shape(static_cast<int>(draws_->Below(tensor->shape_size())));
  const int64_t to = NewExtent(from, [from](const auto& each, int d) { return each.shape(d) == from; });
  if (from == to) return "";
  Sizes().Replace(from, to, from > cases::PointSizes::kSurelyASize || Chance(50));
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
  Sizes().SetDimension(*tensor, d, to);
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
  Sizes().Exchange(a, b);
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
