// Chooses the rows of classes; cover_point.h turns a row into a point, and the case builder decides whether a
// function takes it. A refusal is not an error: its reason is kept, and shows why a class has no case. Each
// function is tried first with the rows chosen for the earlier ones, so that functions of an operator share
// points, and with them inputs. The search is repeatable but slow, so the built-in files carry the chosen
// rows, one byte for each axis; such a row that no longer builds is an internal error. Smoke rows are chosen
// greedily until every dtype and every group has one.
#include "cases/core/cover.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "cases/base/status_macros.h"
#include "cases/core/case_builder.h"
#include "cases/core/cover_point.h"
#include "cases/core/covering.h"
#include "cases/core/expression.h"
#include "cases/core/operator_file.h"

namespace diopi::cases {
namespace {

// One function's rows. The dtype is axis 0 of a row, the cover's axes follow.
class FunctionCover {
 public:
  FunctionCover(const v1::OperatorFile& op, const v1::Cover& cover, const v1::FunctionRules& rules,
                const std::vector<Dtype>& dtypes)
      : op_(op), cover_(cover), rules_(rules), dtypes_(dtypes) {
    CoverAxis dtype{{}, {}, true};
    for (size_t i = 0; i < dtypes.size(); ++i) dtype.group.push_back(static_cast<int>(i));
    dtype.once.assign(dtypes.size(), false);
    axes_.push_back(std::move(dtype));
    for (const v1::Axis& axis : cover.axis()) axes_.push_back(AxisOf(axis));
  }

  // Rows that are in the cover already come first.
  absl::Status Run(std::vector<Row>* rows) {
    std::vector<Constraint> constraints;
    AddConstraints(&constraints);
    const Covering covering = CoverPairs(
        axes_, constraints, [this](const Row& row) { return Builds(row); }, *rows);
    for (const Row& row : covering.rows) {
      if (std::find(rows->begin(), rows->end(), row) == rows->end()) rows->push_back(row);
    }
    Measure(covering);
    rows_ = covering.rows;
    return Finish(SmokeRows());
  }

  // The rows that an earlier Run found, without their cases.
  void Take(const std::string& chosen) {
    rows_.clear();
    for (size_t at = 0; at + axes_.size() <= chosen.size(); at += axes_.size()) {
      Row& row = rows_.emplace_back();
      for (size_t a = 0; a < axes_.size(); ++a) row.push_back(static_cast<unsigned char>(chosen[at + a]));
    }
  }
  absl::Status Rebuild(const std::string& chosen, bool only_smoke) {
    Take(chosen);
    const std::vector<bool> smoke = SmokeRows();
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (only_smoke && !smoke[r]) continue;
      if (!Builds(rows_[r]))
        return absl::InternalError(absl::StrCat("a chosen row does not fit: ", why_not_));
    }
    return Finish(smoke);
  }
  static std::string Chosen(const std::vector<Row>& rows) {
    std::string bytes;
    for (const Row& row : rows) {
      for (const int c : row) bytes.push_back(static_cast<char>(c));
    }
    return bytes;
  }

  // The point of the row with this label; nothing when there is none.
  std::optional<v1::Point> Find(const std::string& label, Dtype dtype) const {
    for (const Row& row : rows_) {
      if (dtypes_[static_cast<size_t>(row[0])] != dtype || LabelOf(row) != label) continue;
      absl::StatusOr<v1::Point> point = PointOf(row);
      if (point.ok()) return *std::move(point);
    }
    return std::nullopt;
  }

  const std::vector<Row>& rows() const { return rows_; }
  std::vector<v1::Case>& cases() { return cases_; }
  Reach& reach() { return reach_; }
  const std::string& why_not() const { return why_not_; }

 private:
  // Makes cases of the rows that were built.
  absl::Status Finish(const std::vector<bool>& smoke) {
    if (!error_.ok()) return error_;
    for (size_t r = 0; r < rows_.size(); ++r) {
      const auto built = built_.find(rows_[r]);
      if (built == built_.end()) continue;
      v1::Case c = std::move(built->second);
      RETURN_IF_ERROR(FinishCase(rules_, &c));
      c.set_smoke(smoke[r]);
      cases_.push_back(std::move(c));
    }
    return absl::OkStatus();
  }
  std::vector<bool> SmokeRows() const;

  static CoverAxis AxisOf(const v1::Axis& axis) {
    CoverAxis result;
    std::map<std::string, int> groups;
    for (const v1::Class& c : axis.class_()) {
      const std::string& name = c.group().empty() ? absl::StrCat("=", c.name()) : c.group();
      result.group.push_back(groups.emplace(name, static_cast<int>(groups.size())).first->second);
      result.once.push_back(c.once());
    }
    return result;
  }

