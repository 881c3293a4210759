// Results of implementations that compute in another way than defined, which no argument shows: integers
// through float32 or in a narrow type, a variance with the other divisor, angles of the opposite sign.
// Private to this folder.
#ifndef BASELINES_DIAGNOSE_COMPUTED_H_
#define BASELINES_DIAGNOSE_COMPUTED_H_

#include <vector>

#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/finding.pb.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {

// The case with other values in some of its inputs.
struct OtherInputs {
  v1::Finding found;
  TensorMap inputs;
};
std::vector<OtherInputs> ReadOtherwise(const v1::Case& c, const TensorMap& inputs);

// References that such an implementation is right by.
struct OtherReferences {
  v1::Finding found;
  TensorMap references;
};
std::vector<OtherReferences> ComputedOtherwise(const v1::Case& c, const TensorMap& inputs,
                                               const TensorMap& references,
                                               loader::InProcessLibrary* reference);

}  // namespace diopi::baselines

#endif  // BASELINES_DIAGNOSE_COMPUTED_H_
