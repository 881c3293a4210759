// The public harness's cases are taken only as far as our rules allow: each is tried alone, in each dtype, by
// expanding a file with just this point. What is left out is counted by reason, with its line, so that the
// sum of carried and left-out cases is the harness's. Imported labels say where a case is from and are unique
// within the operator.
#include "cases/import/import_configs.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cases/base/dtype.h"
#include "cases/base/textproto.h"
#include "cases/core/argument_builder.h"
#include "cases/core/operator_file.h"
#include "cases/core/point_value.h"
#include "proto/abi/abi.h"

namespace diopi::cases {
namespace {

// The escapes of read_configs.py.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain.push_back(text[i]);
      continue;
    }
    const char c = text[++i];
    plain.push_back(c == 't' ? '\t' : c == 'n' ? '\n' : c);
  }
  return plain;
}

constexpr char kNoOperator[] = "the suite has no such operator";
constexpr char kUnfit[] = "the operator's rules do not take these arguments";

// Converts Python's values to the kinds of the ABI's parameters: a number to a bool, a number to a list of
// sizes, none to no attribute.
void FitKind(const abi::Param& param, v1::PointAttribute* attribute) {
  using Value = v1::PointAttribute;
  const auto value = attribute->value_case();
  switch (param.kind()) {
    case abi::BOOL:
      if (value == Value::kI) attribute->set_b(attribute->i() != 0);
      return;
    case abi::INT64:
    case abi::INT64_POINTER:
    case abi::FLOAT:
    case abi::DOUBLE:
    case abi::DOUBLE_POINTER:
      if (value == Value::kB) attribute->set_i(attribute->b() ? 1 : 0);
      return;
    case abi::SIZE:
      if (value == Value::kNull) attribute->mutable_sizes();
      if (value == Value::kI) {
        const int64_t size = attribute->i();
        attribute->mutable_sizes()->add_values(size);
      }
      return;
    case abi::ROUND_MODE:
      if (value == Value::kNull) attribute->set_s("none");
      return;
    default:
      return;
  }
}

void FitKinds(const v1::OperatorFile& op, v1::Point* point) {
  for (v1::PointAttribute& attribute : *point->mutable_attr()) {
    for (const v1::FunctionRules& rules : op.function()) {
      for (const abi::Param& param : abi::FindFunction(rules.name())->param()) {
        if (param.name() == attribute.name()) FitKind(param, &attribute);
      }
    }
  }
}

bool Names(const v1::FunctionRules& rules, const std::string& argument) {
  const auto& params = abi::FindFunction(rules.name())->param();
  return std::any_of(params.begin(), params.end(), [&](const abi::Param& param) {
    const std::string& alias = RuleFor(rules, param.name()).alias();
    return (alias.empty() ? param.name() : alias) == argument;
  });
}

// Renames the point's arguments to the operator file's aliases.
void UseAliases(const v1::OperatorFile& op, v1::Point* point) {
  const auto rename = [&](const std::string& name) {
    std::string ours = name;
    for (const v1::FunctionRules& rules : op.function()) {
      if (Names(rules, name)) return name;
      if (const std::string& alias = RuleFor(rules, name).alias(); !alias.empty()) ours = alias;
    }
    return ours;
  };
  for (v1::PointTensor& tensor : *point->mutable_in()) tensor.set_name(rename(tensor.name()));
  for (v1::PointAttribute& attribute : *point->mutable_attr()) attribute.set_name(rename(attribute.name()));
}

// Whether every output that the host allocates, unless it may be null, gets its shape, from a rule or from
// the point.
bool HasItsOutputs(const v1::FunctionRules& rules, const v1::Point& point) {
  for (const abi::Param& param : abi::FindFunction(rules.name())->param()) {
    const v1::ArgRule& rule = RuleFor(rules, param.name());
    if (RoleOf(param, rule) != v1::ROLE_OUTPUT || IsHostOutput(param)) continue;
    if (HasShapeSource(rule) || rule.optional()) continue;
    const std::string& name = rule.alias().empty() ? param.name() : rule.alias();
    const bool given = std::any_of(point.in().begin(), point.in().end(),
                                   [&](const v1::PointTensor& tensor) { return tensor.name() == name; });
    if (!given) return false;
  }
  return true;
}

// The harness wants gradients for floating tensors only; others do not exist.
void LeaveOutGradientsOfIntegers(v1::FunctionRules* rules) {
  if (!absl::EndsWith(rules->name(), "Backward") || rules->only_dtypes_size() > 0) return;
  for (const char* name : {"bool", "int8", "uint8", "int16", "int32", "int64"}) {
    const Dtype dtype = *ParseDtype(name);
    const auto& skipped = rules->skip_dtypes();
    if (std::find(skipped.begin(), skipped.end(), dtype) == skipped.end()) rules->add_skip_dtypes(dtype);
  }
  if (rules->why().empty()) rules->set_why("integers have no gradient");
}

