// Writes a case as one standalone C file that makes the same call.
#ifndef CLIENT_CLI_C_SOURCE_H_
#define CLIENT_CLI_C_SOURCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "baselines/compare/contract.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cli {

struct CSourceOptions {
  std::string library;         // the default of the program's first argument
  int calls = 2;               // the default of its second: number of equal calls, whose outputs are compared
  std::string file_name;       // for the comment that says how to compile it
  std::string include_folder;  // likewise: folder of the public headers
  baselines::Contracts contracts;  // that the device declares: they widen the tolerances
};

// The shell commands that compile the file and run it.
std::string CompileCommand(const CSourceOptions& options);
std::string RunCommand(const CSourceOptions& options);

// C11 that needs only the public headers, libdl and libm. `inputs` hold every input of the case, `references`
// the expected outputs: the program compares every element and exits with 1 when one does not match.
// InvalidArgument when the case does not fit the function's signature.
absl::StatusOr<std::string> CSource(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                                    const CSourceOptions& options);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_C_SOURCE_H_
