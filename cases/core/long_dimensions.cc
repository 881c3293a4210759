#include "cases/core/long_dimensions.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/core/operand_classes.h"
#include "cases/core/point_sizes.h"

namespace diopi::cases {
namespace {

bool IsElementwise(const v1::Case& c) {
  return c.family() == "elementwise";
}

bool IsRead(v1::Role role) {
  return role == v1::ROLE_INPUT || role == v1::ROLE_INOUT;
}

// Gives the point new sizes; `sizes` are those of the case. False where one of them is not the point's own.
bool SetSizes(const v1::FunctionRules& rules, const v1::Case& c, const std::vector<CallSize>& sizes,
              const std::vector<int64_t>& values, v1::Point* point) {
  PointSizes indices(rules, c.dtype(), point);
  std::map<int64_t, std::set<int64_t>> moved;  // what becomes of a size
  for (size_t k = 0; k < sizes.size(); ++k)
    if (IsRead(sizes[k].role)) moved[sizes[k].value].insert(values[k]);
  for (const auto& [from, to] : moved) {
    if (to.size() == 1) indices.MoveIndexRanges(from, *to.begin());
    if (to.size() > 1 && indices.HasIndicesInto(from)) return false;
  }
  for (size_t k = 0; k < sizes.size(); ++k) {
    if (values[k] == sizes[k].value) continue;
    const std::string& name = PointName(*FindArgument(c, sizes[k].argument));
    const bool attributes = sizes[k].role == v1::ROLE_ATTRIBUTE;
    bool found = false;
    for (v1::PointAttribute& attribute : *point->mutable_attr()) {
      if (!attributes || attribute.name() != name) continue;
      found = true;
      if (attribute.has_i()) attribute.set_i(values[k]);
      if (attribute.has_sizes()) attribute.mutable_sizes()->set_values(sizes[k].place, values[k]);
    }
    int tensor = 0;
    for (v1::PointTensor& each : *point->mutable_in()) {
      if (attributes || each.name() != name || tensor++ != sizes[k].tensor) continue;
      found = sizes[k].place < each.shape_size();
      if (found) each.set_shape(sizes[k].place, values[k]);
      if (each.layout().kind() == v1::Layout::explicit_) each.clear_layout();
    }
    if (!found && attributes) return false;  // a tensor that a rule makes follows the others
  }
  return true;
}

}  // namespace

std::string Dimension::ClassName() const {
  return d < 0 ? absl::StrCat("long_m", -d) : absl::StrCat("long", d);
}

std::set<Dimension> DimensionsOf(const v1::Case& c, bool only_long) {
  std::set<Dimension> dimensions;
  for (const v1::Argument& arg : c.args()) {
    if (!IsInput(arg)) continue;
    for (const v1::TensorSpec* spec : SpecsOf(arg)) {
      if (!spec->from().empty() || !spec->same_as().empty()) continue;
      for (int d = 0; d < spec->shape_size(); ++d) {
        if (only_long && spec->shape(d) < 65536) continue;
        dimensions.insert({arg.name(), IsElementwise(c) ? 0 : d});
        if (!IsElementwise(c)) dimensions.insert({arg.name(), d - spec->shape_size()});
      }
    }
  }
  return dimensions;
}

std::optional<v1::Point> Lengthened(const v1::FunctionRules& rules, const v1::Case& c, const v1::Point& point,
                                    const Dimension& dimension, const ShapeFacts& facts,
                                    const std::function<bool(const v1::Point&)>& fits) {
  v1::Point copy = point;
  if (!IsElementwise(c) && PointSizes(rules, c.dtype(), &copy).HasTable()) return std::nullopt;
  const SizeRelations* relations = facts.Of(c);
  if (relations == nullptr) return std::nullopt;
  const std::vector<CallSize> sizes = SizesOf(c);
  const auto empty = [](const CallSize& each) { return each.role != v1::ROLE_ATTRIBUTE && each.value == 0; };
  if (std::any_of(sizes.begin(), sizes.end(), empty)) return std::nullopt;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int rank = static_cast<int>(std::count_if(sizes.begin(), sizes.end(), [&](const CallSize& each) {
      return each.argument == sizes[i].argument && each.tensor == sizes[i].tensor;
    }));
    const bool is_it =
        IsRead(sizes[i].role) && sizes[i].argument == dimension.argument &&
        (IsElementwise(c) || sizes[i].place == dimension.d || sizes[i].place - rank == dimension.d);
    const std::vector<size_t> equal = is_it ? relations->EqualTo(i) : std::vector<size_t>();
    if (equal.empty()) continue;
    for (const bool others_short : {true, false}) {
      std::vector<int64_t> values;
      for (size_t k = 0; k < sizes.size(); ++k)
        values.push_back(others_short && sizes[k].role != v1::ROLE_ATTRIBUTE
                             ? std::max<int64_t>(relations->LeastOf(k), 1)
                             : sizes[k].value);
      for (const size_t k : equal) values[k] = kLong;
      v1::Point lengthened = point;
      if (SetSizes(rules, c, sizes, values, &lengthened) && fits(lengthened)) return lengthened;
    }
  }
  return std::nullopt;
}

}  // namespace diopi::cases
