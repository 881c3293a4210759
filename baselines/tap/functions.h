// The functions of the ABI with their operators, and lists of them in settings.
#ifndef BASELINES_TAP_FUNCTIONS_H_
#define BASELINES_TAP_FUNCTIONS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "proto/abi/abi.h"

namespace diopi::tap {

struct FunctionInfo {
  const abi::Function* function = nullptr;
  const v1::OperatorFile* op = nullptr;      // null: no operator of ours has the function
  const v1::FunctionRules* rules = nullptr;  // likewise
  std::vector<std::string> names;            // "diopiAddInp", "add", "add.inplace", "add_"
};

// Immutable after Load: thread-safe.
class FunctionTable {
 public:
  static absl::StatusOr<std::unique_ptr<FunctionTable>> Load();

  // Indexed as abi::Functions().
  const std::vector<FunctionInfo>& functions() const { return functions_; }

  // The functions that a list names: names and regular expressions, separated by commas, each of which must
  // match a function's whole name or its operator's. InvalidArgument for an expression that is malformed,
  // or that matches no function, with the nearest names.
  absl::StatusOr<std::vector<bool>> Select(std::string_view list) const;

 private:
  std::unique_ptr<cases::Catalog> catalog_;
  std::vector<FunctionInfo> functions_;
};

}  // namespace diopi::tap

#endif  // BASELINES_TAP_FUNCTIONS_H_