// A grid with one point and the functions that may take it: without functions that lack an output's shape,
// and without arguments that only functions without these dtypes take (the sizes for a backward).
v1::OperatorFile Alone(const v1::OperatorFile& op, const v1::Point& point, const std::set<Dtype>& dtypes) {
  v1::OperatorFile alone;
  alone.set_operator_(op.operator_());
  alone.set_family(op.family());
  for (const v1::FunctionRules& rules : op.function()) {
    const auto& listed = point.functions();
    const bool wanted =
        listed.empty() || std::find(listed.begin(), listed.end(), rules.name()) != listed.end();
    if (!wanted || !HasItsOutputs(rules, point)) continue;
    *alone.add_function() = rules;
    LeaveOutGradientsOfIntegers(alone.mutable_function(alone.function_size() - 1));
  }
  v1::Grid* grid = alone.add_grid();
  for (const Dtype dtype : dtypes) grid->add_dtypes(dtype);
  *grid->add_point() = point;
  auto& functions = *grid->mutable_point(0)->mutable_functions();
  functions.erase(std::remove_if(functions.begin(), functions.end(),
                                 [&](const std::string& name) { return FindRules(alone, name) == nullptr; }),
                  functions.end());
  auto& attributes = *grid->mutable_point(0)->mutable_attr();
  const auto is_idle = [&](const v1::PointAttribute& attribute) {
    bool known = false;
    for (const v1::FunctionRules& rules : alone.function()) {
      if (!Names(rules, attribute.name())) continue;
      known = true;
      if (std::any_of(dtypes.begin(), dtypes.end(), [&](Dtype dtype) { return TakesDtype(rules, dtype); }))
        return false;
    }
    return known;
  };
  attributes.erase(std::remove_if(attributes.begin(), attributes.end(), is_idle), attributes.end());
  return alone;
}

absl::Status Check(const v1::OperatorFile& alone) {
  const SourceLines lines(alone.operator_());
  const absl::Status status = CheckOperator(alone, lines);
  return status.ok() ? ExpandOperator(alone, lines).status() : status;
}

class Importer {
 public:
  Importer(const std::string& file_name, const Catalog& catalog) : file_name_(file_name), catalog_(catalog) {}

  // False for a malformed record.
  bool Take(const std::vector<std::string>& fields);
  ImportedConfigs Finish();

 private:
  // One record, with the fields by name.
  struct Record {
    std::string line;
    std::string entry;
    std::string function;  // the harness's name
  };

  bool TakeSkip(const std::vector<std::string>& fields);
  bool TakeCase(const std::vector<std::string>& fields);
  const v1::OperatorFile* FindOperator(const std::string& name,
                                       const std::vector<std::string>& functions) const;
  void Add(v1::OperatorFile alone);
  void LeaveOut(const Record& record, const std::string& reason, int64_t cases, const std::string& why);
  static void Count(const std::string& reason, const Record& record, int64_t cases,
                    const std::string& example, std::vector<ImportedConfigs::LeftOut>* groups);

  const std::string& file_name_;
  const Catalog& catalog_;
  std::map<std::string, v1::OperatorFile> files_;
  std::map<std::string, std::set<std::string>> labels_;  // by operator
  std::set<std::string> entries_;
  ImportedConfigs imported_;
};

bool Importer::Take(const std::vector<std::string>& fields) {
  if (fields[0] == "skip" && fields.size() == 8) return TakeSkip(fields);
  if (fields[0] == "case" && fields.size() == 8) return TakeCase(fields);
  if (fields[0] != "note" || fields.size() != 4) return false;
  Count(fields[3], {fields[1], fields[2], ""}, 0, "", &imported_.ignored);
  return true;
}

bool Importer::TakeSkip(const std::vector<std::string>& fields) {
  const Record record{fields[1], fields[2], fields[3]};
  int64_t cases = 0;
  if (!absl::SimpleAtoi(fields[5], &cases)) return false;
  const std::vector<std::string> functions = absl::StrSplit(fields[4], ',', absl::SkipEmpty());
  const bool known = record.function.empty() || FindOperator(record.function, functions) != nullptr;
  LeaveOut(record, known ? fields[6] : kNoOperator, cases, fields[7]);
  return true;
}

