#include "cases/user/operator_text.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/base/write_file.h"
#include "cases/core/cover.h"
#include "cases/core/operator_file.h"
#include "proto/abi/abi.h"

namespace diopi::cases {
namespace {

// `function` and, through `from` and `shape_of`, what it needs.
std::set<std::string> Needed(const v1::OperatorFile& op, const std::string& function) {
  std::set<std::string> needed = {function};
  for (size_t before = 0; before != needed.size();) {
    before = needed.size();
    for (const v1::FunctionRules& rules : op.function()) {
      if (!needed.contains(rules.name())) continue;
      for (const v1::ArgRule& arg : rules.arg()) {
        for (const std::string& source : {arg.from(), arg.shape_of()}) {
          if (!source.empty()) needed.insert(source.substr(0, source.find('.')));
        }
      }
    }
  }
  return needed;
}

// The names that the functions of `op` give their arguments in a point.
std::set<std::string> PointNames(const v1::OperatorFile& op) {
  std::set<std::string> names;
  for (const v1::FunctionRules& rules : op.function()) {
    const abi::Function* function = abi::FindFunction(rules.name());
    if (function == nullptr) continue;  // CheckOperator reports it
    for (const abi::Param& param : function->param()) {
      const auto rule = std::find_if(rules.arg().begin(), rules.arg().end(),
                                     [&](const v1::ArgRule& arg) { return arg.name() == param.name(); });
      const bool renamed = rule != rules.arg().end() && !rule->alias().empty();
      names.insert(renamed ? rule->alias() : param.name());
    }
  }
  return names;
}

template <typename Named>
void KeepNamed(const std::set<std::string>& names, google::protobuf::RepeatedPtrField<Named>* list) {
  list->erase(std::remove_if(list->begin(), list->end(),
                             [&names](const Named& one) { return !names.contains(one.name()); }),
              list->end());
}

}  // namespace

v1::OperatorFile OnePointFile(const v1::OperatorFile& op, const v1::Point& point, const std::string& function,
                              Dtype dtype) {
  const std::set<std::string> needed = Needed(op, function);
  v1::OperatorFile one;
  one.set_operator_(op.operator_());
  one.set_family(op.family());
  for (const v1::FunctionRules& rules : op.function()) {
    if (needed.contains(rules.name())) *one.add_function() = rules;
  }
  v1::Grid& grid = *one.add_grid();
  grid.add_functions(function);
  grid.add_dtypes(dtype);
  v1::Point& only = *grid.add_point();
  only = point;
  only.clear_dtypes();
  only.clear_dtype_sets();
  only.clear_functions();
  const std::set<std::string> names = PointNames(one);
  KeepNamed(names, only.mutable_in());
  KeepNamed(names, only.mutable_attr());
  return one;
}

absl::StatusOr<v1::OperatorFile> FileOfCase(const Catalog& catalog, const v1::Case& c) {
  const auto one_of = [&](const v1::OperatorFile& op, const v1::Point& point) {
    std::optional<v1::OperatorFile> one = OnePointFile(op, point, c.function(), c.dtype());
    const absl::StatusOr<v1::Case> same = ExpandOne(*one);
    if (!same.ok() || same->hash() != c.hash()) one.reset();
    return one;
  };
  for (const v1::OperatorFile& op : catalog.operators()) {
    if (op.operator_() != c.operator_()) continue;
    for (const v1::Grid& grid : op.grid()) {
      for (const v1::Point& point : grid.point()) {
        if (point.label() != c.label()) continue;
        if (const auto one = one_of(op, point)) return *one;
      }
    }
    const absl::StatusOr<v1::Point> point = PointOfCase(op, c);
    if (!point.ok()) continue;
    if (const auto one = one_of(op, *point)) return *one;
  }
  return absl::InternalError(absl::StrCat("the point of ", c.id(), " was not found"));
}

absl::StatusOr<v1::Case> ExpandOne(const v1::OperatorFile& file) {
  const SourceLines lines(file.operator_() + ".textproto");
  RETURN_IF_ERROR(CheckOperator(file, lines));
  ASSIGN_OR_RETURN(std::vector<v1::Case> cases, ExpandOperator(file, lines));
  if (cases.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("expected one case, got ", cases.size()));
  }
  return std::move(cases.front());
}

std::string OperatorText(const v1::OperatorFile& file) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  printer.PrintToString(file, &text);
  return absl::StrCat("# proto-file: proto/diopi/v1/operator.proto\n",
                      "# proto-message: diopi.v1.OperatorFile\n", text);
}

absl::Status WriteFileWhole(const std::string& path, const std::string& text) {
  const absl::Status made = MakeFolder(std::filesystem::path(path).parent_path().string());
  return made.ok() ? ReplaceFile(path, text) : made;
}

}  // namespace diopi::cases
