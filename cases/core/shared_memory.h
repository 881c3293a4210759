// Outputs that lie in the memory of an input: in its elements, so that the library reads what it is about to
// overwrite, or in the gaps between them. Their TensorSpec.same_as is that input's key.
#ifndef CASES_CORE_SHARED_MEMORY_H_
#define CASES_CORE_SHARED_MEMORY_H_

#include "diopi/v1/case.pb.h"

namespace diopi::cases {

// Whether the output may lie in the input's elements, or in the `gaps` of its strided layout.
bool CanShare(const v1::TensorSpec& input, const v1::TensorSpec& output, bool gaps);

// Whether an output of the case lies in an input's memory.
bool SharesMemory(const v1::Case& c);

// Gives each output memory of its own, as for a reference.
void SeparateOutputs(v1::Case* c);

}  // namespace diopi::cases

#endif  // CASES_CORE_SHARED_MEMORY_H_
