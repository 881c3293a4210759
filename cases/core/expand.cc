// Turns grids into cases: each point, in each of its dtypes, for each function that takes it. That a function
// does not take a point is no error unless no function does. One error is reported per point, since others
// would mostly repeat it. For a part of an operator (see Part) the checks are left out, as they were made
// when the file was built in.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "cases/base/hash.h"
#include "cases/base/match.h"
#include "cases/core/case_builder.h"
#include "cases/core/cover.h"
#include "cases/core/operator_file.h"
#include "proto/abi/abi.h"

namespace diopi::cases {
namespace {

template <typename Range, typename Value>
bool Contains(const Range& range, const Value& value) {
  return std::find(range.begin(), range.end(), value) != range.end();
}

class Expander {
 public:
  Expander(const v1::OperatorFile& op, const SourceLines& lines, std::vector<CoverCases>* covers,
           const Part* part)
      : op_(op), lines_(lines), covers_(covers), part_(part) {}

  absl::StatusOr<std::vector<v1::Case>> Run() {
    for (int g = 0; g < op_.grid_size(); ++g) {
      for (int p = 0; p < op_.grid(g).point_size(); ++p) ExpandPoint(g, p);
    }
    for (int c = 0; c < op_.cover_size() && findings_.empty(); ++c) AddCover(c);
    if (!findings_.empty()) return absl::InvalidArgumentError(absl::StrJoin(findings_, "\n"));
    return std::move(cases_);
  }

 private:
  void AddError(int g, int p, const std::string& text) {
    findings_.push_back(absl::StrCat(lines_.At({{"grid", g}, {"point", p}}), "point '",
                                     op_.grid(g).point(p).label(), "'", text));
  }
  bool IsWanted(int g, const v1::Point& point, const v1::FunctionRules& rules) const;
  std::vector<Dtype> PointDtypes(int g, int p);
  void ExpandPoint(int g, int p);
  // A case of the point at hand, not finished yet.
  struct Built {
    v1::Case c;
    const v1::FunctionRules* rules;
  };
  // These return false after an error: one per point is enough.
  bool Build(int g, int p, const v1::FunctionRules& rules, Dtype dtype, std::vector<Built>* built);
  bool Finish(int g, int p, Built built);
  void CheckNames(int g, int p);
  static void MarkSmoke(std::vector<Built>* built);
  void AddCover(int c);

