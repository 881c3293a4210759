// References of large calls as they are stored: half as many bytes for an element.
//
// r is kept as float32 and, where the output has float32's precision, what r lost then, as bfloat16: together
// within 2^-32 of r. Sigma is kept as bfloat16, within 2^-8 of it, and a number of terms that is the same for
// all elements once. An output with values beyond the range of float32, or in float64, is stored unpacked.
#ifndef BASELINES_COMPARE_PACKED_REFERENCES_H_
#define BASELINES_COMPARE_PACKED_REFERENCES_H_

#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// The references of a case that is compared on slices, packed.
TensorMap PackReferences(const v1::Case& c, TensorMap references);

// The inverse; references that are not packed stay as they are.
TensorMap UnpackReferences(TensorMap references);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_PACKED_REFERENCES_H_
