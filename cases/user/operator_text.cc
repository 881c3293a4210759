#include "cases/user/operator_text.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/core/operator_file.h"

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
  return one;
}

absl::StatusOr<v1::Case> ExpandOne(const v1::OperatorFile& file) {
  const SourceLines lines(file.operator_() + ".textproto");
  absl::Status status = CheckOperator(file, lines);
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<v1::Case>> cases = ExpandOperator(file, lines);
  if (!cases.ok()) return cases.status();
  if (cases->size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("expected one case, got ", cases->size()));
  }
  return std::move(cases->front());
}

std::string OperatorText(const v1::OperatorFile& file) {
  return absl::StrCat("# proto-file: proto/diopi/v1/operator.proto\n",
                      "# proto-message: diopi.v1.OperatorFile\n", file.Utf8DebugString());
}

absl::Status WriteFileWhole(const std::string& path, const std::string& text) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  const std::string beside = absl::StrCat(path, ".", getpid(), ".new");
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  if (!error && file) std::filesystem::rename(beside, path, error);
  if (!error && file) return absl::OkStatus();
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return absl::InternalError(
      absl::StrCat(path, ": cannot be written", error ? ": " : "", error ? error.message() : ""));
}

}  // namespace diopi::cases
