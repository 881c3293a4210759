#include "client/setup/arguments.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "client/setup/modes.h"

namespace diopi::agent {
namespace {

absl::StatusOr<std::set<Dtype>> ParseDtypes(const std::vector<std::string>& names) {
  std::set<Dtype> dtypes;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const Dtype dtype, ParseDtype(name));
    dtypes.insert(dtype);
  }
  return dtypes;
}

}  // namespace

absl::StatusOr<v1::Selection> MakeSelection(const SelectionArguments& arguments) {
  v1::Selection selection;
  const bool all = std::find(arguments.functions.begin(), arguments.functions.end(), "all_ops") !=
                   arguments.functions.end();
  if (!all) {
    for (const std::string& name : arguments.functions) selection.add_functions(name);
  }
  for (const std::string& glob : arguments.cases) selection.add_cases(glob);
  selection.set_suite(arguments.suite);
  selection.set_max_tensor_bytes(HasAutoBound(arguments) ? TensorBytesForFreeMemory(FreeMemory())
                                                         : arguments.max_tensor_bytes);
  if (!arguments.models.empty() && !arguments.suite.empty()) {
    return absl::InvalidArgumentError("--model and --suite exclude each other: a model's calls are a suite");
  }
  if (!arguments.models.empty())
    selection.set_suite(absl::StrCat(cases::kModelSuites, absl::StrJoin(arguments.models, ",")));
  ASSIGN_OR_RETURN(std::set<Dtype> only, ParseDtypes(arguments.dtypes));
  ASSIGN_OR_RETURN(const std::set<Dtype> without, ParseDtypes(arguments.filter_dtypes));
  if (without.empty()) {
    for (const Dtype dtype : only) selection.add_dtypes(dtype);
    return selection;
  }
  for (int code = v1::Dtype::int8; code <= v1::Dtype::complex128; ++code) {
    const auto dtype = static_cast<Dtype>(code);
    const bool wanted = only.empty() || only.contains(dtype);
    if (wanted && !without.contains(dtype)) selection.add_dtypes(dtype);
  }
  if (selection.dtypes().empty()) {
    return absl::InvalidArgumentError("--filter-dtype excludes every dtype in --dtype");
  }
  return selection;
}

}  // namespace diopi::agent
