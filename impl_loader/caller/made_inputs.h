// The inputs of a large case that nobody sends: they are made in the tensors that the library gets, part by
// part, so that no process holds a copy of them.
#ifndef IMPL_LOADER_CALLER_MADE_INPUTS_H_
#define IMPL_LOADER_CALLER_MADE_INPUTS_H_

#include <vector>

#include "absl/status/status.h"
#include "cases/fill/fill.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/caller/call_frame.h"

namespace diopi::loader {

// Adds to `inputs` those inputs of the case that are filled in blocks (OpenBlockInputs) and are not among
// them. `made` owns them and must outlive the views. InvalidArgument for a fill that does not fit its dtype.
absl::Status AddMadeInputs(const v1::Case& c, std::vector<InputView>* inputs, BlockInputs* made);
// The same for inputs of `made`, which owns them already.
void AddMadeInputs(const BlockInputs& made, std::vector<InputView>* inputs);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_MADE_INPUTS_H_
