// What an implementation computes that ignores an argument or mistakes it: the same case with one argument
// changed. Pure: no I/O, no library.
#ifndef BASELINES_DIAGNOSE_ALTER_H_
#define BASELINES_DIAGNOSE_ALTER_H_

#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

struct AlteredCase {
  v1::Case c;            // with the original's id and without its hash: no case of any suite
  std::string argument;  // the one that differs
  std::string text;      // after "consistent with": "alpha taken as 1", "bias ignored"
};

// Every argument the case gives, one at a time and generic over them: numbers and enumerations at the value
// that has no effect or that PyTorch takes by default (one table of argument names in alter.cc), flags
// turned, sizes at their default, swapped, or the first for all, optional tensors as null, inputs with
// strides read in the order of memory, broadcast inputs read one element after the other. The inputs' values
// stay what the generator makes of the original, but where their order is what is altered.
//
// An altered case need not make sense: the reference may refuse it (a padding that asks for another output
// shape), and may give the same as the original. Callers check both. Most likely causes come first.
std::vector<AlteredCase> AlterArguments(const v1::Case& c);

}  // namespace diopi::baselines

#endif  // BASELINES_DIAGNOSE_ALTER_H_
