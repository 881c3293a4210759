// What the cases of each function reach: the classes and pairs of its covers, the classes that all functions
// share, the documented dtypes.
#ifndef CASES_CORE_REACH_H_
#define CASES_CORE_REACH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/common_classes.h"
#include "cases/core/cover.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

struct FunctionReach {
  std::string function;
  int64_t cases = 0;
  std::vector<Reach> covers;
  std::vector<CommonClass> common;
  // Dtypes of the first tensor that the function reads (or, if it reads none, writes): those that proto/abi
  // documents, and those with a case.
  std::vector<std::string> documented;
  std::vector<std::string> dtypes;
  // What is missing without a reason in the operator's file: a documented dtype that is not in `skip_dtypes`,
  // a cover (where there is no `not_covered`), a pair whose search was given up.
  std::vector<std::string> holes;
};

// Every function of the file, in its order. Errors of Expand.
absl::StatusOr<std::vector<FunctionReach>> ReachOf(const v1::OperatorFile& op);

}  // namespace diopi::cases

#endif  // CASES_CORE_REACH_H_
