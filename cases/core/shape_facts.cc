#include "cases/core/shape_facts.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace diopi::cases {
namespace {

// What may relate a size to another one; the order of `related_`'s bits.
bool Equal(int64_t a, int64_t b) {
  return a == b;
}
bool IsExpanded(int64_t a, int64_t b) {
  return a == b || a == 1;
}
bool IsBroadcast(int64_t a, int64_t b) {
  return a == b || a == 1 || b == 1;
}
bool IsLimited(int64_t a, int64_t b) {
  return a <= b;
}
constexpr bool (*kRelations[])(int64_t, int64_t) = {Equal, IsExpanded, IsBroadcast, IsLimited};
constexpr uint8_t kEqual = 1, kLimited = 8;

uint8_t Related(int64_t a, int64_t b) {
  uint8_t bits = 0;
  for (size_t k = 0; k < std::size(kRelations); ++k) bits |= static_cast<uint8_t>(kRelations[k](a, b) << k);
  return bits;
}

std::string RanksOf(const v1::Case& c) {
  std::string ranks;
  for (const CallSize& each : SizesOf(c))
    absl::StrAppend(&ranks, each.argument, each.tensor, ".", each.place, " ");
  for (const v1::Argument& arg : c.args())
    if (arg.has_null()) absl::StrAppend(&ranks, arg.name(), " null ");
  return ranks;
}

}  // namespace

std::vector<CallSize> SizesOf(const v1::Case& c) {
  std::vector<CallSize> sizes;
  for (const v1::Argument& arg : c.args()) {
    const auto add = [&](const google::protobuf::RepeatedField<int64_t>& values, int tensor) {
      for (int i = 0; i < values.size(); ++i) sizes.push_back({arg.name(), arg.role(), tensor, i, values[i]});
    };
    if (arg.has_tensor()) add(arg.tensor().shape(), 0);
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) add(arg.tensors().tensors(i).shape(), i);
    if (arg.role() != v1::ROLE_ATTRIBUTE) continue;
    if (arg.has_i()) sizes.push_back({arg.name(), arg.role(), 0, 0, arg.i()});
    if (arg.has_sizes()) add(arg.sizes().values(), 0);
  }
  return sizes;
}

void SizeRelations::Add(const std::vector<CallSize>& sizes) {
  const size_t n = sizes.size();
  if (first_.empty()) {
    for (const CallSize& each : sizes) first_.push_back(each.value);
    least_ = first_;
    constant_.assign(n, true);
    related_.assign(n * n, UINT8_MAX);
  }
  for (size_t i = 0; i < n; ++i) {
    least_[i] = std::min(least_[i], sizes[i].value);
    constant_[i] = constant_[i] && sizes[i].value == first_[i];
    for (size_t j = 0; j < n; ++j) related_[i * n + j] &= Related(sizes[i].value, sizes[j].value);
  }
}

bool SizeRelations::Hold(const std::vector<CallSize>& sizes) const {
  const size_t n = sizes.size();
  for (size_t i = 0; i < n; ++i) {
    if (constant_[i] && sizes[i].value != first_[i]) return false;
    // An attribute that was never larger than a size need not stay below it.
    const uint8_t required = sizes[i].role == v1::ROLE_ATTRIBUTE ? kLimited - 1 : UINT8_MAX;
    for (size_t j = 0; j < n; ++j)
      if (related_[i * n + j] & required & ~Related(sizes[i].value, sizes[j].value)) return false;
  }
  return true;
}

std::vector<size_t> SizeRelations::EqualTo(size_t size) const {
  std::vector<size_t> equal;
  for (size_t j = 0; j < first_.size() && !constant_[size]; ++j)
    if (related_[size * first_.size() + j] & kEqual) equal.push_back(j);
  return equal;
}

void ShapeFacts::Add(const v1::Case& c) {
  relations_[RanksOf(c)].Add(SizesOf(c));
}

const SizeRelations* ShapeFacts::Of(const v1::Case& c) const {
  const auto found = relations_.find(RanksOf(c));
  return found == relations_.end() ? nullptr : &found->second;
}

}  // namespace diopi::cases
