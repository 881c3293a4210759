#include "cases/core/cover_point.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "cases/core/point_sets.h"

namespace diopi::cases {
namespace {

absl::Status SetShape(const Variables& variables, v1::PointTensor* tensor) {
  if (!tensor->dims().empty()) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> shape, EvaluateList(tensor->dims(), variables));
    tensor->mutable_shape()->Assign(shape.begin(), shape.end());
    tensor->clear_dims();
  }
  if (!tensor->below().empty()) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> end, EvaluateList(tensor->below(), variables));
    tensor->mutable_fill()->mutable_integers()->set_low(0);
    tensor->mutable_fill()->mutable_integers()->set_high(std::max<int64_t>(end.at(0) - 1, 0));
    tensor->clear_below();
  }
  return absl::OkStatus();
}

absl::Status SetValue(const Variables& variables, v1::PointAttribute* attribute) {
  const bool list = attribute->value_case() == v1::PointAttribute::kEs;
  if (!list && attribute->value_case() != v1::PointAttribute::kE) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<int64_t> values,
                   EvaluateList(list ? attribute->es() : attribute->e(), variables));
  if (list) {
    attribute->mutable_sizes()->mutable_values()->Assign(values.begin(), values.end());
  } else {
    attribute->set_i(values.at(0));
  }
  return absl::OkStatus();
}

// One tensor is merged into the point's tensor of its name, or into each of a list; several of one name
// replace the list.
void GiveTensors(const v1::Class& c, v1::Point* point) {
  auto* in = point->mutable_in();
  std::set<std::string> lists;
  for (const v1::PointTensor& tensor : c.in()) {
    const auto same = [&](const v1::PointTensor& each) { return each.name() == tensor.name(); };
    if (std::count_if(c.in().begin(), c.in().end(), same) > 1) {
      if (lists.insert(tensor.name()).second)
        in->erase(std::remove_if(in->begin(), in->end(), same), in->end());
      *in->Add() = tensor;
      continue;
    }
    bool found = false;
    for (v1::PointTensor& given : *in) {
      if (!same(given)) continue;
      found = true;
      MergeTensor(tensor, &given);
    }
    if (!found) *in->Add() = tensor;
  }
}

}  // namespace

Variables VariablesOf(const v1::Cover& cover, const Classes& classes) {
  Variables variables;
  for (const v1::Let& variable : cover.let()) variables[variable.name()] = variable.value();
  for (int a = 0; a < cover.axis_size(); ++a) {
    const v1::Class* c = classes[static_cast<size_t>(a)];
    if (c == nullptr) {  // what the axis may still set is not known
      for (const v1::Class& each : cover.axis(a).class_()) {
        for (const v1::Let& variable : each.let()) variables.erase(variable.name());
      }
      continue;
    }
    for (const v1::Let& variable : c->let()) variables[variable.name()] = variable.value();
  }
  return variables;
}

std::string LabelOfClasses(const v1::Cover& cover, const Classes& classes) {
  std::vector<std::string> names;
  for (int a = 0; a < cover.axis_size(); ++a) {
    const v1::Axis& axis = cover.axis(a);
    const v1::Class& c = *classes[static_cast<size_t>(a)];
    const bool number = c.let_size() == 1 && c.let(0).name() == axis.name();
    if (number || &c != &axis.class_(0)) names.push_back(c.name());
  }
  return names.empty() ? "ordinary" : absl::StrJoin(names, "_");
}

absl::StatusOr<v1::Point> PointOf(const v1::Cover& cover, const Classes& classes,
                                  const Variables& variables) {
  v1::Point point;
  *point.mutable_in() = cover.in();
  *point.mutable_attr() = cover.attr();
  for (const v1::Class* c : classes) {
    GiveTensors(*c, &point);
    for (const v1::PointAttribute& attribute : c->attr()) {
      auto given = std::find_if(point.mutable_attr()->begin(), point.mutable_attr()->end(),
                                [&](const auto& each) { return each.name() == attribute.name(); });
      (given == point.mutable_attr()->end() ? *point.add_attr() : *given) = attribute;
    }
    if (c->has_out_layout()) *point.mutable_out_layout() = c->out_layout();
  }
  absl::Status status;
  for (v1::PointTensor& tensor : *point.mutable_in()) status.Update(SetShape(variables, &tensor));
  for (v1::PointAttribute& attribute : *point.mutable_attr()) status.Update(SetValue(variables, &attribute));
  if (!status.ok()) return status;
  return point;
}

}  // namespace diopi::cases
