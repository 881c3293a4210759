// Which cases the command line of diopi-agent or diopi-cli selects.
#ifndef CLIENT_SETUP_ARGUMENTS_H_
#define CLIENT_SETUP_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/selection.pb.h"

namespace diopi::agent {

// The options that select cases, one per field.
struct SelectionArguments {
  std::vector<std::string> functions;      // --fname; "all_ops" means all
  std::vector<std::string> cases;          // --case
  std::vector<std::string> dtypes;         // --dtype: only these
  std::vector<std::string> filter_dtypes;  // --filter-dtype: all but these, as in the public harness
  std::string suite;                       // --suite
  std::string cases_folder;                // --cases: the user's own operator files, beside ours
};

// InvalidArgument for an unknown dtype, with the known names, or when no dtype is left.
absl::StatusOr<v1::Selection> MakeSelection(const SelectionArguments& arguments);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_ARGUMENTS_H_
