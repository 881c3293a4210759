#include "cases/core/shape_facts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace diopi::cases {
namespace {

std::vector<int64_t> ValuesOf(const std::vector<CallSize>& sizes) {
  std::vector<int64_t> values;
  values.reserve(sizes.size());
  for (const CallSize& each : sizes) values.push_back(each.value);
  return values;
}

std::string RanksOf(const v1::Case& c) {
  std::string ranks;
  for (const CallSize& each : SizesOf(c))
    absl::StrAppend(&ranks, each.argument, each.tensor, ".", each.place, " ");
  for (const v1::Argument& arg : c.args())
    if (arg.has_null()) absl::StrAppend(&ranks, arg.name(), " null ");
  return ranks;
}

template <typename Relation>
bool Always(const std::vector<std::vector<int64_t>>& rows, Relation relation) {
  return std::all_of(rows.begin(), rows.end(), relation);
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

void ShapeFacts::Add(const v1::Case& c) {
  rows_[RanksOf(c)].push_back(ValuesOf(SizesOf(c)));
}

const ShapeFacts::Rows* ShapeFacts::RowsLike(const v1::Case& c) const {
  const auto found = rows_.find(RanksOf(c));
  return found == rows_.end() ? nullptr : &found->second;
}

bool ShapeFacts::Hold(const v1::Case& c) const {
  const Rows* rows = RowsLike(c);
  if (rows == nullptr) return false;
  const std::vector<CallSize> sizes = SizesOf(c);
  const std::vector<int64_t> own = ValuesOf(sizes);
  for (size_t i = 0; i < own.size(); ++i) {
    const auto constant = [&](const auto& row) { return row[i] == rows->front()[i]; };
    if (!constant(own) && Always(*rows, constant)) return false;
    for (size_t j = 0; j < own.size(); ++j) {
      const auto equal = [&](const auto& row) { return row[i] == row[j]; };
      const auto broadcast = [&](const auto& row) { return row[i] == row[j] || row[i] == 1 || row[j] == 1; };
      const auto limited = [&](const auto& row) { return row[i] <= row[j]; };
      const auto expanded = [&](const auto& row) { return row[i] == row[j] || row[i] == 1; };
      if (!equal(own) && Always(*rows, equal)) return false;
      if (!expanded(own) && Always(*rows, expanded)) return false;
      if (!broadcast(own) && Always(*rows, broadcast)) return false;
      if (sizes[i].role != v1::ROLE_ATTRIBUTE && !limited(own) && Always(*rows, limited)) return false;
    }
  }
  return true;
}

std::vector<size_t> ShapeFacts::EqualTo(const v1::Case& c, size_t size) const {
  std::vector<size_t> equal;
  const Rows* rows = RowsLike(c);
  if (rows == nullptr || Always(*rows, [&](const auto& row) { return row[size] == rows->front()[size]; }))
    return equal;
  for (size_t j = 0; j < rows->front().size(); ++j)
    if (Always(*rows, [&](const auto& row) { return row[size] == row[j]; })) equal.push_back(j);
  return equal;
}

int64_t ShapeFacts::LeastOf(const v1::Case& c, size_t size) const {
  int64_t least = INT64_MAX;
  for (const auto& row : *RowsLike(c)) least = std::min(least, row[size]);
  return least;
}

}  // namespace diopi::cases
