// Captured calls as points of operator files.
#ifndef CLIENT_CLI_CAPTURED_POINT_H_
#define CLIENT_CLI_CAPTURED_POINT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "baselines/tap/capture.h"
#include "cases/core/catalog.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cli {

struct CapturedPointOptions {
  // Tensors with more elements are described by their statistics, and their values generated; 0: all are, so
  // that no value of the capture is in the files.
  int64_t most_values = 4096;
};

// The operator file whose only case is the captured call. `label`: of its point. Unimplemented, with the
// reason, for a call that no operator file can describe.
absl::StatusOr<v1::OperatorFile> FileOfCapturedCall(const cases::Catalog& catalog,
                                                    const tap::CapturedCall& call, const std::string& label,
                                                    const CapturedPointOptions& options);

// A fill for a tensor of which only statistics are given: element type, least and greatest value, mean,
// standard deviation, and whether there are NaN or infinite values.
v1::Fill FillLike(const HostTensor& tensor);

// A fill that gives a tensor of this layout these very values. Unimplemented where no fill can: complex
// numbers, integers beyond 2^53, elements that share storage in another way than by expansion.
absl::StatusOr<v1::Fill> FillWith(const HostTensor& tensor, const v1::TensorSpec& spec);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_CAPTURED_POINT_H_
