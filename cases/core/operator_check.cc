// Finds the errors of an operator's file that show without expanding it; the expansion checks shapes and
// layouts.
//
// Collects every error with the path of its field, so that an author sees all mistakes of a file at once,
// each with its line.
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cases/base/dtype.h"
#include "cases/base/match.h"
#include "cases/core/operator_file.h"
#include "cases/core/shape_rules.h"
#include "proto/abi/abi.h"

namespace diopi::cases {
namespace {

bool IsLabel(const std::string& text) {
  if (text.empty()) return false;
  for (char c : text) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

bool IsTensorKind(abi::Kind kind) {
  return kind == abi::TENSOR || kind == abi::CONST_TENSOR || kind == abi::TENSOR_POINTER ||
         kind == abi::TENSOR_ARRAY || kind == abi::CONST_TENSOR_ARRAY;
}

bool IsHostPointer(abi::Kind kind) {
  return kind == abi::BOOL_POINTER || kind == abi::INT64_POINTER || kind == abi::DOUBLE_POINTER;
}

std::vector<std::string> ParamNames(const abi::Function& function) {
  std::vector<std::string> names;
  for (const abi::Param& param : function.param()) {
    if (param.kind() != abi::CONTEXT) names.push_back(param.name());
  }
  return names;
}

int ShapeSources(const v1::ArgRule& rule) {
  return (rule.like().empty() ? 0 : 1) + (rule.broadcast().empty() ? 0 : 1) + (rule.rule().empty() ? 0 : 1) +
         (rule.shape_of().empty() ? 0 : 1) + (rule.from().empty() ? 0 : 1);
}

class Checker {
 public:
  Checker(const v1::OperatorFile& op, const SourceLines& lines) : op_(op), lines_(lines) {}

  absl::Status Run() {
    if (!IsLabel(op_.operator_())) AddError({{"operator", -1}}, "`operator` must match [a-z0-9_]+");
    if (!IsLabel(op_.family())) AddError({{"family", -1}}, "`family` must match [a-z0-9_]+");
    if (op_.function().empty()) AddError({}, "no function");
    if (op_.grid().empty() && op_.cover().empty()) AddError({}, "no grid and no cover");
    for (const std::string& name : op_.nhwc()) {
      if (name != "*" || op_.nhwc_size() > 1) KnownArgument({}, "`nhwc`", name);
    }
    for (int i = 0; i < op_.work_size(); ++i) CheckWork(i);
    for (int i = 0; i < op_.function_size(); ++i) Function(i);
    for (int i = 0; i < op_.grid_size(); ++i) CheckGrid(i);
    for (int i = 0; i < op_.cover_size(); ++i) CheckCover(i);
    if (findings_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrJoin(findings_, "\n"));
  }

 private:
  void AddError(const FieldPath& path, const std::string& text) {
    findings_.push_back(lines_.At(path) + text);
  }
  void KnownArgument(const FieldPath& path, const std::string& field, const std::string& name);
  void CheckWork(int w);
  void Function(int f);
  void Arg(int f, int a, const abi::Function& function);
  void References(const FieldPath& path, const v1::ArgRule& rule, const abi::Function& function);
  void ForwardReference(const FieldPath& path, const std::string& reference);
  void Name(const FieldPath& path, const std::string& field, const std::string& name,
            const abi::Function& function);
  void DtypeText(const FieldPath& path, const std::string& name);
  void Outputs(int f, const abi::Function& function);
  void Judges(int f, const abi::Function& function);
  void Readings(int f, const abi::Function& function);
  void ReadingArgs(const FieldPath& here, const v1::Reading& reading, const abi::Function& function);
  void CheckGrid(int g);
  void CheckPoint(int g, int p);
  void CheckCover(int c);
  void CheckAxis(const FieldPath& path, const v1::Axis& axis);
  void FunctionNames(const FieldPath& path, const google::protobuf::RepeatedPtrField<std::string>& names);
  std::vector<std::string> Functions() const;
  bool GivenByAPoint(const std::string& name) const;

  const v1::OperatorFile& op_;
  const SourceLines& lines_;
  std::vector<std::string> findings_;
  std::set<std::string> functions_;
  std::set<std::string> variants_;
  std::set<std::string> labels_;
};

std::vector<std::string> Checker::Functions() const {
  std::vector<std::string> names;
  for (const v1::FunctionRules& rules : op_.function()) names.push_back(rules.name());
  return names;
}

bool Checker::GivenByAPoint(const std::string& name) const {
  for (const v1::Cover& cover : op_.cover()) {
    for (const v1::PointTensor& tensor : cover.in()) {
      if (tensor.name() == name) return true;
    }
  }
  for (const v1::Grid& grid : op_.grid()) {
    for (const v1::Point& point : grid.point()) {
      for (const v1::PointTensor& tensor : point.in()) {
        if (tensor.name() == name) return true;
      }
    }
  }
  return false;
}

void Checker::KnownArgument(const FieldPath& path, const std::string& field, const std::string& name) {
  std::set<std::string> known;
  for (const v1::FunctionRules& rules : op_.function()) {
    const abi::Function* function = abi::FindFunction(rules.name());
    if (function == nullptr) continue;  // reported where it stands
    if (abi::FindParam(*function, name) != nullptr) return;
    for (const std::string& param : ParamNames(*function)) known.insert(param);
  }
  AddError(path, absl::StrCat(field, ": no function of this file has an argument '", name, "'",
                              NearestText(name, {known.begin(), known.end()})));
}

void Checker::CheckWork(int w) {
  const v1::Work& work = op_.work(w);
  const FieldPath here = {{"work", w}};
  FunctionNames(here, work.functions());
  for (const auto* moves : {&work.read(), &work.written()}) {
    for (const v1::Work::Moved& moved : *moves) KnownArgument(here, "`tensor`", moved.tensor());
  }
}

void Checker::Function(int f) {
  const v1::FunctionRules& rules = op_.function(f);
  const FieldPath here = {{"function", f}};
  const abi::Function* function = abi::FindFunction(rules.name());
  if (function == nullptr) {
    std::vector<std::string> known;
    for (const abi::Function* each : abi::Functions()) known.push_back(each->name());
    return AddError(
        here, absl::StrCat("the ABI has no function '", rules.name(), "'", NearestText(rules.name(), known)));
  }
  if (!functions_.insert(rules.name()).second) AddError(here, absl::StrCat(rules.name(), " is given twice"));
  if (!rules.variant().empty() && !IsLabel(rules.variant()))
    AddError(here, "`variant` must match [a-z0-9_]+");
  if (!variants_.insert(rules.variant()).second) {
    AddError(here, absl::StrCat("two functions have variant '", rules.variant(), "'"));
  }
  if (!rules.skip_dtypes().empty() && rules.why().empty()) AddError(here, "`skip_dtypes` needs `why`");
  std::set<std::string> seen;
  for (int a = 0; a < rules.arg_size(); ++a) {
    if (!seen.insert(rules.arg(a).name()).second) {
      AddError({{"function", f}, {"arg", a}},
               absl::StrCat("argument '", rules.arg(a).name(), "' is given twice"));
    }
    Arg(f, a, *function);
  }
  Outputs(f, *function);
  Judges(f, *function);
  Readings(f, *function);
}

void Checker::Name(const FieldPath& path, const std::string& field, const std::string& name,
                   const abi::Function& function) {
  const std::string base = name.substr(0, name.find('.'));
  const abi::Param* param = abi::FindParam(function, base);
  if (param != nullptr && param->kind() != abi::CONTEXT) return;
  AddError(path, absl::StrCat("`", field, "`: ", function.name(), " has no argument '", base, "'",
                              NearestText(base, ParamNames(function))));
}

void Checker::DtypeText(const FieldPath& path, const std::string& name) {
  absl::StatusOr<Dtype> dtype = ParseDtype(name);
  if (!dtype.ok()) AddError(path, std::string(dtype.status().message()));
}

void Checker::ForwardReference(const FieldPath& path, const std::string& reference) {
  const std::vector<std::string> parts = absl::StrSplit(reference, absl::MaxSplits('.', 1));
  const std::vector<std::string> known = Functions();
  if (parts.size() != 2 || std::find(known.begin(), known.end(), parts[0]) == known.end()) {
    return AddError(path, absl::StrCat("'", reference, "' is not FUNCTION.output of a function of this file",
                                       NearestText(parts[0], known)));
  }
  const abi::Function* function = abi::FindFunction(parts[0]);
  if (function == nullptr) return;  // told where it stands
  Name(path, reference, parts[1], *function);
}

void Checker::References(const FieldPath& path, const v1::ArgRule& rule, const abi::Function& function) {
  if (!rule.like().empty()) Name(path, "like", rule.like(), function);
  for (const std::string& name : rule.broadcast()) Name(path, "broadcast", name, function);
  for (const std::string& name : rule.promote()) Name(path, "promote", name, function);
  if (!rule.dtype_of().empty()) Name(path, "dtype_of", rule.dtype_of(), function);
  if (!rule.count_like().empty()) Name(path, "count_like", rule.count_like(), function);
  if (!rule.holds().empty()) Name(path, "holds", rule.holds(), function);
  if (!rule.sparse_columns().empty()) Name(path, "sparse_columns", rule.sparse_columns(), function);
  if (!rule.shape_of().empty()) ForwardReference(path, rule.shape_of());
  if (!rule.from().empty()) ForwardReference(path, rule.from());
  if (!rule.rule().empty() && FindShapeRule(rule.rule()) == nullptr) {
    AddError(path,
             absl::StrCat("no shape rule '", rule.rule(), "'", NearestText(rule.rule(), ShapeRuleNames())));
  }
  if (rule.has_dtype()) DtypeText(path, rule.dtype());
  for (const std::string& dtype : rule.next_dtypes()) DtypeText(path, dtype);
}

void Checker::Arg(int f, int a, const abi::Function& function) {
  const v1::ArgRule& rule = op_.function(f).arg(a);
  const FieldPath here = {{"function", f}, {"arg", a}};
  const abi::Param* param = abi::FindParam(function, rule.name());
  if (param == nullptr || param->kind() == abi::CONTEXT) return Name(here, "arg", rule.name(), function);
  References(here, rule, function);
  if (ShapeSources(rule) > 1) {
    AddError(here, absl::StrCat("argument '", rule.name(),
                                "' has more than one of like, broadcast, rule, shape_of, from"));
  }
  if ((rule.has_dtype() ? 1 : 0) + (rule.dtype_of().empty() ? 0 : 1) + (rule.promote().empty() ? 0 : 1) > 1) {
    AddError(here,
             absl::StrCat("argument '", rule.name(), "' has more than one of dtype, dtype_of, promote"));
  }
  if (!IsTensorKind(param->kind()) && (ShapeSources(rule) > 0 || rule.state() || rule.library_allocated())) {
    AddError(here, absl::StrCat("argument '", rule.name(), "' of ", function.name(), " is not a tensor"));
  }
  if (rule.optional() && !param->nullable()) {
    AddError(here, absl::StrCat("argument '", rule.name(),
                                "' is `optional`, but proto/abi says that it may not be null"));
  }
  if (!rule.holds().empty() && (param->kind() != abi::TENSOR || param->direction() != abi::OUT)) {
    AddError(here, absl::StrCat("argument '", rule.name(), "' is not an output tensor, so it cannot hold '",
                                rule.holds(), "'"));
  }
  if (!rule.sparse_columns().empty() && param->kind() != abi::CONST_TENSOR) {
    AddError(here,
             absl::StrCat("argument '", rule.name(), "' is not an input tensor, so it cannot be sparse"));
  }
  if (rule.host_output() && !IsHostPointer(param->kind())) {
    AddError(here,
             absl::StrCat("argument '", rule.name(), "' is `host_output`, but not a pointer to host memory"));
  }
  if (rule.has_default_value() && !rule.default_value().name().empty()) {
    AddError(here, "`default_value` must not have a `name`");
  }
}

void Checker::Outputs(int f, const abi::Function& function) {
  const v1::FunctionRules& rules = op_.function(f);
  for (const abi::Param& param : function.param()) {
    if (param.direction() != abi::OUT) continue;
    if (param.kind() != abi::TENSOR && param.kind() != abi::TENSOR_ARRAY) continue;
    const v1::ArgRule* rule = nullptr;
    for (const v1::ArgRule& each : rules.arg()) {
      if (each.name() == param.name()) rule = &each;
    }
    if (rule != nullptr && (ShapeSources(*rule) > 0 || rule->library_allocated() || rule->optional()))
      continue;
    if (GivenByAPoint(rule == nullptr || rule->alias().empty() ? param.name() : rule->alias())) continue;
    AddError({{"function", f}}, absl::StrCat("output '", param.name(), "' of ", function.name(),
                                             " has no shape rule (like, broadcast, rule, shape_of)"));
  }
}

void Checker::Judges(int f, const abi::Function& function) {
  const v1::FunctionRules& rules = op_.function(f);
  std::set<std::string> seen;
  for (int j = 0; j < rules.judge_size(); ++j) {
    const v1::Judge& judge = rules.judge(j);
    const FieldPath here = {{"function", f}, {"judge", j}};
    if (!seen.insert(judge.output()).second) {
      AddError(here, absl::StrCat("two judges for output '", judge.output(), "'"));
    }
    if (judge.kind() == v1::Judge::UNSET) AddError(here, "a judge needs a `kind`");
    for (const auto& [field, name] : {std::pair<const char*, const std::string&>("output", judge.output()),
                                      {"input", judge.input()},
                                      {"values", judge.values()},
                                      {"dim", judge.dim()},
                                      {"only_if", judge.only_if()},
                                      {"written_if", judge.written_if()},
                                      {"rounds_if", judge.rounds_if()}}) {
      if (!name.empty()) Name(here, field, name, function);
    }
    if (judge.may_stay_unwritten()) AddError(here, "use `written_if` instead of `may_stay_unwritten`");
    if (judge.kind() == v1::Judge::NOT_JUDGED && judge.reason().empty())
      AddError(here, "NOT_JUDGED needs a `reason`");
    if (judge.kind() == v1::Judge::INDEX_OF && judge.input().empty())
      AddError(here, "INDEX_OF needs `input`");
    if (judge.kind() == v1::Judge::RANDOM && judge.distribution() == v1::Judge::NO_DISTRIBUTION) {
      AddError(here, "RANDOM needs a `distribution`");
    }
    static constexpr std::string_view kGroups[] = {"", "element", "row", "channel", "all"};
    if (std::find(std::begin(kGroups), std::end(kGroups), judge.groups()) == std::end(kGroups)) {
      AddError(here,
               absl::StrCat("unknown `groups` '", judge.groups(), "'; known: element, row, channel, all"));
    }
  }
}

void Checker::ReadingArgs(const FieldPath& here, const v1::Reading& reading, const abi::Function& function) {
  const bool scalars = reading.kind() == v1::Reading::ROUNDED_SCALARS;
  const bool signs = reading.kind() == v1::Reading::OPPOSITE_SIGNS;
  if (scalars && reading.args().empty()) AddError(here, "ROUNDED_SCALARS needs `args`: the numbers");
  if (signs && reading.args_size() != 2) {
    AddError(here,
             "OPPOSITE_SIGNS needs two `args`: the matrix whose columns, and the one whose rows change sign");
  }
  if (!scalars && !signs && !reading.args().empty()) {
    AddError(here, "`args` belongs to ROUNDED_SCALARS and OPPOSITE_SIGNS");
  }
  if ((scalars || signs) && !reading.dims().empty()) AddError(here, "`dims` belongs to SPREAD_NAN");
  for (const std::string& arg : reading.args()) {
    Name(here, "args", arg, function);
    const abi::Param* param = abi::FindParam(function, arg);
    const bool output = param != nullptr && param->kind() == abi::TENSOR && param->direction() == abi::OUT;
    if (signs && param != nullptr && !output) {
      AddError(here, absl::StrCat("`args`: '", arg, "' of ", function.name(), " is not an output tensor"));
    }
  }
}

void Checker::Readings(int f, const abi::Function& function) {
  std::set<std::string> seen;
  for (int r = 0; r < op_.function(f).reading_size(); ++r) {
    const v1::Reading& reading = op_.function(f).reading(r);
    const FieldPath here = {{"function", f}, {"reading", r}};
    if (reading.kind() == v1::Reading::UNSET) AddError(here, "a reading needs a `kind`");
    const std::string args = absl::StrJoin(reading.args(), ",");
    if (!seen.insert(absl::StrCat(reading.kind(), args)).second) AddError(here, "the same reading twice");
    if (reading.reason().empty()) AddError(here, "a reading needs a `reason`");
    ReadingArgs(here, reading, function);
    for (const int64_t dim : reading.dims()) {
      if (dim < 0) AddError(here, "`dims` counts from the first dimension, 0");
    }
  }
}

void Checker::FunctionNames(const FieldPath& path,
                            const google::protobuf::RepeatedPtrField<std::string>& names) {
  const std::vector<std::string> known = Functions();
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    AddError(path, absl::StrCat("this file has no function '", name, "'", NearestText(name, known)));
  }
}

void Checker::CheckGrid(int g) {
  const v1::Grid& grid = op_.grid(g);
  const FieldPath here = {{"grid", g}};
  if (grid.dtypes().empty() && grid.dtype_sets().empty())
    AddError(here, "a grid needs `dtypes` or `dtype_sets`");
  if (grid.point().empty()) AddError(here, "a grid needs a point");
  FunctionNames(here, grid.functions());
  for (int p = 0; p < grid.point_size(); ++p) CheckPoint(g, p);
}

void Checker::CheckPoint(int g, int p) {
  const v1::Point& point = op_.grid(g).point(p);
  const FieldPath here = {{"grid", g}, {"point", p}};
  if (point.label().empty()) {
    AddError(here, "a point needs a `label`");
  } else if (!IsLabel(point.label())) {
    AddError(here, absl::StrCat("label '", point.label(), "' must match [a-z0-9_]+"));
  } else if (!labels_.insert(point.label()).second) {
    AddError(here, absl::StrCat("label '", point.label(), "' is used twice"));
  }
  if (point.reveals().empty()) {
    AddError(here, absl::StrCat("point '", point.label(), "' needs `reveals`: the defect it exposes"));
  }
  FunctionNames(here, point.functions());
  std::set<std::string> attributes;
  for (int a = 0; a < point.attr_size(); ++a) {
    const FieldPath attr = {{"grid", g}, {"point", p}, {"attr", a}};
    if (point.attr(a).value_case() == v1::PointAttribute::VALUE_NOT_SET) {
      AddError(attr, absl::StrCat("attribute '", point.attr(a).name(), "' has no value"));
    }
    if (!attributes.insert(point.attr(a).name()).second) {
      AddError(attr, absl::StrCat("attribute '", point.attr(a).name(), "' is given twice"));
    }
  }
  for (int i = 0; i < point.in_size(); ++i) {
    const FieldPath in = {{"grid", g}, {"point", p}, {"in", i}};
    if (point.in(i).has_dtype()) DtypeText(in, point.in(i).dtype());
    if (attributes.count(point.in(i).name()) != 0) {
      AddError(in, absl::StrCat("'", point.in(i).name(), "' is given both as `in` and as `attr`"));
    }
  }
}

void Checker::CheckAxis(const FieldPath& path, const v1::Axis& axis) {
  if (!IsLabel(axis.name())) AddError(path, absl::StrCat("axis '", axis.name(), "' must match [a-z0-9_]+"));
  if (axis.class_().empty()) AddError(path, absl::StrCat("axis '", axis.name(), "' has no class"));
  std::set<std::string> names;
  for (const v1::Class& c : axis.class_()) {
    if (!IsLabel(c.name())) {
      AddError(path, absl::StrCat("axis '", axis.name(), "': class '", c.name(), "' must match [a-z0-9_]+"));
    } else if (!names.insert(c.name()).second) {
      AddError(path, absl::StrCat("axis '", axis.name(), "' has class '", c.name(), "' twice"));
    }
  }
}

void Checker::CheckCover(int c) {
  const v1::Cover& cover = op_.cover(c);
  const FieldPath here = {{"cover", c}};
  if (cover.dtypes().empty() && cover.dtype_sets().empty())
    AddError(here, "a cover needs `dtypes` or `dtype_sets`");
  if (cover.axis().empty()) AddError(here, "a cover needs a `set` or an `axis`");
  FunctionNames(here, cover.functions());
  for (const v1::Axis& axis : cover.axis()) CheckAxis(here, axis);
  for (const v1::Condition& condition : cover.condition()) {
    if (condition.why().empty())
      AddError(here, absl::StrCat("the condition '", condition.that(), "' needs `why`"));
  }
}

}  // namespace

absl::Status CheckOperator(const v1::OperatorFile& op, const SourceLines& lines) {
  return Checker(op, lines).Run();
}

}  // namespace diopi::cases
