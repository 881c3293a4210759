// Which cases a command line selects, as diopi-agent and diopi-cli take it.
#ifndef CLIENT_SETUP_ARGUMENTS_H_
#define CLIENT_SETUP_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/selection.pb.h"

namespace diopi::agent {

// How a user says which cases. Each field is one option.
struct SelectionArguments {
  std::vector<std::string> functions;      // --fname; "all_ops" means all
  std::vector<std::string> cases;          // --case
  std::vector<std::string> dtypes;         // --dtype: only these
  std::vector<std::string> filter_dtypes;  // --filter-dtype: not these, as in the public harness
  std::string suite;                       // --suite
  std::string cases_folder;                // --cases: operator files of the user's own, beside ours
};

// InvalidArgument, with the known names, for a dtype that is none, or when no dtype is left.
absl::StatusOr<v1::Selection> MakeSelection(const SelectionArguments& arguments);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_ARGUMENTS_H_
