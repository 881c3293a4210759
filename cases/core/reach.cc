#include "cases/core/reach.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/status_macros.h"
#include "cases/core/case_builder.h"
#include "cases/core/operator_file.h"
#include "cases/core/point_value.h"
#include "proto/abi/abi.h"

namespace diopi::cases {
namespace {

// The tensor whose dtype identifies a call for users.
const abi::Param* MainTensor(const abi::Function& function) {
  const abi::Param* written = nullptr;
  for (const abi::Param& param : function.param()) {
    if (!IsTensor(param.kind()) && !IsTensorArray(param.kind())) continue;
    if (param.direction() != abi::OUT) return &param;
    if (written == nullptr) written = &param;
  }
  return written;
}

void AddDtypes(const v1::Case& c, const std::string& name, std::set<std::string>* dtypes) {
  const v1::Argument* arg = FindArgument(c, name);
  if (arg == nullptr) return;
  for (const v1::TensorSpec* spec : SpecsOf(*arg)) dtypes->insert(std::string(DtypeName(spec->dtype())));
}

void FindHoles(const v1::FunctionRules& rules, FunctionReach* reach) {
  for (const std::string& dtype : reach->documented) {
    const absl::StatusOr<Dtype> code = ParseDtype(dtype);
    const bool explained = code.ok() && !TakesDtype(rules, *code) && !rules.why().empty();
    const bool has = std::find(reach->dtypes.begin(), reach->dtypes.end(), dtype) != reach->dtypes.end();
    if (!has && !explained)
      reach->holes.push_back(absl::StrCat("no case in ", dtype, ", which the ABI documents"));
  }
  if (reach->covers.empty() && rules.not_covered().empty()) reach->holes.emplace_back("no cover");
  for (const Reach& cover : reach->covers) {
    for (const std::string& pair : cover.undecided) {
      reach->holes.push_back(absl::StrCat("no case was found for ", pair));
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<FunctionReach>> ReachOf(const v1::OperatorFile& op) {
  v1::OperatorFile searched = op;  // what the search could not choose is of interest
  for (v1::Cover& cover : *searched.mutable_cover()) cover.clear_chosen();
  std::vector<CoverCases> covers;
  ASSIGN_OR_RETURN(
      std::vector<v1::Case> cases,
      ExpandOperator(searched, SourceLines(absl::StrCat(op.operator_(), ".textproto")), &covers));
  v1::OperatorFile extended = op;
  std::vector<v1::Case> more = cases;
  const std::vector<CommonClass> common = AddCommonPoints(&extended, &more);
  std::vector<FunctionReach> result;
  for (const v1::FunctionRules& rules : op.function()) {
    FunctionReach& reach = result.emplace_back();
    reach.function = rules.name();
    const abi::Param* tensor = MainTensor(*abi::FindFunction(rules.name()));
    std::set<std::string> dtypes;
    for (const v1::Case& c : cases) {
      if (c.function() != rules.name()) continue;
      ++reach.cases;
      if (tensor != nullptr) AddDtypes(c, tensor->name(), &dtypes);
    }
    reach.dtypes.assign(dtypes.begin(), dtypes.end());
    if (tensor != nullptr) reach.documented.assign(tensor->dtypes().begin(), tensor->dtypes().end());
    for (const CoverCases& covered : covers) {
      for (const Reach& each : covered.reach) {
        if (each.function == rules.name()) reach.covers.push_back(each);
      }
    }
    std::copy_if(common.begin(), common.end(), std::back_inserter(reach.common),
                 [&](const CommonClass& each) { return each.function == rules.name(); });
    FindHoles(rules, &reach);
  }
  return result;
}

}  // namespace diopi::cases