  const v1::Class* ClassAt(const Row& row, int axis) const {
    const int chosen = row[static_cast<size_t>(axis) + 1];
    return chosen == kOpen ? nullptr : &cover_.axis(axis).class_(chosen);
  }
  Classes ClassesOf(const Row& row) const;
  std::string LabelOf(const Row& row) const { return LabelOfClasses(cover_, ClassesOf(row)); }
  void AddConstraints(std::vector<Constraint>* constraints);
  void AddCondition(const std::string& condition, const std::string& why, int axis, int c,
                    std::vector<Constraint>* constraints);
  void AddAxesOf(const std::string& expression, int depth, std::set<int>* axes) const;
  bool Holds(const std::string& condition, const Variables& variables);
  bool Refuse(const Constraint& constraint, const Row& row, const std::string& why);
  bool Builds(const Row& row);
  bool Build(const Row& row);
  absl::StatusOr<v1::Point> PointOf(const Row& row) const;
  void Measure(const Covering& covering);

  const v1::OperatorFile& op_;
  const v1::Cover& cover_;
  const v1::FunctionRules& rules_;
  const std::vector<Dtype>& dtypes_;
  std::vector<CoverAxis> axes_;
  std::map<Row, v1::Case> built_;
  std::vector<Row> rows_;
  std::vector<v1::Case> cases_;
  Reach reach_;
  std::string why_not_;  // the last reason why a complete row was refused
  std::map<std::pair<size_t, int>, std::string>
      why_class_;  // axis and class: why the last row with it was refused
  absl::Status error_;
};

Classes FunctionCover::ClassesOf(const Row& row) const {
  Classes classes;
  for (int a = 0; a < cover_.axis_size(); ++a) classes.push_back(ClassAt(row, a));
  return classes;
}

bool FunctionCover::Holds(const std::string& condition, const Variables& variables) {
  if (condition.empty()) return true;
  const absl::StatusOr<std::optional<int64_t>> value = Evaluate(condition, variables);
  if (!value.ok()) {
    error_.Update(value.status());
    return false;
  }
  return value->value_or(1) != 0;
}

// The axes whose classes set a variable of the expression, or one that its value depends on.
void FunctionCover::AddAxesOf(const std::string& expression, int depth, std::set<int>* axes) const {
  if (depth > cover_.let_size() + cover_.axis_size() + 1) return;  // Evaluate says that it depends on itself
  for (const std::string& name : VariablesIn(expression)) {
    for (const v1::Let& let : cover_.let()) {
      if (let.name() == name) AddAxesOf(let.value(), depth + 1, axes);
    }
    for (int a = 0; a < cover_.axis_size(); ++a) {
      for (const v1::Class& c : cover_.axis(a).class_()) {
        for (const v1::Let& let : c.let()) {
          if (let.name() != name) continue;
          axes->insert(a + 1);
          AddAxesOf(let.value(), depth + 1, axes);
        }
      }
    }
  }
}

// Notes why the classes of the constraint's axes have no case.
bool FunctionCover::Refuse(const Constraint& constraint, const Row& row, const std::string& why) {
  why_not_ = why;
  for (const int axis : constraint.axes) {
    why_class_.emplace(std::pair(static_cast<size_t>(axis), row[static_cast<size_t>(axis)]), why);
  }
  return false;
}

// A condition on every row (`axis` is kOpen), or on those with class `c` of the axis.
void FunctionCover::AddCondition(const std::string& condition, const std::string& why, int axis, int c,
                                 std::vector<Constraint>* constraints) {
  std::set<int> axes;
  AddAxesOf(condition, 0, &axes);
  if (axis != kOpen) axes.insert(axis);
  Constraint added{{axes.begin(), axes.end()}, nullptr};
  added.holds = [this, added, condition, why, axis, c](const Row& row) {
    if (axis != kOpen && row[static_cast<size_t>(axis)] != c) return true;
    return Holds(condition, VariablesOf(cover_, ClassesOf(row))) || Refuse(added, row, why);
  };
  constraints->push_back(std::move(added));
}

void FunctionCover::AddConstraints(std::vector<Constraint>* constraints) {
  for (const v1::Condition& condition : cover_.condition()) {
    AddCondition(condition.that(), condition.why(), kOpen, kOpen, constraints);
  }
  for (int a = 0; a < cover_.axis_size(); ++a) {
    for (int c = 0; c < cover_.axis(a).class__size(); ++c) {
      const v1::Class& each = cover_.axis(a).class_(c);
      if (!each.when().empty()) {
        AddCondition(each.when(), absl::StrCat("only where ", each.when()), a + 1, c, constraints);
      }
      if (each.dtypes().empty() && each.dtype_sets().empty()) continue;
      const std::vector<Dtype> only = DtypesOf(each.dtypes(), each.dtype_sets());
      Constraint added{{0, a + 1}, nullptr};
      added.holds = [this, added, only, a, c](const Row& row) {
        const Dtype dtype = dtypes_[static_cast<size_t>(row[0])];
        return row[static_cast<size_t>(a) + 1] != c ||
               std::find(only.begin(), only.end(), dtype) != only.end() ||
               Refuse(added, row, absl::StrCat("not in ", v1::Dtype::Code_Name(dtype)));
      };
      constraints->push_back(std::move(added));
    }
  }
}

bool FunctionCover::Builds(const Row& row) {
  if (!error_.ok()) return false;
  if (built_.count(row) != 0 || Build(row)) return true;
  for (size_t a = 0; a < row.size(); ++a) why_class_.emplace(std::pair(a, row[a]), why_not_);
  return false;
}

bool FunctionCover::Build(const Row& row) {
  const absl::StatusOr<v1::Point> point = PointOf(row);
  if (!point.ok()) {
    error_.Update(point.status());
    return false;
  }
  absl::StatusOr<Fit> fit = BuildCase(op_, rules_, *point, dtypes_[static_cast<size_t>(row[0])]);
  if (absl::IsFailedPrecondition(fit.status())) {
    why_not_ = std::string(fit.status().message());
    return false;
  }
  if (!fit.ok()) {
    error_.Update(absl::InvalidArgumentError(
        absl::StrCat(rules_.name(), ", ", point->label(), ": ", fit.status().message())));
    return false;
  }
  if (!fit->c.has_value()) {
    why_not_ = fit->why_not;
    return false;
  }
  const auto& args = fit->c->args();
  if (point->has_out_layout() && std::none_of(args.begin(), args.end(), [](const v1::Argument& arg) {
        return arg.role() == v1::ROLE_OUTPUT;
      })) {
    why_not_ = "no output can take the layout";
    return false;
  }
  if (LargestTensorBytes(*fit->c) > kMostTensorBytes) {
    why_not_ = "a tensor would be larger than 1 MiB";
    return false;
  }
  built_.emplace(row, *std::move(fit->c));
  return true;
}

absl::StatusOr<v1::Point> FunctionCover::PointOf(const Row& row) const {
  const Classes classes = ClassesOf(row);
  absl::StatusOr<v1::Point> point = cases::PointOf(cover_, classes, VariablesOf(cover_, classes));
  if (!point.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(LabelOf(row), ": ", point.status().message()));
  }
  point->set_label(LabelOf(row));
  point->set_reveals("a defect that shows only where two of these meet, or in a size of this class");
  return point;
}

