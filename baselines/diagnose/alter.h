// Makes the case that an implementation computes which ignores or mistakes an argument: the same case with
// one argument changed. Pure: no I/O, no library.
#ifndef BASELINES_DIAGNOSE_ALTER_H_
#define BASELINES_DIAGNOSE_ALTER_H_

#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"
#include "diopi/v1/finding.pb.h"

namespace diopi::baselines {

struct AlteredCase {
  v1::Case c;            // with the original's id and without its hash: not a case of any suite
  std::string argument;  // the one that differs
  v1::Finding found;     // "alpha taken as 1", "bias ignored"
};

// Alters every argument of the case, one at a time and without knowing the operator: numbers and enumerations
// get the value that has no effect or PyTorch's default (one table of argument names in alter.cc), flags are
// inverted, sizes get their default, are swapped, or the first is used for all, optional tensors are null,
// inputs with strides are read in the order of memory, broadcast inputs one element after the other. The
// inputs' values are those of the original case, except where the alteration reorders them.
//
// An altered case need not make sense: the reference may refuse it (a padding that requires another output
// shape) or give the original's result. Callers check both. The likeliest causes come first.
std::vector<AlteredCase> AlterArguments(const v1::Case& c);

}  // namespace diopi::baselines

#endif  // BASELINES_DIAGNOSE_ALTER_H_