  const v1::OperatorFile& op_;
  const SourceLines& lines_;
  std::vector<CoverCases>* const covers_;  // may be null
  const Part* const part_;                 // may be null: everything, with all checks
  std::vector<v1::Case> cases_;
  std::vector<std::string> findings_;
  std::set<std::string> ids_;
  std::set<std::string> fitting_;                 // functions, of the point at hand
  std::map<std::string, std::string> unfitting_;  // function -> why, of the point at hand
};

bool Expander::IsWanted(int g, const v1::Point& point, const v1::FunctionRules& rules) const {
  const auto& of_grid = op_.grid(g).functions();
  if (part_ != nullptr && !part_->Has(rules.name())) return false;
  if (!of_grid.empty() && !Contains(of_grid, rules.name())) return false;
  return point.functions().empty() || Contains(point.functions(), rules.name());
}

std::vector<Dtype> Expander::PointDtypes(int g, int p) {
  const v1::Grid& grid = op_.grid(g);
  const v1::Point& point = grid.point(p);
  std::vector<Dtype> dtypes = DtypesOf(grid.dtypes(), grid.dtype_sets());
  if (point.dtypes().empty() && point.dtype_sets().empty()) return dtypes;
  const std::vector<Dtype> narrow = DtypesOf(point.dtypes(), point.dtype_sets());
  for (int code : point.dtypes()) {
    if (!Contains(dtypes, static_cast<Dtype>(code))) {
      AddError(g, p, absl::StrCat(" narrows to ", v1::Dtype::Code_Name(code), ", which is not in its grid"));
    }
  }
  std::vector<Dtype> kept;
  for (Dtype dtype : dtypes) {
    if (Contains(narrow, dtype)) kept.push_back(dtype);
  }
  return kept;
}

bool Expander::Build(int g, int p, const v1::FunctionRules& rules, Dtype dtype, std::vector<Built>* built) {
  absl::StatusOr<Fit> fit = BuildCase(op_, rules, op_.grid(g).point(p), dtype);
  if (!fit.ok()) {
    AddError(
        g, p,
        absl::StrCat(", ", rules.name(), ", ", v1::Dtype::Code_Name(dtype), ": ", fit.status().message()));
    return false;
  }
  if (!fit->c.has_value()) {
    unfitting_[rules.name()] = fit->why_not;
    return true;
  }
  fitting_.insert(rules.name());
  for (const v1::Case& producer : fit->c->producers()) fitting_.insert(producer.function());
  for (const v1::ArgRule& arg : rules.arg()) {  // the point's arguments give that function's output its shape
    if (!arg.shape_of().empty()) fitting_.insert(arg.shape_of().substr(0, arg.shape_of().find('.')));
  }
  built->push_back({*std::move(fit->c), &rules});
  return true;
}

bool Expander::Finish(int g, int p, Built built) {
  v1::Case& c = built.c;
  absl::Status status = FinishCase(*built.rules, &c);
  if (status.ok() && !ids_.insert(c.id()).second) {
    status = absl::InvalidArgumentError(absl::StrCat("two cases have the id ", c.id()));
  }
  if (!status.ok()) {
    AddError(g, p,
             absl::StrCat(", ", c.function(), ", ", v1::Dtype::Code_Name(c.dtype()), ": ", status.message()));
    return false;
  }
  cases_.push_back(std::move(c));
  return true;
}

// Every name that the point gives must be known to a function that it fits.
void Expander::CheckNames(int g, int p) {
  const v1::Point& point = op_.grid(g).point(p);
  std::set<std::string> known;
  for (const std::string& name : fitting_) {
    const v1::FunctionRules* rules = FindRules(op_, name);
    for (const abi::Param& param : abi::FindFunction(name)->param()) {
      if (param.kind() == abi::CONTEXT) continue;
      const std::string& alias = RuleFor(*rules, param.name()).alias();
      known.insert(alias.empty() ? param.name() : alias);
    }
  }
  std::set<std::string> given;
  for (const v1::PointTensor& tensor : point.in()) given.insert(tensor.name());
  for (const v1::PointAttribute& attribute : point.attr()) given.insert(attribute.name());
  for (const std::string& name : given) {
    if (known.count(name) != 0) continue;
    AddError(g, p,
             absl::StrCat(" gives '", name, "', which no function that fits it takes",
                          NearestText(name, {known.begin(), known.end()})));
  }
}

// Marks one case of each function. The hash spreads the dtypes evenly over points and functions.
void Expander::MarkSmoke(std::vector<Built>* built) {
  std::map<std::string, std::vector<v1::Case*>> by_function;
  for (Built& each : *built) by_function[each.c.function()].push_back(&each.c);
  for (const auto& [function, cases] : by_function) {
    const uint64_t hash = Xxh64(absl::StrCat(function, ".", cases.front()->label()));
    cases[static_cast<size_t>(hash % cases.size())]->set_smoke(true);
  }
}

void Expander::ExpandPoint(int g, int p) {
  const v1::Point& point = op_.grid(g).point(p);
  std::vector<Built> built;
  fitting_.clear();
  unfitting_.clear();
  for (Dtype dtype : PointDtypes(g, p)) {
    for (const v1::FunctionRules& rules : op_.function()) {
      if (!IsWanted(g, point, rules)) continue;
      if (!TakesDtype(rules, dtype)) {
        unfitting_.emplace(rules.name(), rules.why().empty() ? "it leaves this dtype out" : rules.why());
        continue;
      }
      if (!Build(g, p, rules, dtype, &built)) return;
    }
  }
  if (!op_.grid(g).common()) MarkSmoke(&built);
  for (Built& each : built) {
    if (part_ != nullptr && part_->smoke && !each.c.smoke()) continue;
    if (!Finish(g, p, std::move(each))) return;
  }
  if (part_ != nullptr || op_.grid(g).common()) return;  // made of points that were checked
  if (fitting_.empty()) {
    std::string reasons;
    for (const auto& [function, why] : unfitting_) absl::StrAppend(&reasons, "\n    ", function, ": ", why);
    return AddError(g, p, absl::StrCat(" fits no function", reasons));
  }
  CheckNames(g, p);
}

void Expander::AddCover(int c) {
  absl::StatusOr<CoverCases> covered = ExpandCover(op_, op_.cover(c), part_);
  const std::string where = lines_.At({{"cover", c}});
  if (!covered.ok()) {
    findings_.push_back(absl::StrCat(where, covered.status().message()));
    return;
  }
  for (v1::Case& each : covered->cases) {
    if (!ids_.insert(each.id()).second) {
      findings_.push_back(absl::StrCat(where, "two cases have the id ", each.id()));
      return;
    }
    cases_.push_back(std::move(each));
  }
  covered->cases.clear();
  if (covers_ != nullptr) covers_->push_back(*std::move(covered));
}

}  // namespace

absl::StatusOr<std::vector<v1::Case>> ExpandOperator(const v1::OperatorFile& op, const SourceLines& lines,
                                                     std::vector<CoverCases>* covers, const Part* part) {
  return Expander(op, lines, covers, part).Run();
}

}  // namespace diopi::cases
