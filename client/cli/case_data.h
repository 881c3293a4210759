// The tensors of one case: read from the data folder, or computed.
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

// Reads the case from DATA/baselines/cpu. NotFound when it is missing, FailedPrecondition when its hash
// differs, DataLoss for a damaged file.
absl::StatusOr<CaseData> ReadCaseData(const v1::Case& c, const std::string& data_folder);

// The same, but computes the tensors with the reference library (empty path: the one beside the program)
// where there is no usable baseline.
absl::StatusOr<CaseData> ReadOrMakeCaseData(const v1::Case& c, const std::string& data_folder,
                                            const std::string& reference_library);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_CASE_DATA_H_
