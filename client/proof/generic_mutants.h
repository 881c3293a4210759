// Bugs that any function may have, made without a library: a call with an argument altered, inputs narrowed,
// or outputs changed as faulty kernels change them.
#ifndef CLIENT_PROOF_GENERIC_MUTANTS_H_
#define CLIENT_PROOF_GENERIC_MUTANTS_H_

#include <functional>
#include <string>
#include <vector>

#include "baselines/store/store.h"
#include "cases/base/tensor.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::proof {

// Outputs of one case as a faulty library would give them, and the name of the fault, the same at every case
// of the function: "tail of 8 lost", "alpha taken as 1".
struct Mutated {
  std::string name;
  TensorMap outputs;
};

// All generic bugs that make a difference to this case: their outputs are not bit for bit `native`, the
// reference's own result in the case's dtype. Altered calls that the reference refuses are left out.
std::vector<Mutated> GenericMutants(const baselines::Baseline& baseline, const TensorMap& native,
                                    loader::InProcessLibrary* reference);

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_GENERIC_MUTANTS_H_
