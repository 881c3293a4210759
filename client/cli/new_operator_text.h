// Templates for the files of a new operator.
#ifndef CLIENT_CLI_NEW_OPERATOR_TEXT_H_
#define CLIENT_CLI_NEW_OPERATOR_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "proto/abi/schema/abi.pb.h"

namespace diopi::cli {

struct NewOperator {
  std::string name;                         // the operator's name: [a-z0-9_]+
  std::string family;                       // likewise
  const abi::Function* function = nullptr;  // that the operator tests
};

// Checks that a point can give every argument of the function. Unimplemented, naming the argument, for a
// plain pointer.
absl::Status CheckArguments(const abi::Function& function);

// The operator's file: one function and one point with a value for every argument, to be replaced as
// cases/ops/GUIDE.md says. It parses and expands without changes.
std::string NewOperatorText(const NewOperator& op);

// The kernel of both references. It returns diopiNoImplement, so that no baseline is made from it.
std::string NewReferenceText(const NewOperator& op);

// The same call in PyTorch, for crosscheck, with a guessed name.
std::string NewCheckText(const NewOperator& op);

// Instructions for these files.
std::string NewReadmeText(const NewOperator& op);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_NEW_OPERATOR_TEXT_H_
