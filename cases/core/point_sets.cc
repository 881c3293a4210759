// Replaces every reference to a set (functions, points, axes, covers) by a copy of what it names, renamed to
// the operator's roles, so that nothing later needs to know about sets. Where both give something, the
// operator's file overrides the set, and a point overrides its grid. Errors are collected, and all are
// reported with their lines.
#include "cases/core/point_sets.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"
#include "cases/base/textproto.h"
#include "cases/core/operator_file.h"

namespace diopi::cases {
namespace {

// Names, without ".textproto", and texts.
constexpr std::pair<std::string_view, std::string_view> kSetTexts[] = {
#include "cases/core/set_texts.inc"
};
constexpr char kAxes[] = "axes";  // the set whose axes others `use`

using Sets = std::map<std::string, v1::PointSet, std::less<>>;

// An error of a set names its file.
const absl::StatusOr<Sets>& AllSets() {
  static const auto* const sets = new absl::StatusOr<Sets>([]() -> absl::StatusOr<Sets> {
    Sets parsed;
    for (const auto& [set, text] : kSetTexts) {
      const std::string name(set);
      RETURN_IF_ERROR(
          ParseTextproto(text, absl::StrCat("cases/sets/", name, ".textproto"), &parsed[name]).status());
    }
    return parsed;
  }());
  return *sets;
}

template <typename Field>
auto* Named(Field* field, const std::string& name) {
  const auto found =
      std::find_if(field->begin(), field->end(), [&](const auto& e) { return e.name() == name; });
  return found == field->end() ? nullptr : &*found;
}

template <typename Roles, typename Fields>
void Rename(const Roles& roles, Fields* fields) {
  for (auto& field : *fields) {
    for (const v1::RoleName& role : roles) {
      if (field.name() != role.name()) continue;
      field.set_name(role.as());
      break;
    }
  }
}

template <typename Roles>
void RenameTensors(const Roles& roles, google::protobuf::RepeatedPtrField<v1::PointTensor>* tensors) {
  Rename(roles, tensors);
  for (v1::PointTensor& tensor : *tensors) {
    for (const v1::RoleName& role : roles) {
      if (tensor.same_as() == role.name()) tensor.set_same_as(role.as());
    }
  }
}

// The tensors and attributes that a grid or a use gives to points that do not give them.
template <typename Defaults>
void AddMissing(const Defaults& defaults, v1::Point* point) {
  for (const v1::PointTensor& tensor : defaults.in()) {
    bool found = false;
    for (v1::PointTensor& given : *point->mutable_in()) {
      if (given.name() != tensor.name()) continue;
      found = true;
      v1::PointTensor merged = tensor;
      MergeTensor(given, &merged);
      given = merged;
    }
    if (!found) *point->add_in() = tensor;
  }
  for (const v1::PointAttribute& attribute : defaults.attr()) {
    if (Named(point->mutable_attr(), attribute.name()) == nullptr) *point->add_attr() = attribute;
  }
}

// Classes of the axis's numbers, which set its variable.
void SpellOut(v1::Axis* axis) {
  for (const v1::Numbers& numbers : axis->numbers()) {
    for (const int64_t value : numbers.values()) {
      v1::Class* added = axis->add_class_();
      added->set_name(absl::StrCat(axis->name(), value < 0 ? "m" : "", value < 0 ? -value : value));
      added->set_group(numbers.group());
      added->set_once(numbers.once());
      v1::Let* variable = added->add_let();
      variable->set_name(axis->name());
      variable->set_value(absl::StrCat(value));
    }
  }
  axis->clear_numbers();
}

class Resolver {
 public:
  Resolver(const Sets& sets, const SourceLines& lines, v1::OperatorFile* op)
      : sets_(sets), lines_(lines), op_(op) {}

  absl::Status Run() {
    for (int f = 0; f < op_->functions_size(); ++f) TakeFunctions(f);
    op_->clear_functions();
    for (int g = 0; g < op_->grid_size(); ++g) {
      for (int u = 0; u < op_->grid(g).use_size(); ++u) UsePoints(g, u);
      op_->mutable_grid(g)->clear_use();
      GiveDefaults(g);
    }
    for (int c = 0; c < op_->cover_size(); ++c) ResolveCover(c);
    if (findings_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrJoin(findings_, "\n"));
  }

 private:
  void AddError(const FieldPath& path, const std::string& text) {
    findings_.push_back(lines_.At(path) + text);
  }

  const v1::PointSet* Find(const FieldPath& path, const std::string& name) {
    const auto found = sets_.find(name);
    if (found != sets_.end()) return &found->second;
    AddError(path, absl::StrCat("no set '", name, "' in cases/sets", NearestText(name, SetNames())));
    return nullptr;
  }

