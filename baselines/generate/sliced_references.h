// The references of large calls, computed on slices (cases/slices/slices.h).
#ifndef BASELINES_GENERATE_SLICED_REFERENCES_H_
#define BASELINES_GENERATE_SLICED_REFERENCES_H_

#include "absl/status/statusor.h"
#include "baselines/generate/sliced_inputs.h"
#include "cases/base/tensor.h"
#include "cases/slices/slices.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {

// One element for each place of slices::ComparedPlaces.
absl::StatusOr<TensorMap> SlicedReferences(loader::InProcessLibrary& reference, const v1::Case& c,
                                           SlicedInputs& inputs, const slices::SliceLimits& limits = {});

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_SLICED_REFERENCES_H_
