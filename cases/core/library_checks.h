// The checks of a library as a whole: what no case of an operator can show. They travel as cases, so that
// runs cover them, agents lease them and reports count them like any other, but they have no tensors and no
// baselines. A check that tests one function of the ABI has it as its function and counts as its case; the
// others have none. How each is made is the worker's (impl_loader/caller/library_check.h).
#ifndef CASES_CORE_LIBRARY_CHECKS_H_
#define CASES_CORE_LIBRARY_CHECKS_H_

#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::cases {

// Their operator. No operator's file may have this name.
inline constexpr char kLibraryOperator[] = "library";

// Whether `c` is one of them: "library.LABEL".
bool IsLibraryCheck(const v1::Case& c);

// All of them, in the order in which they are best run: what says who the library is first. Their dtype is
// that of the matrices which some of them multiply.
std::vector<v1::Case> LibraryChecks();

}  // namespace diopi::cases

#endif  // CASES_CORE_LIBRARY_CHECKS_H_