// The rows, those with the most new classes first, that together have every dtype and a class of every group
// of every axis.
std::vector<bool> FunctionCover::SmokeRows() const {
  std::vector<bool> smoke(rows_.size(), false);
  std::vector<std::vector<bool>> seen;  // by axis and group
  seen.reserve(axes_.size());
  for (const CoverAxis& axis : axes_) seen.emplace_back(axis.group.size(), false);
  const auto fresh = [&](const Row& row, bool take) {
    int count = 0;
    for (size_t a = 0; a < axes_.size(); ++a) {
      std::vector<bool>::reference known =
          seen[a][static_cast<size_t>(axes_[a].group[static_cast<size_t>(row[a])])];
      count += known ? 0 : 1;
      if (take) known = true;
    }
    return count;
  };
  for (;;) {
    size_t best = rows_.size();
    int most = 0;
    for (size_t r = 0; r < rows_.size(); ++r) {
      const int count = fresh(rows_[r], false);
      if (count <= most) continue;
      most = count;
      best = r;
    }
    if (best == rows_.size()) return smoke;
    fresh(rows_[best], true);
    smoke[best] = true;
  }
}

void FunctionCover::Measure(const Covering& covering) {
  reach_.function = rules_.name();
  reach_.pairs = covering.pairs;
  for (size_t a = 0; a < axes_.size(); ++a) {
    AxisReach axis;
    axis.axis = a == 0 ? "dtype" : cover_.axis(static_cast<int>(a) - 1).name();
    std::vector<bool> has(axes_[a].group.size(), false);
    for (const Row& row : covering.rows) has[static_cast<size_t>(row[a])] = true;
    for (size_t c = 0; c < has.size(); ++c) {
      std::string name = a == 0 ? v1::Dtype::Code_Name(dtypes_[c])
                                : cover_.axis(static_cast<int>(a) - 1).class_(static_cast<int>(c)).name();
      if (has[c]) {
        axis.reached.push_back(std::move(name));
      } else {
        axis.excluded.push_back(absl::StrCat(name, ": ", why_class_[{a, static_cast<int>(c)}]));
      }
    }
    reach_.axes.push_back(std::move(axis));
  }
  for (const Impossible& each : covering.impossible) {
    reach_.excluded_pairs += each.axis_b == kOpen ? 0 : 1;
    if (!each.undecided) continue;
    const std::string first = absl::StrCat(reach_.axes[static_cast<size_t>(each.axis_a)].axis, " ", each.a);
    reach_.undecided.push_back(
        each.axis_b == kOpen
            ? first
            : absl::StrCat(first, " with ", reach_.axes[static_cast<size_t>(each.axis_b)].axis, " ", each.b));
  }
}