bool Importer::TakeCase(const std::vector<std::string>& fields) {
  const Record record{fields[1], fields[2], fields[3]};
  const std::vector<std::string> functions = absl::StrSplit(fields[5], ',', absl::SkipEmpty());
  std::map<Dtype, int64_t> cases;  // the harness may have a dtype twice
  for (const std::string& name : std::vector<std::string>(absl::StrSplit(fields[6], ','))) {
    const absl::StatusOr<Dtype> dtype = ParseDtype(name);
    if (!dtype.ok()) return false;
    ++cases[*dtype];
  }
  const auto total = static_cast<int64_t>(std::count(fields[6].begin(), fields[6].end(), ',') + 1);
  const v1::OperatorFile* op = FindOperator(record.function, functions);
  if (op == nullptr) {
    LeaveOut(record, kNoOperator, total,
             absl::StrCat("start one with diopi-cli new-operator ", record.function));
    return true;
  }
  v1::Point point;
  std::string error;  // the first, such as a number beyond its type
  const auto explain = [&error](const std::string& message) {
    if (error.empty()) error = message;
    return message;
  };
  if (!ParseTextproto(fields[7], record.entry, &point, explain).ok()) {
    LeaveOut(record, kUnfit, total, error);
    return true;
  }
  point.set_label("public");
  point.set_reveals(absl::StrCat("imported from the public harness, ", record.entry, ", case ", fields[4]));
  for (const std::string& function : functions) point.add_functions(function);
  FitKinds(*op, &point);
  UseAliases(*op, &point);
  std::set<Dtype> taken;
  for (const auto& [dtype, count] : cases) {
    const absl::Status status = Check(Alone(*op, point, {dtype}));
    if (!status.ok()) {
      LeaveOut(record, kUnfit, count,
               absl::StrCat("case ", fields[4], ", ", v1::Dtype::Code_Name(dtype), ": ",
                            std::string(status.message())));
      continue;
    }
    taken.insert(dtype);
    imported_.carried += count;
    entries_.insert(record.entry);
  }
  point.set_label(absl::StrCat("public_", record.entry, "_", fields[4]));
  if (!taken.empty()) Add(Alone(*op, point, taken));
  return true;
}

// The name of the operator that has one of the functions, or else the harness's name.
const v1::OperatorFile* Importer::FindOperator(const std::string& name,
                                               const std::vector<std::string>& functions) const {
  for (const v1::OperatorFile& op : catalog_.operators()) {
    if (!functions.empty()) {
      for (const v1::FunctionRules& rules : op.function()) {
        if (std::find(functions.begin(), functions.end(), rules.name()) != functions.end()) return &op;
      }
    } else if (op.operator_() == name ||
               std::find(op.also().begin(), op.also().end(), name) != op.also().end()) {
      return &op;
    }
  }
  return nullptr;
}

// Labels are letters, digits and _, and no two points of an operator share one.
void Importer::Add(v1::OperatorFile alone) {
  v1::Point* point = alone.mutable_grid(0)->mutable_point(0);
  std::string label = absl::AsciiStrToLower(point->label());
  std::replace_if(
      label.begin(), label.end(), [](unsigned char c) { return !absl::ascii_isalnum(c); }, '_');
  std::set<std::string>& labels = labels_[alone.operator_()];
  point->set_label(label);
  for (int again = 2; !labels.insert(point->label()).second; ++again) {
    point->set_label(absl::StrCat(label, "_", again));
  }
  const auto [at, is_new] = files_.try_emplace(alone.operator_(), alone);
  ++imported_.points;
  if (is_new) return;
  v1::OperatorFile& file = at->second;
  *file.add_grid() = alone.grid(0);
  for (const v1::FunctionRules& rules : alone.function()) {
    if (FindRules(file, rules.name()) == nullptr) *file.add_function() = rules;
  }
}

void Importer::LeaveOut(const Record& record, const std::string& reason, int64_t cases,
                        const std::string& why) {
  const std::string name =
      record.function.empty() ? record.entry : absl::StrCat(record.entry, " (", record.function, ")");
  const std::string text = absl::StrCat(file_name_, ":", record.line, ": ", name, ": ",
                                        absl::StrReplaceAll(why, {{"\n   ", ";"}}));
  imported_.details.push_back(text);
  Count(reason, record, cases, text, &imported_.left_out);
}

void Importer::Count(const std::string& reason, const Record& record, int64_t cases,
                     const std::string& example, std::vector<ImportedConfigs::LeftOut>* groups) {
  auto group =
      std::find_if(groups->begin(), groups->end(), [&](const auto& each) { return each.reason == reason; });
  if (group == groups->end()) group = groups->insert(group, {reason, {}, 0, example});
  group->entries.insert(record.entry);
  group->cases += cases;
}

ImportedConfigs Importer::Finish() {
  for (auto& [name, file] : files_) imported_.files.push_back(std::move(file));
  imported_.entries = static_cast<int64_t>(entries_.size());
  std::stable_sort(imported_.left_out.begin(), imported_.left_out.end(),
                   [](const auto& a, const auto& b) { return a.cases > b.cases; });
  return std::move(imported_);
}

}  // namespace

absl::StatusOr<ImportedConfigs> ImportConfigs(std::string_view records, const std::string& file_name,
                                              const Catalog& catalog) {
  Importer importer(file_name, catalog);
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(std::string(records), '\n'))) {
    if (line.empty()) continue;
    std::vector<std::string> fields = absl::StrSplit(line, '\t');
    for (std::string& field : fields) field = Unescape(field);
    if (!importer.Take(fields)) {
      return absl::InvalidArgumentError(absl::StrCat("not a record of a case: ", line.substr(0, 200)));
    }
  }
  return importer.Finish();
}

}  // namespace diopi::cases
