// Which cases the command line of diopi-agent or diopi-cli selects.
#ifndef CLIENT_SETUP_ARGUMENTS_H_
#define CLIENT_SETUP_ARGUMENTS_H_

#include <cstdint>
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
  std::vector<std::string> models;  // --model: the calls of these models, names or globs, instead of a suite
  int64_t max_tensor_bytes = 0;     // --max-bytes, of models; 0: auto, what this machine's free memory allows
  std::string cases_folder;         // --cases: the user's own operator files, beside ours
};

// Whether the memory decides how large the tensors of the models' calls may be.
inline bool HasAutoBound(const SelectionArguments& arguments) {
  return !arguments.models.empty() && arguments.max_tensor_bytes == 0;
}

// InvalidArgument for an unknown dtype, with the known names, when no dtype is left, or for a suite beside
// models.
absl::StatusOr<v1::Selection> MakeSelection(const SelectionArguments& arguments);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_ARGUMENTS_H_