std::vector<Dtype> DtypesFor(const v1::Cover& cover, const v1::FunctionRules& rules) {
  std::vector<Dtype> dtypes = DtypesOf(cover.dtypes(), cover.dtype_sets());
  std::erase_if(dtypes, [&](Dtype dtype) { return !TakesDtype(rules, dtype); });
  return dtypes;
}

// The rows of the function that the file already has; null when it has none.
const v1::ChosenRows* ChosenOf(const v1::Cover& cover, const std::string& function) {
  const auto& chosen = cover.chosen();
  const auto found = std::find_if(chosen.begin(), chosen.end(),
                                  [&](const v1::ChosenRows& each) { return each.function() == function; });
  return found == chosen.end() ? nullptr : &*found;
}

bool IsWanted(const v1::Cover& cover, const v1::FunctionRules& rules) {
  const auto& wanted = cover.functions();
  const bool listed = wanted.empty() || std::find(wanted.begin(), wanted.end(), rules.name()) != wanted.end();
  return listed && (cover.chosen().empty() || ChosenOf(cover, rules.name()) != nullptr);
}

}  // namespace

absl::StatusOr<v1::Point> PointOfCase(const v1::OperatorFile& op, const v1::Case& c) {
  const v1::FunctionRules* rules = FindRules(op, c.function());
  for (const v1::Cover& cover : op.cover()) {
    if (rules == nullptr || !IsWanted(cover, *rules)) continue;
    const std::vector<Dtype> dtypes = DtypesFor(cover, *rules);
    FunctionCover function(op, cover, *rules, dtypes);
    if (const v1::ChosenRows* chosen = ChosenOf(cover, c.function()); chosen != nullptr) {
      function.Take(chosen->rows());
    } else {
      std::vector<Row> rows;
      RETURN_IF_ERROR(function.Run(&rows));
    }
    if (std::optional<v1::Point> point = function.Find(c.label(), c.dtype())) return *std::move(point);
  }
  return absl::NotFoundError(absl::StrCat("no cover makes ", c.id()));
}

absl::StatusOr<CoverCases> ExpandCover(const v1::OperatorFile& op, const v1::Cover& cover, const Part* part) {
  CoverCases result;
  std::vector<Row> rows;
  std::string reasons;
  std::vector<Dtype> shared;  // the rows of all functions count dtypes alike
  for (const v1::FunctionRules& rules : op.function()) {
    if (!IsWanted(cover, rules)) continue;
    const v1::ChosenRows* chosen = ChosenOf(cover, rules.name());
    if (part != nullptr && chosen != nullptr && !part->Has(rules.name())) continue;
    std::vector<Dtype> dtypes = DtypesFor(cover, rules);
    if (dtypes.empty()) continue;
    if (dtypes != shared) rows.clear();
    shared = dtypes;
    FunctionCover function(op, cover, rules, dtypes);
    RETURN_IF_ERROR(chosen == nullptr ? function.Run(&rows)
                                      : function.Rebuild(chosen->rows(), part != nullptr && part->smoke));
    if (function.cases().empty()) {
      absl::StrAppend(&reasons, "\n    ", rules.name(), ": ", function.why_not());
      continue;
    }
    for (v1::Case& c : function.cases()) result.cases.push_back(std::move(c));
    result.reach.push_back(std::move(function.reach()));
    result.chosen.push_back({});
    result.chosen.back().set_function(rules.name());
    result.chosen.back().set_rows(FunctionCover::Chosen(function.rows()));
  }
  if (result.reach.empty() && part == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("the cover fits no function", reasons));
  }
  return result;
}

}  // namespace diopi::cases
