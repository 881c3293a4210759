// Bugs that any function may have, made without a library: a call with an argument altered, inputs narrowed,
// or outputs changed as faulty kernels change them.
#ifndef CLIENT_PROOF_GENERIC_BUGS_H_
#define CLIENT_PROOF_GENERIC_BUGS_H_

#include <functional>
#include <string>
#include <vector>

#include "baselines/store/store.h"
#include "cases/base/tensor.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::proof {

// The outputs of one case as a faulty library would give them, and the bug's name, which is the same for
// every case of the function: "tail of 8 lost", "alpha taken as 1".
struct Mutated {
  std::string name;
  TensorMap outputs;
};

// All generic bugs that show in this case: their outputs differ in a bit from `native`, the reference's own
// result in the case's dtype. Leaves out altered calls that the reference refuses.
std::vector<Mutated> GenericBugs(const baselines::Baseline& baseline, const TensorMap& native,
                                 loader::InProcessLibrary* reference);

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_GENERIC_BUGS_H_
