// The calls of a model as cases.
//
// A call is scaled until none of its tensors is larger than a bound: every size above a threshold, the
// highest that suffices, becomes the threshold plus the size modulo 8. Equal sizes stay equal, in shapes,
// lists of sizes and counts, odd sizes stay odd, and indices stay below the threshold. A size that cannot
// change alone (the channels of a convolution in groups) stays, and so does a call with a gradient of what a
// mask selects, whose size follows from the mask's values.
#ifndef CASES_CORE_MODEL_CASES_H_
#define CASES_CORE_MODEL_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "cases/core/model_file.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// The bound for a tensor where a selection gives none.
inline constexpr int64_t kModelTensorBytes = int64_t{16} << 10;

// The cases of one call: one for each function that it means. Their label is made from the call's arguments
// alone, so that models share the cases of equal calls.
struct CallCases {
  std::vector<v1::Case> cases;  // finished
  bool scaled = false;
  std::string why_scaled;  // in words, where it is
};

// The operator that a call names, by its own name or a function's; null when there is none.
const v1::OperatorFile* OperatorOf(const ModelCall& call, const std::vector<v1::OperatorFile>& operators);

// InvalidArgument for arguments that no function takes; each function says why.
absl::StatusOr<CallCases> BuildCall(const v1::OperatorFile& op, const ModelCall& call,
                                    int64_t max_tensor_bytes);

}  // namespace diopi::cases

#endif  // CASES_CORE_MODEL_CASES_H_