  void TakeFunctions(int f);
  void UsePoints(int g, int u);
  void GiveDefaults(int g);
  static void Adapt(const v1::Use& use, v1::Point* point);
  void ResolveCover(int c);
  void TakeSet(const v1::PointSet& set, v1::Cover* cover);
  void AddAxis(const FieldPath& path, v1::Axis axis, v1::Cover* cover);
  void LeaveOut(const FieldPath& path, const v1::LeftOut& left_out, v1::Cover* cover);

  const Sets& sets_;
  const SourceLines& lines_;
  v1::OperatorFile* op_;
  std::vector<std::string> findings_;
};

void Resolver::UsePoints(int g, int u) {
  const FieldPath here = {{"grid", g}, {"use", u}};
  const v1::Use use = op_->grid(g).use(u);
  const v1::PointSet* set = Find(here, use.set());
  if (set == nullptr) return;
  std::vector<std::string> labels;
  for (const v1::Point& point : set->point()) labels.push_back(point.label());
  for (const std::string& label : use.without()) {
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
    AddError(here, absl::StrCat("the set '", use.set(), "' has no point '", label, "'",
                                NearestText(label, labels)));
  }
  for (const v1::Point& point : set->point()) {
    if (std::find(use.without().begin(), use.without().end(), point.label()) != use.without().end()) continue;
    v1::Point* added = op_->mutable_grid(g)->add_point();
    *added = point;
    added->set_label(absl::StrCat(use.prefix(), point.label()));
    Adapt(use, added);
  }
}

void Resolver::Adapt(const v1::Use& use, v1::Point* point) {
  RenameTensors(use.role(), point->mutable_in());
  Rename(use.role(), point->mutable_attr());
  if (point->functions().empty()) *point->mutable_functions() = use.functions();
  if (point->dtypes().empty() && point->dtype_sets().empty()) {
    *point->mutable_dtypes() = use.dtypes();
    *point->mutable_dtype_sets() = use.dtype_sets();
  }
  AddMissing(use, point);
}

// Where the file has the function too, its rules are added to the set's, and override them.
void Resolver::TakeFunctions(int f) {
  const FieldPath here = {{"functions", f}};
  const v1::FunctionsOf& functions = op_->functions(f);
  const v1::PointSet* set = Find(here, functions.set());
  if (set == nullptr) return;
  if (set->function().empty())
    AddError(here, absl::StrCat("the set '", functions.set(), "' has no functions"));
  for (v1::FunctionRules rules : set->function()) {
    const auto& without = functions.without();
    if (std::find(without.begin(), without.end(), rules.variant()) != without.end()) continue;
    const auto spell = [&](std::string* text) {
      *text = absl::StrReplaceAll(*text, {{"$", functions.name()}});
    };
    spell(rules.mutable_name());
    for (v1::ArgRule& arg : *rules.mutable_arg()) {
      if (!arg.from().empty()) spell(arg.mutable_from());
      if (!arg.shape_of().empty()) spell(arg.mutable_shape_of());
    }
    v1::FunctionRules* own = Named(op_->mutable_function(), rules.name());
    if (own != nullptr) rules.MergeFrom(*own);
    if (rules.judge().empty()) *rules.mutable_judge() = functions.judge();
    *(own != nullptr ? own : op_->add_function()) = std::move(rules);
  }
}

void Resolver::GiveDefaults(int g) {
  v1::Grid* grid = op_->mutable_grid(g);
  for (v1::Point& point : *grid->mutable_point()) AddMissing(*grid, &point);
  grid->clear_in();
  grid->clear_attr();
}

void Resolver::AddAxis(const FieldPath& path, v1::Axis axis, v1::Cover* cover) {
  if (!axis.use().empty()) {
    const auto axes = sets_.find(kAxes);
    v1::PointSet shared = axes == sets_.end() ? v1::PointSet() : axes->second;
    const v1::Axis* used = Named(shared.mutable_axis(), axis.use());
    if (used == nullptr)
      return AddError(path, absl::StrCat("no axis '", axis.use(), "' in cases/sets/axes.textproto"));
    const v1::Axis own = axis;
    axis = *used;
    axis.MergeFrom(own);
    if (!own.name().empty()) axis.set_name(own.name());
  }
  axis.clear_use();
  SpellOut(&axis);
  v1::Axis* known = Named(cover->mutable_axis(), axis.name());
  if (known == nullptr) {
    *cover->add_axis() = std::move(axis);
  } else if (axis.replace()) {
    *known = std::move(axis);
  } else {
    known->MergeFrom(axis);
  }
}

void Resolver::TakeSet(const v1::PointSet& set, v1::Cover* cover) {
  const FieldPath nowhere;
  for (v1::Axis axis : set.axis()) {
    for (v1::Class& c : *axis.mutable_class_()) {
      RenameTensors(cover->role(), c.mutable_in());
      Rename(cover->role(), c.mutable_attr());
    }
    AddAxis(nowhere, std::move(axis), cover);
  }
  v1::PointSet base = set;
  RenameTensors(cover->role(), base.mutable_in());
  Rename(cover->role(), base.mutable_attr());
  cover->mutable_in()->MergeFrom(base.in());
  cover->mutable_attr()->MergeFrom(base.attr());
  cover->mutable_let()->MergeFrom(base.let());
  cover->mutable_condition()->MergeFrom(base.condition());
}

void Resolver::LeaveOut(const FieldPath& path, const v1::LeftOut& left_out, v1::Cover* cover) {
  if (left_out.why().empty()) AddError(path, "`left_out` needs `why`");
  v1::Axis* axis = Named(cover->mutable_axis(), left_out.axis());
  if (axis == nullptr) {
    std::vector<std::string> names;
    for (const v1::Axis& each : cover->axis()) names.push_back(each.name());
    return AddError(path,
                    absl::StrCat("no axis '", left_out.axis(), "'", NearestText(left_out.axis(), names)));
  }
  const auto& names = left_out.classes();
  for (const std::string& name : names) {
    if (Named(axis->mutable_class_(), name) == nullptr) {
      AddError(path, absl::StrCat("axis '", axis->name(), "' has no class '", name, "'"));
    }
  }
  auto* classes = axis->mutable_class_();
  const int first = names.empty() ? 1 : 0;  // the ordinary class of an axis that is left out whole stays
  classes->erase(std::remove_if(classes->begin() + first, classes->end(),
                                [&](const v1::Class& c) {
                                  return names.empty() ||
                                         std::find(names.begin(), names.end(), c.name()) != names.end();
                                }),
                 classes->end());
}

void Resolver::ResolveCover(int c) {
  const FieldPath here = {{"cover", c}};
  v1::Cover own = op_->cover(c);
  v1::Cover* cover = op_->mutable_cover(c);
  cover->clear_axis();
  cover->clear_in();
  cover->clear_attr();
  cover->clear_let();
  for (const std::string& name : own.set()) {
    if (const v1::PointSet* set = Find(here, name); set != nullptr) TakeSet(*set, cover);
  }
  for (int a = 0; a < own.axis_size(); ++a) AddAxis({{"cover", c}, {"axis", a}}, own.axis(a), cover);
  for (const v1::PointTensor& tensor : own.in()) {
    v1::PointTensor* known = Named(cover->mutable_in(), tensor.name());
    if (known == nullptr) {
      *cover->add_in() = tensor;
    } else {
      MergeTensor(tensor, known);
    }
  }
  for (const v1::PointAttribute& attribute : own.attr()) {
    v1::PointAttribute* known = Named(cover->mutable_attr(), attribute.name());
    (known == nullptr ? *cover->add_attr() : *known) = attribute;
  }
  for (const v1::Let& variable : own.let()) {
    v1::Let* known = Named(cover->mutable_let(), variable.name());
    (known == nullptr ? *cover->add_let() : *known) = variable;
  }
  for (int l = 0; l < own.left_out_size(); ++l)
    LeaveOut({{"cover", c}, {"left_out", l}}, own.left_out(l), cover);
  cover->clear_set();
}

}  // namespace

std::vector<std::string> SetNames() {
  std::vector<std::string> names;
  for (const auto& [set, text] : kSetTexts) names.emplace_back(set);
  return names;
}

void MergeTensor(const v1::PointTensor& from, v1::PointTensor* into) {
  if (from.has_fill()) {
    v1::Fill fill = from.fill();
    if (fill.kind_case() == v1::Fill::KIND_NOT_SET) {
      const v1::Fill::Specials specials = fill.specials();
      fill = into->fill();
      *fill.mutable_specials() = specials;
    } else if (!fill.has_specials() && into->fill().has_specials()) {
      *fill.mutable_specials() = into->fill().specials();
    }
    *into->mutable_fill() = fill;
    into->clear_below();
  }
  if (!from.shape().empty()) *into->mutable_shape() = from.shape();
  if (from.has_layout()) *into->mutable_layout() = from.layout();
  if (from.has_dtype()) into->set_dtype(from.dtype());
  if (from.null()) into->set_null(true);
  if (!from.same_as().empty()) into->set_same_as(from.same_as());
  if (!from.dims().empty()) into->set_dims(from.dims());
  if (!from.below().empty()) into->set_below(from.below());
}

absl::Status ResolveSets(const SourceLines& lines, v1::OperatorFile* op) {
  const absl::StatusOr<Sets>& sets = AllSets();
  if (!sets.ok()) return sets.status();
  return Resolver(*sets, lines, op).Run();
}

}  // namespace diopi::cases
