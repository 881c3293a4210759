// A case that went through the adaptor, as it is judged: client/profile/GUIDE.md, "How an adapted case is
// judged".
#ifndef CLIENT_PROFILE_JUDGED_CASE_H_
#define CLIENT_PROFILE_JUDGED_CASE_H_

#include "absl/status/status.h"
#include "cases/core/tensor.h"
#include "diopi/v1/adaptor.pb.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/worker/in_process.h"

namespace diopi::profile {

struct JudgedCase {
  v1::Case c;
  TensorMap inputs;
  TensorMap references;
  TensorMap actual;
};

// Tensors that the library got and gave in a narrower floating type have that type here, and the reference is
// the case's own: r as it is (rounded, where it is judged bit for bit), its noise sigma that of the narrower
// arithmetic. Everything else, integers included, stays as the case has it. `actual` are the outputs in the
// caller's types.
JudgedCase AsHandedOver(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                        const TensorMap& actual, const v1::CaseAdaptor& adaptor);

// Outputs in a narrower floating type that are judged bit for bit: their reference becomes what `reference`
// makes of the inputs as they were handed over. A single rounding of rounded inputs is no rounding of the own
// reference. Errors are the library's.
absl::Status RecomputeExact(loader::InProcessLibrary& reference, const v1::CaseAdaptor& adaptor,
                            JudgedCase* judged);

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_JUDGED_CASE_H_
