// A case as one standalone C file that makes the same call.
#ifndef CLIENT_CLI_C_SOURCE_H_
#define CLIENT_CLI_C_SOURCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "cases/core/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cli {

struct CSourceOptions {
  std::string library;    // the default of its first argument
  std::string file_name;  // for the comment that says how to compile it
  int64_t values = 8;     // shown of each output
};

// C11 that needs the public headers and libdl alone. `inputs` hold every input of the case, `references` what
// the outputs should be. InvalidArgument when the case does not fit the function's signature.
absl::StatusOr<std::string> CSource(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                                    const CSourceOptions& options);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_C_SOURCE_H_
