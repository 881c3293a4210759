// The tensors of one case: from the data folder, or made anew.
#ifndef CLIENT_CLI_CASE_DATA_H_
#define CLIENT_CLI_CASE_DATA_H_

#include <string>

#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cli {

struct CaseData {
  TensorMap inputs;
  TensorMap references;
  std::string provenance;  // in words
};

// From DATA/baselines/cpu when the case is there with its hash. NotFound or FailedPrecondition otherwise,
// DataLoss for a damaged file.
absl::StatusOr<CaseData> ReadCaseData(const v1::Case& c, const std::string& data_folder);

// The same; where there is no usable baseline, computed with the reference library (path empty: the one
// beside the program).
absl::StatusOr<CaseData> ReadOrMakeCaseData(const v1::Case& c, const std::string& data_folder,
                                            const std::string& reference_library);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_CASE_DATA_H_
