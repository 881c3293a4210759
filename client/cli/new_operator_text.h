// The files of an operator that is not written yet.
#ifndef CLIENT_CLI_NEW_OPERATOR_TEXT_H_
#define CLIENT_CLI_NEW_OPERATOR_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "proto/abi/schema/abi.pb.h"

namespace diopi::cli {

struct NewOperator {
  std::string name;                         // of the operator: [a-z0-9_]+
  std::string family;                       // likewise
  const abi::Function* function = nullptr;  // that it tests
};

// Whether a point can give every argument of the function. Unimplemented, naming the argument, when it is a
// plain pointer or an array of generators.
absl::Status CheckArguments(const abi::Function& function);

// The operator's file: one function, one point with a value for every argument, which cases/ops/GUIDE.md says
// how to replace. It parses and expands as it is.
std::string NewOperatorText(const NewOperator& op);

// The kernel of both references, which returns diopiNoImplement, so that no baseline is made from it.
std::string NewReferenceText(const NewOperator& op);

// The same call in PyTorch, for crosscheck: a guess at its name.
std::string NewCheckText(const NewOperator& op);

// What to do with them.
std::string NewReadmeText(const NewOperator& op);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_NEW_OPERATOR_TEXT_H_
